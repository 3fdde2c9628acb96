//! The configuration file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, CommandFactory as _, ValueHint};
use toml::de::{DeTable, DeValue};

use crate::args::Args;

/// A key with its values, as text.
#[derive(Debug)]
struct Entry {
    id: String,
    line: usize,
    /// `None` for a switch that is on.
    values: Vec<Option<OsString>>,
}

/// The settings of a file, and what is wrong with it.
#[derive(Debug)]
pub(super) struct ConfigFile {
    pub(super) path: PathBuf,
    entries: Vec<Entry>,
    pub(super) problems: Vec<String>,
}

impl ConfigFile {
    /// Reads a file. Returns `None` if the default file does not exist.
    pub(super) fn read(path: &Path, is_chosen: bool) -> Option<Self> {
        let (entries, problems) = match std::fs::read_to_string(path) {
            Ok(text) => entries(path, &text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !is_chosen => {
                return None;
            }
            Err(error) => (
                Vec::new(),
                vec![format!("{} cannot be read: {error}", path.display())],
            ),
        };
        Some(Self {
            path: path.to_owned(),
            entries,
            problems,
        })
    }

    /// Returns the selected entries as flags.
    pub(super) fn flags(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<OsString> {
        let entries = self.entries.iter().filter(|entry| is_wanted(&entry.id));
        let flags = entries.flat_map(|entry| {
            let name = entry.id.replace('_', "-");
            entry.values.iter().map(move |value| {
                let mut flag = OsString::from(format!("--{name}"));
                if let Some(value) = value {
                    flag.push("=");
                    flag.push(value);
                }
                flag
            })
        });
        flags.collect()
    }

    /// Records that the parser of flags refuses a value.
    pub(super) fn refuse(&mut self, error: &clap::Error) {
        let context = |kind| match error.get(kind) {
            Some(ContextValue::String(text)) => Some(text.clone()),
            _ => None,
        };
        let flag = context(ContextKind::InvalidArg).unwrap_or_default();
        let value = context(ContextKind::InvalidValue).unwrap_or_default();
        let of_flag = |entry: &&Entry| {
            let name = format!("--{}", entry.id.replace('_', "-"));
            flag.split(' ').next() == Some(&name)
        };
        let reason = std::error::Error::source(error).map(|source| format!(": {source}"));
        let reason = reason.unwrap_or_default();
        let path = self.path.display();
        let problem = match self.entries.iter().find(of_flag) {
            // The value of a store may contain a password.
            Some(entry) if entry.id == "store" => {
                format!(
                    "{path}:{}: the value of store is not valid{reason}",
                    entry.line
                )
            }
            Some(entry) => {
                let key = &entry.id;
                format!(
                    "{path}:{}: {value:?} is not valid for {key}{reason}",
                    entry.line
                )
            }
            None => format!("{path}: {}", error.render().to_string().trim()),
        };
        self.problems.push(problem);
    }
}

/// Returns the settings that a file may have: every flag of `claw serve` that is also a variable.
fn table() -> Vec<Arg> {
    let command = Args::command();
    let serve = command.find_subcommand("serve");
    let args = serve.into_iter().flat_map(clap::Command::get_arguments);
    let args = args.filter(|arg| arg.get_env().is_some() && arg.get_id() != "config");
    args.cloned().collect()
}

fn entries(path: &Path, text: &str) -> (Vec<Entry>, Vec<String>) {
    let table = table();
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    let parsed = match DeTable::parse(text) {
        Ok(parsed) => parsed.into_inner(),
        Err(error) => {
            let line = error.span().map_or(1, |span| line_of(text, span.start));
            let message = error.message();
            return (found, vec![format!("{}:{line}: {message}", path.display())]);
        }
    };
    for (key, value) in parsed {
        let line = line_of(text, key.span().start);
        let name: &str = key.get_ref();
        let at = format!("{}:{line}", path.display());
        let Some(arg) = table
            .iter()
            .find(|arg| arg.get_long() == Some(&name.replace('_', "-")))
        else {
            let nearest = nearest(name, &table);
            let hint = nearest.map_or_else(String::new, |near| format!("; did you mean {near}?"));
            problems.push(format!("{at}: there is no setting {name}{hint}"));
            continue;
        };
        match values(arg, value.get_ref(), path) {
            Some(values) => found.push(Entry {
                id: arg.get_id().to_string(),
                line,
                values,
            }),
            None => problems.push(format!("{at}: {name} has a value of the wrong type")),
        }
    }
    (found, problems)
}

/// Returns the values of a setting as the text of flags, or `None` if the type is wrong.
fn values(arg: &Arg, value: &DeValue<'_>, file: &Path) -> Option<Vec<Option<OsString>>> {
    let is_switch = !arg.get_action().takes_values();
    match value {
        DeValue::Boolean(is_on) if is_switch => Some(is_on.then_some(None).into_iter().collect()),
        _ if is_switch => None,
        DeValue::Array(items) if matches!(arg.get_action(), clap::ArgAction::Append) => {
            let items = items.iter().map(|item| scalar(arg, item.get_ref(), file));
            items.map(|item| item.map(Some)).collect()
        }
        value => Some(vec![Some(scalar(arg, value, file)?)]),
    }
}

fn scalar(arg: &Arg, value: &DeValue<'_>, file: &Path) -> Option<OsString> {
    let text = match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => number.as_str().to_owned(),
        _ => return None,
    };
    Some(match arg.get_value_hint() {
        ValueHint::DirPath | ValueHint::FilePath => resolve(&text, file).into_os_string(),
        _ => text.into(),
    })
}

/// Resolves a path in a file: relative to the folder of the file, with `~/` as the home folder.
fn resolve(text: &str, file: &Path) -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    match (text.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => file.parent().unwrap_or(Path::new("")).join(text),
    }
}

fn nearest<'a>(name: &str, table: &'a [Arg]) -> Option<&'a str> {
    let names = table.iter().filter_map(Arg::get_long);
    let rated = names.map(|known| (strsim::jaro_winkler(known, &name.replace('_', "-")), known));
    let best = rated.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (best.0 > 0.7).then_some(best.1)
}

fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}
