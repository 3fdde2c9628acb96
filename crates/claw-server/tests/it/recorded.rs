//! The recorded sessions of the repository, as events and deltas. The proof reads them, too.

use std::path::Path;

use claw_server::event::SessionEvent;
use claw_server::{Output, Recording, TextDelta};
use serde::Deserialize;

/// What a client may be sent, in the order in which it came.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "nearly all of them are events")]
pub(crate) enum Item {
    Event(SessionEvent),
    Delta(TextDelta),
}

/// A session that was recorded.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) name: String,
    pub(crate) items: Vec<Item>,
}

/// How a recording went.
#[derive(Debug, Deserialize)]
struct Meta {
    exit_code: Option<i32>,
    signal: Option<i32>,
    /// How writes and lines followed each other: `in 1, out 8, eof`.
    exchange: String,
}

/// All recordings below the root of the repository, by name.
pub(crate) fn all(root: &Path) -> Result<Vec<Session>, String> {
    let folder = root.join("testdata/cli/2.1.325");
    let entries = std::fs::read_dir(&folder)
        .map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| error.to_string())?;
        if entry.path().join("stdout.ndjson").exists() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    names
        .into_iter()
        .map(|name| {
            let items = play(&folder.join(&name)).map_err(|error| format!("{name}: {error}"))?;
            Ok(Session { name, items })
        })
        .collect()
}

/// One recording by name.
pub(crate) fn one(root: &Path, name: &str) -> Result<Session, String> {
    let folder = root.join("testdata/cli/2.1.325").join(name);
    let items = play(&folder).map_err(|error| format!("{name}: {error}"))?;
    let name = name.to_owned();
    Ok(Session { name, items })
}

/// How writes and lines of a recording followed each other: whether the CLI wrote, and how many.
pub(crate) fn exchange(folder: &Path) -> Result<Vec<(bool, usize)>, String> {
    steps(&meta(folder)?)
}

fn meta(folder: &Path) -> Result<Meta, String> {
    serde_json::from_slice(&read(folder, "meta.json")?).map_err(|error| error.to_string())
}

fn steps(meta: &Meta) -> Result<Vec<(bool, usize)>, String> {
    let steps = meta.exchange.split(", ").filter_map(|step| {
        let (who, count) = step.split_once(' ')?;
        let count = count.parse().map_err(|error| format!("{step}: {error}"));
        Some(count.and_then(|count| match who {
            "in" => Ok((false, count)),
            "out" => Ok((true, count)),
            other => Err(format!("the exchange says {other}")),
        }))
    });
    steps.collect()
}

/// What came of a recording, with the end of its process.
fn play(folder: &Path) -> Result<Vec<Item>, String> {
    let meta = meta(folder)?;
    let mut host = lines(folder, "stdin.ndjson")?.into_iter();
    let mut cli = lines(folder, "stdout.ndjson")?.into_iter();
    let mut recording = Recording::new();
    let mut items = Vec::new();
    let mut seen = Seen::default();
    for (is_cli, count) in steps(&meta)? {
        if is_cli {
            for line in cli.by_ref().take(count) {
                recording.cli(line);
                seen.take(recording.output(), &mut items);
            }
        } else {
            for line in host.by_ref().take(count) {
                recording.host(line);
                seen.take(recording.output(), &mut items);
            }
        }
    }
    if cli.next().is_some() {
        return Err("the exchange leaves lines of the CLI out".to_owned());
    }
    recording.ended(meta.exit_code, meta.signal);
    seen.take(recording.output(), &mut items);
    Ok(items)
}

/// How much of an output was taken.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    events: usize,
    deltas: usize,
}

impl Seen {
    /// Takes what is new.
    pub(crate) fn take(&mut self, output: &Output, items: &mut Vec<Item>) {
        let events = output.events.iter().skip(self.events).cloned();
        items.extend(events.map(Item::Event));
        let deltas = output.deltas.iter().skip(self.deltas).cloned();
        items.extend(deltas.map(Item::Delta));
        self.events = output.events.len();
        self.deltas = output.deltas.len();
    }
}

fn read(folder: &Path, file: &str) -> Result<Vec<u8>, String> {
    std::fs::read(folder.join(file)).map_err(|error| format!("cannot read {file}: {error}"))
}

fn lines(folder: &Path, file: &str) -> Result<Vec<Vec<u8>>, String> {
    let bytes = read(folder, file)?;
    let lines = bytes.split(|byte| *byte == b'\n').map(Vec::from);
    Ok(lines.filter(|line| !line.is_empty()).collect())
}
