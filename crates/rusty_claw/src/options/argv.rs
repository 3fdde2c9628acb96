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

    /// Whether a flag is there, with or without a value.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|argument| {
            let argument = argument.as_encoded_bytes();
            argument
                .strip_prefix(name.as_bytes())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"="))
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
