//! What holds for every recorded line.

mod compare;
mod opaque;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use claw_testkit::figure::{Figure, record};
use claw_testkit::recordings::{self, Recording};
use rusty_claw_protocol::audit::{Audit, audit_line};
use rusty_claw_protocol::control::{ControlPayload, ControlRequest, audit_exchange};
use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::{Json, Line, Str};

use self::opaque::Review;
use crate::types;

/// Union members that no recording shows, and why; must be exactly those.
const NOT_SEEN: &str = include_str!("recordings/not_seen.txt");

/// The least number of recorded answers to control requests, and of verbs that they answer: fewer
/// mean that answers were not matched to their requests.
const LEAST_ANSWERS: usize = 800;
const LEAST_VERBS: usize = 35;

/// The figures of `cargo xtask prove protocol --only recordings`.
#[test]
fn nothing_recorded_is_lost_or_unread() {
    let union = types::union_by_kind();
    let mut recorded = Recorded::default();
    for recording in recordings::recordings().expect("the recordings can be read") {
        recorded.recording(&recording, &union);
    }
    let figures = [recorded.coverage(), recorded.lossless(), recorded.untyped()];
    record("recordings", figures.into());
}

/// Things found in lines: what, how often, and where first.
#[derive(Debug, Default)]
struct Tally(BTreeMap<String, (usize, String)>);

impl Tally {
    fn add(&mut self, what: impl Into<String>, scenario: &str) {
        let entry = self
            .0
            .entry(what.into())
            .or_insert_with(|| (0, scenario.to_owned()));
        entry.0 += 1;
    }

    fn total(&self) -> usize {
        self.0.values().map(|(count, _)| count).sum()
    }

    fn shown(&self) -> impl Iterator<Item = String> {
        self.0
            .iter()
            .map(|(what, (count, first))| format!("`{what}` × {count}, first in {first}"))
    }
}

/// Everything that one pass over the recordings finds.
#[derive(Debug, Default)]
struct Recorded {
    scenarios: usize,
    study: usize,
    stdout: usize,
    stdin: usize,
    skipped: usize,
    answers: usize,
    /// The verbs of the requests that have an answer.
    verbs: BTreeSet<String>,
    failures: Tally,
    new_shapes: Tally,
    raw_changed: Tally,
    lost: Tally,
    invented: Tally,
    /// Values that only our own reader accepts.
    refused: usize,
    unread: Tally,
    opaque: BTreeSet<String>,
    /// Paths in [`opaque::WRONG_ON_PURPOSE`] that were seen.
    excused: BTreeSet<String>,
    seen: BTreeSet<String>,
}

/// Who wrote a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writer {
    Host,
    Cli,
}

impl Writer {
    fn pipe(self) -> &'static str {
        match self {
            Self::Host => "stdin",
            Self::Cli => "stdout",
        }
    }
}

impl Recorded {
    fn recording(&mut self, recording: &Recording, union: &BTreeMap<String, String>) {
        let is_study = recording.name.starts_with("study/");
        self.study += usize::from(is_study);
        self.scenarios += usize::from(!is_study);
        self.skipped += recording.skipped;
        self.stdin += recording.stdin.len();
        self.stdout += recording.stdout.len();
        let host: Vec<Message> = self.side(recording, Writer::Host, &recording.stdin);
        let cli: Vec<Message> = self.side(recording, Writer::Cli, &recording.stdout);
        if !is_study {
            let kinds = cli.iter().map(types::kind_of_message);
            self.seen
                .extend(kinds.filter_map(|kind| union.get(&kind).cloned()));
        }
        self.exchanges(&recording.name, Writer::Cli, &host, &cli);
        self.exchanges(&recording.name, Writer::Host, &cli, &host);
    }

    fn side(&mut self, recording: &Recording, writer: Writer, lines: &[Vec<u8>]) -> Vec<Message> {
        let place = format!("{} ({})", recording.name, writer.pipe());
        lines
            .iter()
            .filter_map(|line| self.line(writer, &place, line))
            .collect()
    }

    fn line(&mut self, writer: Writer, place: &str, line: &[u8]) -> Option<Message> {
        let decoded = Line::decode(line.to_vec());
        if decoded.raw().as_bytes() != line {
            self.raw_changed.add("a line", place);
        }
        let Line::Message(received) = decoded else {
            self.failures.add("a line that is no JSON object", place);
            return None;
        };
        match audit_line(line) {
            Ok(audit) => {
                // These are never excused: the shape of every line that the host writes is known.
                for path in &audit.new_shapes {
                    self.new_shapes.add(path, place);
                }
                self.audit(writer, "", place, audit);
            }
            Err(error) => self.failures.add(error.to_string(), place),
        }
        let message = received.message;
        let difference = compare::against_text(&String::from_utf8_lossy(line), &message);
        let kind = types::kind_of_message(&message);
        self.refused += difference.refused;
        for path in difference.lost {
            self.lost.add(format!("{kind}: {path}"), place);
        }
        for path in difference.invented {
            self.invented.add(format!("{kind}: {path}"), place);
        }
        Some(message)
    }

