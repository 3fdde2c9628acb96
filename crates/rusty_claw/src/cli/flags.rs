//! Which flags a CLI knows.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::probe::Probe;
use super::version::Version;
use crate::error::StartError;

/// Whether a flag is followed by a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    Value,
}

/// Flags that work but that `claude --help` does not list, each with the oldest release in which
/// it was seen to work. Checked by asking the pinned CLI for each ([`super::ask_for_flag`]).
#[rustfmt::skip] // One line per flag is what makes it a table.
pub(crate) const HIDDEN: &[(&str, Takes, Version)] = &[
    ("--await-claim",                  Takes::Nothing, SEEN),
    ("--await-initialize",             Takes::Nothing, SEEN),
    ("--enable-auth-status",           Takes::Nothing, SEEN),
    ("--managed-settings",             Takes::Value,   SEEN),
    ("--managed-settings-in-initialize", Takes::Nothing, SEEN),
    ("--max-thinking-tokens",          Takes::Value,   SEEN),
    ("--max-turns",                    Takes::Value,   SEEN),
    ("--permission-prompt-tool",       Takes::Value,   SEEN),
    ("--plugin-dir-no-mcp",            Takes::Value,   SEEN),
    ("--project-config-root",          Takes::Value,   SEEN),
    ("--resume-drops-turn",            Takes::Value,   SEEN),
    ("--resume-session-at",            Takes::Value,   SEEN),
    ("--rewind-files",                 Takes::Value,   SEEN),
    ("--session-mirror",               Takes::Nothing, SEEN),
    ("--task-budget",                  Takes::Value,   SEEN),
    ("--thinking",                     Takes::Value,   SEEN),
    ("--thinking-display",             Takes::Value,   SEEN),
    ("--workload",                     Takes::Value,   SEEN),
];

const SEEN: Version = Version::new(2, 1, 325);

/// The flags that this library takes for known though `claude --help` does not list them, each with
/// the oldest release that has it. With [`ask_for_flag`](super::ask_for_flag) a check can hold the
/// list against a CLI.
pub fn hidden_flags() -> impl Iterator<Item = (&'static str, Version)> {
    HIDDEN.iter().map(|(name, _, since)| (*name, *since))
}

/// Reads the flags out of what `claude --help` prints: a line for each, indented by two blanks,
/// its names before the description.
pub(crate) fn listed(help: &str) -> BTreeMap<String, Takes> {
    let mut flags = BTreeMap::new();
    for line in help.lines() {
        let Some(line) = line.strip_prefix("  ").filter(|it| it.starts_with('-')) else {
            continue;
        };
        let names = line.split("  ").next().unwrap_or(line);
        let takes = if names.contains('<') {
            Takes::Value
        } else {
            Takes::Nothing
        };
        for name in names.split([' ', ',']).filter(|name| is_flag(name)) {
            flags.insert(name.to_owned(), takes);
        }
    }
    flags
}

/// The long flags among arguments, each once. What belongs to a flag before it, as the probe
/// knows, is no flag, whatever it looks like.
pub(crate) fn used<'a>(probe: &Probe, args: &'a [OsString]) -> Vec<&'a str> {
    let mut used = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == "--" {
            break;
        }
        let Some(text) = arg.to_str().filter(|text| text.starts_with("--")) else {
            continue;
        };
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        if !is_flag(name) {
            continue;
        }
        if !used.contains(&name) {
            used.push(name);
        }
        if value.is_none() && probe.takes(name) == Some(Takes::Value) {
            args.next();
        }
    }
    used
}

fn is_flag(text: &str) -> bool {
    text.strip_prefix("--").is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    })
}

/// Refuses arguments with a flag that this CLI is known not to know.
///
/// A flag is known when `--help` lists it, when it is one of the hidden ones that this release is
/// known to have, or when the CLI, asked for that very flag, did not call it unknown. What cannot
/// be known is let through: the CLI will say so itself.
///
/// # Errors
/// [`StartError::UnknownFlag`].
pub fn check_flags(probe: &Probe, args: &[OsString]) -> Result<(), StartError> {
    match used(probe, args)
        .into_iter()
        .find(|flag| probe.knows(flag) == Some(false))
    {
        None => Ok(()),
        Some(flag) => Err(StartError::UnknownFlag {
            flag: flag.to_owned(),
            path: probe.path().to_owned(),
            version: probe
                .version()
                .map_or_else(|| "of unknown version".to_owned(), |it| it.to_string()),
        }),
    }
}
