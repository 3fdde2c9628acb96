//! Checks the flags and the version of a CLI.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::probe::{Probe, Takes};
use super::version::MINIMUM_VERSION;
use crate::error::StartError;

/// Parses the output of `claude --help`: a line for each flag, indented by two spaces, with its
/// names before the description.
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

/// Returns the long flags among the arguments, each once. The value of a flag that is known to take
/// one is skipped, whatever it looks like.
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

/// Returns an error if the arguments have a flag that this CLI is known not to have.
///
/// A flag is known if `--help` lists it, if it is a hidden flag of this release, or if the CLI did
/// not reject it when it was probed for it. If that is undecided, the flag is accepted: the CLI
/// reports an unknown flag itself.
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

/// Returns an error if the CLI is older than [`MINIMUM_VERSION`]. An unknown version is accepted.
///
/// # Errors
/// [`StartError::CliTooOld`].
pub fn check_version(probe: &Probe) -> Result<(), StartError> {
    match probe.version() {
        Some(found) if found < MINIMUM_VERSION => Err(StartError::CliTooOld {
            path: probe.path().to_owned(),
            found: found.to_string(),
            needed: MINIMUM_VERSION.to_string(),
        }),
        _ => Ok(()),
    }
}
