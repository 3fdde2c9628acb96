//! Builds the command line.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;

use rusty_claw_protocol::Str;

/// A command line under construction.
///
/// Values are always joined to their flag (`--name=value`): some flags take several values and
/// would swallow what follows, and a value that begins with a dash would be read as a flag.
#[derive(Debug, Default)]
pub(super) struct Argv(Vec<OsString>);

impl Argv {
    /// The flags of every session: JSON lines in both directions. Without `--verbose` the CLI
    /// refuses to print them.
    pub(super) fn of_a_session() -> Self {
        Self(
            [
                "--output-format=stream-json",
                "--verbose",
                "--input-format=stream-json",
            ]
            .map(OsString::from)
            .into(),
        )
    }

    /// Adds a flag without a value.
    pub(super) fn flag(&mut self, name: &str) {
        self.0.push(name.into());
    }

    /// Adds a flag without a value, if it is wanted.
    pub(super) fn flag_if(&mut self, name: &str, wanted: bool) {
        if wanted {
            self.flag(name);
        }
    }

    /// Adds a flag with a value that may not be UTF-8, such as a path.
    pub(super) fn os_value(&mut self, name: &str, value: impl AsRef<OsStr>) {
        let mut argument = OsString::from(name);
        argument.push("=");
        argument.push(value);
        self.0.push(argument);
    }

    /// Adds a flag with a value.
    pub(super) fn value(&mut self, name: &str, value: impl Display) {
        self.0.push(format!("{name}={value}").into());
    }

    /// Adds a flag with a value, if there is one.
    pub(super) fn value_if(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.value(name, value);
        }
    }

    /// Adds a flag with a comma-separated list.
    pub(super) fn list(&mut self, name: &str, values: &[Str]) {
        self.value(name, values.join(","));
    }

    /// Adds a flag with a list, unless it is empty.
    pub(super) fn list_if(&mut self, name: &str, values: &[Str]) {
        if !values.is_empty() {
            self.list(name, values);
        }
    }

    /// Whether a flag was added, with or without a value, in any spelling.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|argument| {
            let argument = argument.as_encoded_bytes();
            let flag = argument.split(|byte| *byte == b'=').next();
            flag.is_some_and(|flag| same_flag(flag, name.as_bytes()))
        })
    }

    pub(super) fn into_args(self) -> Vec<OsString> {
        self.0
    }
}

/// The CLI's short names of flags that this library writes.
const SHORT: [(&[u8], &[u8]); 6] = [
    (b"-c", b"--continue"),
    (b"-d", b"--debug"),
    (b"-h", b"--help"),
    (b"-p", b"--print"),
    (b"-r", b"--resume"),
    (b"-v", b"--version"),
];

/// Whether two names mean the same flag: some have a short name, some are known both in camel case
/// and with dashes (`--allowedTools`, `--allowed-tools`).
pub(super) fn same_flag(one: &[u8], other: &[u8]) -> bool {
    let long = |name: &[u8]| {
        let long = SHORT.iter().find(|(short, _)| *short == name);
        let letters = long.map_or(name, |(_, long)| long).iter();
        let letters = letters.filter(|byte| **byte != b'-');
        letters.map(u8::to_ascii_lowercase).collect::<Vec<_>>()
    };
    long(one) == long(other)
}
