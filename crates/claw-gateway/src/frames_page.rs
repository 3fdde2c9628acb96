//! Writes docs/reference/frames.md: an example of each frame of each dialect.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use claw_server::event::Fact;
use claw_server::{
    Dialect, MobileProjection, Sequenced, SequencedMessage, SessionEvent, SessionId, UiProjection,
};
use serde::Serialize;
use serde_json::Value;

use crate::audit::Audit;
use crate::feed::Update;
use crate::frame::{DialectName, Events, Frame, StreamJson, raw};

#[path = "../../claw-server/tests/it/recorded.rs"]
#[allow(dead_code, reason = "not everything is needed here")]
mod recorded;

use recorded::{Item, Session};

/// Set to write the page instead of comparing it.
const WRITE: &str = "WRITE_FRAMES_PAGE";
const PAGE: &str = "docs/reference/frames.md";
/// The longest line of an example, unless one value is longer.
const WIDTH: usize = 120;

/// Events that neither a recording nor the other tests have.
const MADE_UP: [&str; 4] = [
    r#"{"v":1,"seq":20,"epoch":2,"at":1794700000000,"kind":"granted","body":{"target_type":"Command","target":"git log:*","exact":false,"level":"Execute","recursive":false,"scope":"Tenant"}}"#,
    r#"{"v":1,"seq":21,"epoch":2,"at":1794700000000,"kind":"revoked","body":{"target_type":"Command","target":"git log:*","exact":false,"level":"Execute","recursive":false,"scope":"Tenant"}}"#,
    r#"{"v":1,"seq":22,"epoch":2,"at":1794700000000,"kind":"omitted","body":{"kind":"message","size":70000000,"limit":67108864}}"#,
    r#"{"v":1,"seq":23,"epoch":2,"at":1794700000000,"turn":1,"kind":"gap","body":{"after_offset":52113,"recovered":2,"missing":["results of turns, with their cost and usage"]}}"#,
];

const HEAD: &str = "\
# Frames of the gateway, by dialect

<!-- Generated from recordings by a test of claw-gateway: run it with WRITE_FRAMES_PAGE=1. Do not edit. -->

A client chooses a dialect, and receives each message in an envelope `{session, after, message}`. [Streams](streams.md) explains cursors. This page has the shortest example of each kind of message in the recordings of the real CLI, with line breaks that the gateway does not send.
Clients must ignore unknown kinds and members.

Besides messages, each dialect has these two notices:

";

/// A file of the repository.
fn repository(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(path)
}

/// `recorded.rs` reads its files with this function of the crate.
pub(crate) fn testdata(path: &str) -> PathBuf {
    repository("testdata").join(path)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_page_has_an_example_of_each_frame() {
    let page = page();
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(repository(PAGE), page).unwrap();
        return;
    }
    let is_current = std::fs::read_to_string(repository(PAGE)).is_ok_and(|old| old == page);
    assert!(is_current, "{PAGE} is stale: run this test with {WRITE}=1");
}

