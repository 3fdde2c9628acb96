//! One pass over one file.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::File;

use super::alike::{OneSession, is_in_chain};
use super::chain::{self, Pending, Whole};
use super::drift::{Drift, DriftOf};
use super::examine::{Setting, attachment_type, examine, subtypes};
use super::facts::Facts;
use super::ids;
use super::member::{Member, is_known_attachment, is_known_subtype};
use super::pairing::Pairs;
use super::place::{SecondLook, Shown};
use super::report::{Finding, Sink};
use super::requests::Requests;
use super::rule::{Rule, Severity};
use super::sidecar::WantedCall;
use super::table::{Marks, Table};
use crate::entry::{Body, Damage, Dialect, Kind, KindGroup};
use crate::files::{FileRole, SessionFile};
use crate::lines::{Line, LineEnd, Lines, has_more_than_space_around};
use crate::members::{self, Members};
use crate::not_a_session;

/// What a pass over a file gave.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) sink: Sink,
    pub(super) drift: Drift,
    /// Names to look for in other files.
    pub(super) pending: Vec<Pending>,
    pub(super) lines: u64,
    pub(super) bytes: u64,
}

/// What is kept of a file while it is read; used again for the next one.
#[derive(Debug, Default)]
pub(super) struct Scan {
    lines: Option<Lines<File>>,
    table: Table,
    pairs: Pairs,
    requests: Requests,
    preserved: HashSet<u64>,
    version: String,
    /// Number of lines, or salvaged parts of broken lines, that are JSON objects.
    entries: u64,
}

/// The file that is being read.
struct Reading<'r> {
    setting: Setting<'r>,
    wanted: &'r [WantedCall],
    sink: Sink,
    drift: Drift,
    session: OneSession,
}

impl Scan {
    /// Checks a file.
    pub(super) fn file(
        &mut self,
        file: &SessionFile,
        wanted: &[WantedCall],
        limit: usize,
    ) -> Outcome {
        self.clear();
        let agent = match &file.role {
            FileRole::Agent { agent_id } => Some(agent_id.as_str()),
            _ => None,
        };
        let mut reading = Reading {
            setting: Setting { agent },
            wanted,
            sink: Sink::new(limit),
            drift: Drift::default(),
            session: OneSession::of_file(file.session_id.as_deref()),
        };
        let (mut count, mut bytes) = (0, 0);
        let mut failed = None;
        match File::open(&file.path) {
            Ok(opened) => {
                let mut lines = match self.lines.take() {
                    Some(mut lines) => {
                        lines.restart(opened);
                        lines
                    }
                    None => Lines::new(opened),
                };
                loop {
                    match lines.next_line() {
                        Ok(Some(line)) => {
                            count += 1;
                            bytes += line.len_with_end();
                            self.line(&line, &mut reading);
                        }
                        Ok(None) => break,
                        Err(error) => {
                            failed = Some((error, lines.offset()));
                            break;
                        }
                    }
                }
                self.lines = Some(lines);
            }
            Err(error) => failed = Some((error, 0)),
        }
        let Reading {
            mut sink, drift, ..
        } = reading;
        if let Some((error, offset)) = failed {
            sink.add(Rule::FileReadable, Severity::Error, || Finding {
                rule: Rule::FileReadable,
                severity: Severity::Error,
                line: count + 1,
                offset,
                length: 0,
                uuid: None,
                message: format!("the file cannot be read ({error}): check its permissions"),
            });
        }
        let holds_lines = matches!(file.role, FileRole::Main | FileRole::Agent { .. });
        if self.entries == 0 && holds_lines && !sink.counts().contains_key(&Rule::FileReadable) {
            // Findings of single lines add nothing to this one, so they are dropped.
            sink = Sink::new(limit);
            sink.add(Rule::FileSession, Severity::Error, || {
                let (what, hint) = not_a_session::kind_of(&file.path);
                Finding {
                    rule: Rule::FileSession,
                    severity: Severity::Error,
                    line: 1,
                    offset: 0,
                    length: bytes,
                    uuid: None,
                    message: format!("the file is not a session, but {what}: {hint}"),
                }
            });
        }
        let mut look = SecondLook::new(&file.path);
        let whole = Whole {
            preserved: &self.preserved,
            of_agent: agent.is_some(),
        };
        let mut pending = chain::check(&mut self.table, &whole, &mut look, &mut sink);
        self.pairs.check(&self.table, &mut look, &mut sink);
        pending.extend(self.requests.check(&mut look, &mut sink));
        Outcome {
            sink,
            drift,
            pending,
            lines: count,
            bytes,
        }
    }

    fn clear(&mut self) {
        self.table.clear();
        self.pairs.clear();
        self.requests.clear();
        self.preserved.clear();
        self.version.clear();
        self.entries = 0;
    }

