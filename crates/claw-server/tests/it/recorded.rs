//! The recorded sessions of the repository, as events and deltas.

use std::path::{Path, PathBuf};

use claw_server::event::SessionEvent;
use claw_server::{Dialect, Output, Recording, TextDelta};
use serde::Deserialize;

use crate::testdata;

/// What a client receives, in order.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "nearly all of them are events")]
pub(crate) enum Item {
    Event(SessionEvent),
    Delta(TextDelta),
}

impl Item {
    pub(crate) fn event(&self) -> Option<&SessionEvent> {
        match self {
            Self::Event(event) => Some(event),
            Self::Delta(_) => None,
        }
    }

    pub(crate) fn send_to<D: Dialect>(&self, dialect: &mut D, messages: &mut Vec<D::Message>) {
        match self {
            Self::Event(event) => dialect.event(event, messages),
            Self::Delta(delta) => dialect.delta(delta, messages),
        }
    }
}

/// The items without the deltas.
pub(crate) fn events_only(items: &[Item]) -> Vec<Item> {
    let events = items.iter().filter(|item| item.event().is_some());
    events.cloned().collect()
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
    /// The order of writes and lines: `in 1, out 8, eof`.
    exchange: String,
}

fn folder() -> PathBuf {
    testdata("cli/2.1.325")
}

fn names() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join("stdout.ndjson").exists())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.len() > 250, "{} recordings", names.len());
    names
}

/// All recordings, by name.
pub(crate) fn all() -> Vec<Session> {
    names().iter().map(|name| one(name)).collect()
}

/// All lines that the CLI printed in any recording.
pub(crate) fn cli_lines() -> Vec<Vec<u8>> {
    let file = |name: &String| folder().join(name).join("stdout.ndjson");
    names().iter().flat_map(|name| lines(&file(name))).collect()
}

/// One recording by name, with the end of its process.
pub(crate) fn one(name: &str) -> Session {
    let folder = folder().join(name);
    let meta = meta(&folder);
    let mut host = lines(&folder.join("stdin.ndjson")).into_iter();
    let mut cli = lines(&folder.join("stdout.ndjson")).into_iter();
    let mut recording = Recording::new();
    let mut items = Vec::new();
    let mut seen = Seen::default();
    for (is_cli, count) in steps(&meta) {
        let side = if is_cli { &mut cli } else { &mut host };
        for line in side.take(count) {
            match is_cli {
                true => recording.cli(line),
                false => recording.host(line),
            }
            seen.take(recording.output(), &mut items);
        }
    }
    assert_eq!(cli.next(), None, "{name}: the exchange omits lines");
    recording.ended(meta.exit_code, meta.signal);
    seen.take(recording.output(), &mut items);
    let name = name.to_owned();
    Session { name, items }
}

/// The order of writes and lines of a recording: whether the CLI wrote, and how many.
pub(crate) fn exchange(name: &str) -> Vec<(bool, usize)> {
    steps(&meta(&folder().join(name)))
}

fn meta(folder: &Path) -> Meta {
    let text = std::fs::read(folder.join("meta.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn steps(meta: &Meta) -> Vec<(bool, usize)> {
    let steps = meta.exchange.split(", ").filter_map(|step| {
        let (side, count) = step.split_once(' ')?;
        assert!(["in", "out"].contains(&side), "{step}");
        Some((side == "out", count.parse().unwrap()))
    });
    steps.collect()
}

/// How much of an output was taken.
#[derive(Debug, Default)]
struct Seen {
    events: usize,
    deltas: usize,
}

impl Seen {
    /// Takes new events and deltas.
    fn take(&mut self, output: &Output, items: &mut Vec<Item>) {
        let events = output.events.iter().skip(self.events).cloned();
        items.extend(events.map(Item::Event));
        let deltas = output.deltas.iter().skip(self.deltas).cloned();
        items.extend(deltas.map(Item::Delta));
        self.events = output.events.len();
        self.deltas = output.deltas.len();
    }
}

fn lines(file: &Path) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let lines = bytes.split(|byte| *byte == b'\n').map(Vec::from);
    lines.filter(|line| !line.is_empty()).collect()
}
