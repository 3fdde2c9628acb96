//! A command line in the making.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;

use rusty_claw_protocol::Str;

/// A command line in the making.
///
/// Values are always joined to their flag (`--name=value`): some flags take several values and
/// would swallow what follows, and a value that begins with a dash would be read as a flag.
#[derive(Debug, Default)]
pub(super) struct Argv(Vec<OsString>);

impl Argv {
    /// What every session needs: lines of JSON in both directions. Without `--verbose` the CLI
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

    /// A flag without a value.
    pub(super) fn flag(&mut self, name: &str) {
        self.0.push(name.into());
    }

    /// A flag without a value, where it is wanted.
    pub(super) fn flag_if(&mut self, name: &str, wanted: bool) {
        if wanted {
            self.flag(name);
        }
    }

    /// A flag with text that may be no UTF-8, such as a path.
    pub(super) fn os_value(&mut self, name: &str, value: impl AsRef<OsStr>) {
        let mut argument = OsString::from(name);
        argument.push("=");
        argument.push(value);
        self.0.push(argument);
    }

    /// A flag with a value.
    pub(super) fn value(&mut self, name: &str, value: impl Display) {
        self.0.push(format!("{name}={value}").into());
    }

    /// A flag with a value, where there is one.
    pub(super) fn value_if(&mut self, name: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.value(name, value);
        }
    }

    /// A flag with a list, joined by commas.
    pub(super) fn list(&mut self, name: &str, values: &[Str]) {
        self.value(name, values.join(","));
    }

    /// A flag with a list, where it is not empty.
    pub(super) fn list_if(&mut self, name: &str, values: &[Str]) {
        if !values.is_empty() {
            self.list(name, values);
        }
    }

    /// Whether a flag is there, with or without a value, in whatever spelling.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|argument| {
            let argument = argument.as_encoded_bytes();
            let flag = argument.split(|byte| *byte == b'=').next();
            flag.is_some_and(|flag| same_flag(flag, name.as_bytes()))
        })
    }

    /// The arguments.
    pub(super) fn into_args(self) -> Vec<OsString> {
        self.0
    }

    /// The arguments so far.
    pub(super) fn args(&self) -> &[OsString] {
        &self.0
    }
}

/// The CLI's short names for flags that this library writes.
const SHORT: [(&[u8], &[u8]); 6] = [
    (b"-c", b"--continue"),
    (b"-d", b"--debug"),
    (b"-h", b"--help"),
    (b"-p", b"--print"),
    (b"-r", b"--resume"),
    (b"-v", b"--version"),
];

/// Whether two names mean the same flag: some have a short one, some are known both in camel case
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