fn page() -> String {
    let session = SessionId::from(0x5e55_1011_u128 << 96);
    let sessions = sessions();
    let mut out = HEAD.to_owned();
    for (resync, meaning) in [
        (
            true,
            "The client was too slow. Discard what came after `after`; the stream continues from there.",
        ),
        (
            false,
            "Nothing more follows: the session was deleted, or its log cannot be read.",
        ),
    ] {
        let notice = Update {
            session,
            after: 41,
            message: None,
            resync,
            ended: !resync,
        };
        let json = serde_json::to_string(&notice).unwrap();
        let _ = write!(out, "{meaning}\n\n```json\n{json}\n```\n\n");
    }
    for (name, about, examples) in [
        (
            DialectName::Events,
            "The facts of the log, and text while it is written (`delta`), with its offset in bytes of UTF-8. Programs that keep the state of a session use it.",
            Examples::of(
                session,
                &sessions,
                Events::default,
                |one| match &one["event"] {
                    Value::Null => first_key(one),
                    event => format!("event: {}", text(&event["kind"])),
                },
            ),
        ),
        (
            DialectName::StreamJson,
            "The lines of the CLI, as it printed them. [The protocol](protocol.md) describes them.",
            Examples::of(session, &sessions, StreamJson::default, |one| {
                match (&one["subtype"], &one["event"]["type"]) {
                    (Value::String(subtype), _) => format!("{}: {subtype}", text(&one["type"])),
                    (_, Value::String(event)) => format!("{}: {event}", text(&one["type"])),
                    _ if one.is_string() => "a line that is not JSON".to_owned(),
                    _ => text(&one["type"]),
                }
            }),
        ),
        (
            DialectName::Ui,
            "Messages for windows. `session_id` is the number of the session in the gateway.",
            Examples::of(session, &sessions, || UiProjection::new(1), first_key).or_made_up(
                session,
                "testdata/server/messages/ui.jsonl",
                first_key,
            ),
        ),
        (
            DialectName::Mobile,
            "Flat messages for phones.",
            Examples::of(
                session,
                &sessions,
                || MobileProjection::new(session.to_string()),
                |one| text(&one["type"]),
            )
            .or_made_up(session, "testdata/server/messages/mobile.jsonl", |one| {
                text(&one["type"])
            }),
        ),
        (
            DialectName::Audit,
            "The decisions: what was shown, what was answered, and which device or rule decided. Secrets are removed.",
            Examples::of(session, &sessions, Audit::default, |one| {
                let has = |name, what| one.get(name).map_or("", |_| what);
                let outcome = text(&one["outcome"]);
                outcome + has("tool", ", a tool") + has("by", ", by a device")
            }),
        ),
    ] {
        let _ = write!(out, "## {}\n{about}\n\n", name.as_str());
        examples.write(&mut out);
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or("other").to_owned()
}

fn first_key(message: &Value) -> String {
    let members = message.as_object();
    let name = members.and_then(|members| members.keys().next());
    name.cloned().unwrap_or_default()
}

/// The recordings; then a session of a gateway, which has the events that no CLI causes; then events
/// that tests made up.
fn sessions() -> Vec<Session> {
    let event = |json: &str| Item::Event(serde_json::from_str::<SessionEvent>(json).unwrap());
    let fixture = read("clients/typescript/test/fixtures/events.ndjson");
    let of_gateway = fixture.lines().filter_map(|line| {
        let frame: Value = serde_json::from_str(line).unwrap();
        let json = frame["message"].get("event")?.to_string();
        Some(event(&json))
    });
    let snapshot = "crates/claw-server/tests/it/snapshots/\
                    it__facts__every_kind_of_event_is_written_so_and_read_again.snap";
    let snapshot = read(snapshot);
    let known = |item: &Item| {
        let event = item.event();
        event.is_some_and(|event| !matches!(event.fact, Fact::Unknown { .. }))
    };
    let made_up = snapshot.lines().filter(|line| line.starts_with('{'));
    let made_up = made_up.chain(MADE_UP).map(event).filter(known);
    let mut sessions = recorded::all();
    sessions.push(Session {
        name: "gateway".to_owned(),
        items: of_gateway.collect(),
    });
    sessions.push(Session {
        name: "made up".to_owned(),
        items: made_up.collect(),
    });
    sessions
}

/// The example of each kind of frame.
struct Examples(BTreeMap<String, Example>);

struct Example {
    /// Sources are preferred in their order: recordings, the gateway, made up.
    source: usize,
    json: String,
}

impl Examples {
    /// Projects the sessions, and keeps the best frame of each kind.
    fn of<D: Dialect<Message: Serialize>>(
        session: SessionId,
        sessions: &[Session],
        dialect: impl Fn() -> D,
        kind: impl Fn(&Value) -> String,
    ) -> Self {
        let mut examples = Self(BTreeMap::new());
        let recordings = sessions.len() - 2;
        for (number, one) in sessions.iter().enumerate() {
            let mut dialect = Sequenced::new(dialect(), 0);
            let mut messages = Vec::new();
            for item in &one.items {
                item.send_to(&mut dialect, &mut messages);
            }
            let source = (number + 1).saturating_sub(recordings);
            if source == 2 {
                let from = dialect.sequence() + 1;
                dialect.gap(from, from + 2, &mut messages);
            }
            for SequencedMessage { message, after } in messages {
                examples.add(session, after, &message, source, &kind);
            }
        }
        examples
    }

    /// Adds messages of a file for the kinds that have no example.
    fn or_made_up(
        mut self,
        session: SessionId,
        path: &str,
        kind: impl Fn(&Value) -> String,
    ) -> Self {
        for line in read(path).lines() {
            let message: Box<serde_json::value::RawValue> = serde_json::from_str(line).unwrap();
            self.add(session, 41, &message, 2, &kind);
        }
        self
    }

    fn add(
        &mut self,
        session: SessionId,
        after: u64,
        message: &impl Serialize,
        source: usize,
        kind: impl Fn(&Value) -> String,
    ) {
        let message = raw(message).unwrap();
        // A line with half a surrogate is no example.
        let Ok(value) = serde_json::from_str(message.get()) else {
            return;
        };
        let name = kind(&value);
        let frame = Frame {
            session,
            after,
            message,
        };
        let json = serde_json::to_string(&frame).unwrap();
        let rank = |example: &Example| (example.source, example.json.len());
        let is_better = |old: &Example| (source, json.len()) < rank(old);
        if self.0.get(&name).is_none_or(is_better) {
            self.0.insert(name, Example { source, json });
        }
    }

    fn write(&self, out: &mut String) {
        for (name, Example { source, json }) in &self.0 {
            let note = match source {
                2 => " (no recording has one: made up)",
                _ => "",
            };
            let _ = write!(
                out,
                "`{name}`{note}\n\n```json\n{}\n```\n\n",
                lines(json, 0)
            );
        }
    }
}

/// Breaks a long JSON text into lines, without changing the order of members.
fn lines(json: &str, indent: usize) -> String {
    let is_short = json.chars().count() + indent <= WIDTH;
    if is_short || !json.starts_with(['{', '[']) {
        return json.to_owned();
    }
    let (open, rest) = json.split_at(1);
    let (inner, close) = rest.split_at(rest.len() - 1);
    let space = " ".repeat(indent + 2);
    let parts = split(inner, ',').into_iter().map(|part| {
        let key = split(part, ':')[0];
        match part.get(key.len() + 1..).filter(|_| open == "{") {
            Some(value) => format!("{space}{key}: {}", lines(value, indent + 2)),
            None => format!("{space}{}", lines(part, indent + 2)),
        }
    });
    let parts: Vec<String> = parts.collect();
    let end = " ".repeat(indent);
    format!("{open}\n{}\n{end}{close}", parts.join(",\n"))
}

/// Splits a JSON text outside of its strings, objects and arrays.
fn split(json: &str, at: char) -> Vec<&str> {
    let (mut depth, mut is_string, mut is_escape) = (0_usize, false, false);
    let parts = json.split(move |c| {
        if is_string {
            is_string = is_escape || c != '"';
            is_escape = c == '\\' && !is_escape;
            return false;
        }
        match c {
            '"' => is_string = true,
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && c == at
    });
    parts.collect()
}

#[test]
fn line_breaks_change_nothing() {
    let json = format!(
        r#"{{"b":[],"a":{{}},"text":"\\\",{{[:{}","list":[1,{{"x":null}}]}}"#,
        "x".repeat(WIDTH)
    );
    let broken = lines(&json, 0);
    assert!(broken.lines().count() > 5, "{broken}");
    let same: Value = serde_json::from_str(&broken).unwrap();
    assert_eq!(same, serde_json::from_str::<Value>(&json).unwrap());
}