    fn line(&mut self, line: &Line<'_>, reading: &mut Reading<'_>) {
        let shown = Shown::of(line.raw, line.offset, line.ordinal);
        if let Some(facts) = Facts::read(&shown.text) {
            around(&shown, &facts, &mut reading.sink);
            halves(&shown, &facts, &mut reading.sink);
            self.entry(&facts, &shown, reading);
            return;
        }
        match line.body() {
            Body::Broken(damage) => self.broken(line, &shown, &damage, reading),
            Body::Blank if !line.raw.is_empty() => {
                let message = "a line of nothing but NUL bytes or white space, as a crash leaves \
                               it: it can go";
                reading.sink.add(Rule::LineText, Severity::Note, || {
                    let message = message.to_owned();
                    shown.finding(Rule::LineText, Severity::Note, None, None, message)
                });
            }
            _ => {}
        }
    }

    /// Whole entries in a broken line still count, since repairing the line brings them back.
    fn broken(
        &mut self,
        line: &Line<'_>,
        shown: &Shown<'_>,
        damage: &Damage,
        reading: &mut Reading<'_>,
    ) {
        let at_end = line.end == LineEnd::None && damage.pieces.is_empty();
        let severity = if at_end {
            Severity::Warning
        } else {
            Severity::Error
        };
        reading.sink.add(Rule::LineWhole, severity, || {
            let what = damage.why;
            let hint = match (at_end, damage.pieces.len()) {
                (true, _) => "its writer was cut off, or is not done".to_owned(),
                (_, 0) => "the CLI reads over it; drop it or restore it".to_owned(),
                (_, whole) => {
                    format!("the CLI reads over it; put the {whole} whole in it on own lines")
                }
            };
            let message = format!("the line is {what}: {hint}");
            shown.finding(Rule::LineWhole, severity, None, None, message)
        });
        for piece in &damage.pieces {
            let offset = line.offset + piece.start as u64;
            let shown = Shown::of(&line.raw[piece.clone()], offset, line.ordinal);
            if let Some(facts) = Facts::read(&shown.text) {
                halves(&shown, &facts, &mut reading.sink);
                self.entry(&facts, &shown, reading);
            }
        }
    }

    fn entry(&mut self, facts: &Facts<'_>, shown: &Shown<'_>, reading: &mut Reading<'_>) {
        self.entries += 1;
        let said = match (facts.kind, facts.dialect) {
            (Kind::User | Kind::Assistant, Dialect::Disk) => facts.said.as_ref(),
            _ => None,
        };
        for problem in examine(facts, said, reading.setting) {
            let (rule, severity) = (problem.rule, problem.severity);
            reading.sink.add(rule, severity, || {
                let uuid = facts.id(Member::Uuid).map(Cow::into_owned);
                shown.finding(rule, severity, Some(problem.at), uuid, problem.message)
            });
        }
        if is_in_chain(facts)
            && let Some(id) = facts.id(Member::Session)
            && reading.session.is_foreign(&id)
        {
            let rule = Rule::SessionConsistent;
            reading.sink.add(rule, rule.severity(), || {
                let uuid = facts.id(Member::Uuid).map(Cow::into_owned);
                let own = reading.session.own().unwrap_or_default();
                let message = format!(
                    "the line names session {id}, but the file is of session {own}: write the id of \
                     the file's session"
                );
                let at = facts.get(Member::Session);
                shown.finding(rule, rule.severity(), at, uuid, message)
            });
        }
        self.names(facts, shown, reading);
        if facts.dialect == Dialect::Stream {
            return;
        }
        if is_in_chain(facts) {
            let row = self.table.add(facts, said, shown.offset, shown.ordinal);
            if let Some(said) = said {
                self.pairs.add(row, said, |call| {
                    for wanted in reading.wanted {
                        wanted.seen(call);
                    }
                });
            }
            let marks = self.table.marks(row);
            if facts.kind == Kind::User {
                if marks.has(Marks::ABORTED) {
                    self.requests.settle_turn();
                }
                if marks.has(Marks::PROMPT) {
                    self.requests.prompt();
                }
            }
            if marks.has(Marks::BOUNDARY) {
                self.keep_preserved(facts);
            }
        }
        self.requests.add(facts, shown.offset, shown.ordinal);
    }