    fn audit(&mut self, writer: Writer, prefix: &str, place: &str, audit: Audit) {
        for path in audit.unread {
            self.unread(writer, format!("{prefix}{path}"), place);
        }
        for (path, tag) in audit.unknown {
            self.unread(writer, format!("{prefix}{path} (unknown `{tag}`)"), place);
        }
        let opaque = audit.opaque.into_iter();
        self.opaque
            .extend(opaque.map(|path| format!("{prefix}{path}")));
    }

    fn unread(&mut self, writer: Writer, path: String, place: &str) {
        if !self.excuses(writer, &path) {
            self.unread.add(path, place);
        }
    }

    /// Whether the host wrote this wrong on purpose.
    fn excuses(&mut self, writer: Writer, path: &str) -> bool {
        let listed = opaque::entries(opaque::WRONG_ON_PURPOSE)
            .iter()
            .any(|(wrong, _)| *wrong == path);
        let excused = writer == Writer::Host && listed;
        if excused {
            self.excused.insert(path.to_owned());
        }
        excused
    }

    /// Reads payloads of answers by the type that belongs to their request.
    fn exchanges(&mut self, place: &str, writer: Writer, asked: &[Message], answered: &[Message]) {
        for (request, payload) in exchanges(asked, answered) {
            self.answers += 1;
            let verb = request.tag();
            self.verbs.insert(verb.to_owned());
            let Some(audit) = audit_exchange(request, payload) else {
                let path = format!("{verb}: (no type for this payload)");
                self.unread(writer, path, place);
                continue;
            };
            for path in &audit.new_shapes {
                let path = format!("{verb}: {path}");
                if !self.excuses(writer, &path) {
                    self.new_shapes.add(path, place);
                }
            }
            self.audit(writer, &format!("{verb}: "), place, audit);
            let typed = ControlPayload::read(request, payload);
            let difference = compare::against_text(payload.text(), &typed);
            self.refused += difference.refused;
            for path in difference.lost {
                self.lost.add(format!("{verb}: {path}"), place);
            }
            for path in difference.invented {
                self.invented.add(format!("{verb}: {path}"), place);
            }
        }
    }

    /// How many recordings there are and what they show.
    fn coverage(&self) -> Figure {
        let union = types::union();
        let all = union.len();
        let listed: BTreeMap<&str, &str> = opaque::entries(NOT_SEEN).into_iter().collect();
        let unseen: BTreeSet<&str> = union.difference(&self.seen).map(String::as_str).collect();
        let faults: Vec<String> = unseen
            .iter()
            .filter(|name| listed.get(*name).is_none_or(|reason| reason.is_empty()))
            .map(|name| format!("{name} is not seen, and not_seen.txt has no reason"))
            .chain(
                listed
                    .keys()
                    .filter(|name| !unseen.contains(*name))
                    .map(|name| format!("{name} is seen: take it out of not_seen.txt")),
            )
            .collect();
        let passed =
            self.scenarios >= 120 && self.seen.len() >= 33 && all == 41 && faults.is_empty();
        Figure::new(
            "recorded scenarios; message types of the union seen in recordings",
            "≥ 120; ≥ 33 of 41, the rest listed with the reason",
        )
        .measured(
            format!("{}; {} of {all}", self.scenarios, self.seen.len()),
            passed,
        )
        .list(
            "not seen",
            unseen
                .iter()
                .map(|name| format!("`{name}`: {}", listed.get(name).unwrap_or(&"?"))),
        )
        .list("to do", faults)
    }

    /// What is lost.
    fn lossless(&self) -> Figure {
        let counts = [
            &self.failures,
            &self.new_shapes,
            &self.raw_changed,
            &self.lost,
        ]
        .map(Tally::total);
        let (answers, verbs) = (self.answers, self.verbs.len());
        let passed = counts == [0; 4]
            && self.invented.total() == 0
            && self.stdout > 0
            && answers >= LEAST_ANSWERS
            && verbs >= LEAST_VERBS;
        let [failures, shapes, raw, lost] = counts;
        Figure::new(
            "recorded lines and the lines of the study: failures / known type with a new shape / raw text not byte-identical / values lost",
            "0 / 0 / 0 / 0",
        )
        .measured(format!("{failures} / {shapes} / {raw} / {lost}"), passed)
        .note(format!(
            "{} lines of stdout and {} of stdin, from {} recorded scenarios and {} of the study; {} lines of stdin skipped because they are no JSON object (broken on purpose, or marks of failed writes)",
            self.stdout, self.stdin, self.scenarios, self.study, self.skipped
        ))
        .note(format!(
            "also compared: {answers} answers to control requests with {verbs} verbs (bar {LEAST_ANSWERS} and {LEAST_VERBS}), each read into the type that its request names"
        ))
        .note(format!("values invented by writing: {} (bar 0)", self.invented.total()))
        .note(format!(
            "values are compared by a reader that is not ours: serde_json reads the strings, numbers are compared by their digits; it refuses {} values (half surrogates), which ours compares as U+FFFD",
            self.refused
        ))
        .list("failures", self.failures.shown())
        .list("new shapes", self.new_shapes.shown())
        .list("raw text changed", self.raw_changed.shown())
        .list("values lost", self.lost.shown())
        .list("values invented", self.invented.shown())
    }

    /// What no field reads.
    fn untyped(&self) -> Figure {
        let wrong = Review::of(opaque::WRONG_ON_PURPOSE, &self.excused, 0);
        let review = Review::of(opaque::LIST, &self.opaque, wrong.listed);
        let unread = self.unread.0.len() + review.unlisted.len();
        let stale: Vec<String> = review.stale.into_iter().chain(wrong.stale).collect();
        let faults: Vec<String> = review.faults.into_iter().chain(wrong.faults).collect();
        let passed = unread == 0 && stale.is_empty() && faults.is_empty();
        let reasons = opaque::entries(opaque::LIST);
        Figure::new(
            "JSON paths in recorded lines that no typed field reads, outside a reviewed list of opaque leaves (≤ 60, a reason each, none directly under message, usage or result)",
            "0",
        )
        .measured(format!("{unread} ({} opaque leaves)", review.listed), passed)
        .list("read by no field", self.unread.shown())
        .list("opaque and not in the reviewed list", review.unlisted.iter().map(|path| format!("`{path}`")))
        .list("in a reviewed list and never seen", stale.iter().map(|path| format!("`{path}`")))
        .list("faults of the lists", faults)
        .list("opaque leaves", reasons.iter().map(|(path, reason)| format!("`{path}`: {reason}")))
    }
}

/// The payloads of successful answers, each with the request on the other side that it answers.
fn exchanges<'a>(
    asked: &'a [Message],
    answered: &'a [Message],
) -> impl Iterator<Item = (&'a ControlRequest, &'a Json)> {
    let requests: HashMap<&Str, &ControlRequest> = asked
        .iter()
        .filter_map(|message| match message {
            Message::ControlRequest {
                request_id,
                request,
                ..
            } => Some((request_id, request)),
            _ => None,
        })
        .collect();
    answered.iter().filter_map(move |message| match message {
        Message::ControlResponse {
            request_id,
            response,
            ..
        } => Some((*requests.get(request_id)?, response.payload()?)),
        _ => None,
    })
}

fn recorded(stdin: &str, stdout: &str) -> Recorded {
    let lines = |text: &str| text.lines().map(|line| line.as_bytes().to_vec()).collect();
    let recording = Recording {
        name: "test".to_owned(),
        stdin: lines(stdin),
        stdout: lines(stdout),
        skipped: 0,
    };
    let mut recorded = Recorded::default();
    recorded.recording(&recording, &BTreeMap::new());
    recorded
}

#[test]
fn unknown_kinds_members_and_broken_lines_are_found() {
    let found = recorded(
        "",
        "{\"type\":\"news\"}\n{\"type\":\"keep_alive\",\"odd\":1}\nnot JSON",
    );
    assert_eq!(found.failures.total(), 1);
    assert_eq!(found.unread.0.len(), 2, "{:?}", found.unread);
    assert_eq!(found.lost.total(), 0, "{:?}", found.lost);
    assert!(!found.lossless().passed);
    assert!(!found.untyped().passed);
}

#[test]
fn answers_are_read_by_the_request_they_answer() {
    let request = r#"{"type":"control_request","request_id":"1","request":{"subtype":"set_model","model":"m"}}"#;
    let answer = r#"{"type":"control_response","response":{"subtype":"success","request_id":"1","response":{"model":"m","odd":1}}}"#;
    for found in [recorded(request, answer), recorded(answer, request)] {
        assert_eq!(found.answers, 1);
        let unread: Vec<_> = found.unread.0.keys().collect();
        assert_eq!(unread, ["set_model: odd"]);
    }
    assert_eq!(recorded("", answer).answers, 0);
}

/// Else a bug that matches no answer to its request would pass.
#[test]
fn too_few_answers_are_a_failure() {
    let found = recorded("", r#"{"type":"keep_alive"}"#);
    assert_eq!(found.lost.total() + found.failures.total(), 0);
    assert!(!found.lossless().passed);
}

#[test]
fn both_sides_are_read_and_only_the_host_is_excused() {
    let unread = |stdin, stdout| recorded(stdin, stdout).unread.total();
    let odd = r#"{"type":"keep_alive","odd":1}"#;
    assert_eq!((unread(odd, ""), unread("", odd)), (1, 1));
    let wrong = r#"{"type":"wibble"}"#;
    assert_eq!((unread(wrong, ""), unread("", wrong)), (0, 1));
}