    /// The ids that a compaction says it kept.
    fn keep_preserved(&mut self, facts: &Facts<'_>) {
        let Some(metadata) = facts.get(Member::CompactMetadata).and_then(Members::read) else {
            return;
        };
        let mut keep = |id: Option<Cow<'_, str>>| {
            self.preserved.extend(id.map(|id| ids::number(&id)));
        };
        if let Some(segment) = metadata.object("preservedSegment") {
            // What they hang under now is the summary, which must be there.
            for name in ["headUuid", "tailUuid"] {
                keep(segment.string(name));
            }
        }
        if let Some(messages) = metadata.object("preservedMessages") {
            for name in ["uuids", "allUuids"] {
                for id in members::list(messages.get(name).unwrap_or("[]")) {
                    keep(members::string(id));
                }
            }
        }
    }

    /// Names that are not known here.
    fn names(&mut self, facts: &Facts<'_>, shown: &Shown<'_>, reading: &mut Reading<'_>) {
        if facts.dialect == Dialect::Stream || facts.kind.group() == KindGroup::Foreign {
            return;
        }
        if let Some(version) = facts.string(Member::Version)
            && version != self.version
        {
            self.version = version.into_owned();
        }
        let kind = facts.string(Member::Type).unwrap_or_default();
        let mut add = |what: DriftOf, name: &str, at: &str| {
            let line = shown.ordinal + 1;
            let new = reading.drift.add(what, &kind, name, &self.version, line);
            if new {
                reading.sink.add(Rule::Drift, Severity::Note, || {
                    let what = what.as_str();
                    let name: String = name.chars().take(80).collect();
                    let message = match what {
                        "kind" => format!("the kind {name:?} is not known here"),
                        _ => format!("the {what} {name:?} of {kind} is not known here"),
                    };
                    let uuid = facts.id(Member::Uuid).map(Cow::into_owned);
                    let part = Some(at).filter(|at| !at.is_empty());
                    shown.finding(Rule::Drift, Severity::Note, part, uuid, message)
                });
            }
        };
        if facts.kind == Kind::Unknown {
            if let Some(at) = facts.get(Member::Type) {
                add(DriftOf::Kind, &kind, at);
            }
            // Its members are new as a matter of course.
            return;
        }
        for (name, value) in &facts.unknown {
            add(DriftOf::Member, name, value);
        }
        if facts.kind == Kind::Attachment
            && let Some(at) = facts.get(Member::Attachment)
            && let Some(name) = attachment_type(at)
            && !is_known_attachment(name)
        {
            add(DriftOf::Attachment, name, at);
        }
        if let Some(at) = facts.get(Member::Subtype)
            && let Some(name) = members::string(at)
            && !knows_subtype(facts, &name)
        {
            add(DriftOf::Subtype, &name, at);
        }
    }
}

fn knows_subtype(facts: &Facts<'_>, name: &str) -> bool {
    match (facts.dialect, facts.kind) {
        (Dialect::Document, Kind::Assistant | Kind::System) => subtypes(facts.kind).contains(&name),
        (Dialect::Disk, Kind::System) => is_known_subtype(name),
        _ => true,
    }
}

/// What stands around and inside a line that should not, though it can be read.
fn around(shown: &Shown<'_>, facts: &Facts<'_>, sink: &mut Sink) {
    let uuid = || facts.id(Member::Uuid).map(Cow::into_owned);
    if let Cow::Owned(_) = shown.text {
        sink.add(Rule::LineText, Severity::Warning, || {
            let bad = shown.raw.utf8_chunks().next();
            let start = bad.as_ref().map_or(0, |chunk| chunk.valid().len());
            let length = bad.map_or(0, |chunk| chunk.invalid().len());
            let message = "the line has bytes that are not UTF-8: every reader shows something \
                           else in their place";
            let mut finding = shown.finding(
                Rule::LineText,
                Severity::Warning,
                None,
                uuid(),
                message.to_owned(),
            );
            finding.offset = shown.offset + start as u64;
            finding.length = length as u64;
            finding
        });
    }
    if has_more_than_space_around(shown.raw) {
        sink.add(Rule::LineText, Severity::Note, || {
            let message = "NUL bytes or a byte order mark stand around the line: they can go";
            shown.finding(
                Rule::LineText,
                Severity::Note,
                None,
                uuid(),
                message.to_owned(),
            )
        });
    }
}

/// Halves of characters, written as escapes. The CLI sends them as they are.
fn halves(shown: &Shown<'_>, facts: &Facts<'_>, sink: &mut Sink) {
    let rule = Rule::CharacterWhole;
    let sent = facts.half_sent.filter(|_| {
        let kind = facts.kind.group();
        kind == KindGroup::Chain && facts.dialect != Dialect::Stream
    });
    let (half, severity, why) = if let Some(half) = sent {
        let why = "the API refuses a request that has it";
        (half, rule.severity(), why)
    } else if let Some(half) = facts.half_sent.or(facts.half_kept) {
        (half, Severity::Warning, "strict readers refuse the line")
    } else {
        return;
    };
    sink.add(rule, severity, || {
        let uuid = facts.id(Member::Uuid).map(Cow::into_owned);
        let message = format!("{half} is half of a character: {why}; write \\ufffd in its place");
        shown.finding(rule, severity, Some(half), uuid, message)
    });
}
