//! Checks one file in one pass.

use std::collections::HashSet;

use super::chain::{self, Pending, Whole};
use super::common::{OneSession, is_in_chain};
use super::examine::disk::attachment_type;
use super::examine::examine;
use super::known_names::{ATTACHMENTS, SUBTYPES};
use super::line_text;
use super::pairing::Pairs;
use super::report::{Finding, Sink};
use super::reporter::{Reporter, SourceLine};
use super::requests::Requests;
use super::rule::{Rule, Severity};
use super::table::{Marks, Table};
use super::unknown_names::{Drift, DriftOf};
use crate::entry::{Body, Damage, Dialect, Kind, KindGroup};
use crate::facts::{Facts, Member};
use crate::files::{FileRole, SessionFile};
use crate::id_hash;
use crate::lines::{Line, LineEnd, ReusedLines};
use crate::members;
use crate::not_a_session;

/// The result of a pass over a file.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) sink: Sink,
    pub(super) drift: Drift,
    /// Names to search in other files.
    pub(super) pending: Vec<Pending>,
    /// Those of the wanted calls that are in the file, by hash.
    pub(super) called: Vec<u64>,
    pub(super) lines: u64,
    pub(super) bytes: u64,
}

/// The state while a file is read.
#[derive(Debug)]
struct Scan<'r> {
    agent: Option<&'r str>,
    wanted: &'r HashSet<u64>,
    called: Vec<u64>,
    sink: Sink,
    drift: Drift,
    session: OneSession,
    table: Table,
    pairs: Pairs,
    requests: Requests,
    preserved: HashSet<u64>,
    version: String,
    /// Number of lines, or salvaged parts of broken lines, that are JSON objects.
    entries: u64,
}

/// Checks a file. `wanted` has the hashes of the calls to search, and `limit` is the number of
/// findings to list for each rule.
pub(super) fn scan(
    file: &SessionFile,
    buffer: &mut ReusedLines,
    wanted: &HashSet<u64>,
    limit: usize,
) -> Outcome {
    let agent = match &file.role {
        FileRole::Agent { agent_id } => Some(agent_id.as_str()),
        _ => None,
    };
    let mut scan = Scan {
        agent,
        wanted,
        called: Vec::new(),
        sink: Sink::new(limit),
        drift: Drift::default(),
        session: OneSession::of_file(file.session_id.as_deref()),
        table: Table::default(),
        pairs: Pairs::default(),
        requests: Requests::default(),
        preserved: HashSet::new(),
        version: String::new(),
        entries: 0,
    };
    let (mut lines, mut bytes) = (0, 0);
    let read = buffer.open(&file.path).and_then(|reader| {
        while let Some(line) = reader.next_line()? {
            lines += 1;
            bytes += line.len_with_end();
            scan.line(&line);
        }
        Ok(())
    });
    let of_file = |rule: Rule, line: u64, (offset, length): (u64, u64), message: String| Finding {
        rule,
        severity: Severity::Error,
        line,
        offset,
        length,
        uuid: None,
        message,
    };
    let holds_lines = matches!(file.role, FileRole::Main | FileRole::Agent { .. });
    if let Err(error) = read {
        scan.sink.add((Rule::FileReadable, Severity::Error), || {
            let message = format!("the file cannot be read ({error}): check its permissions");
            of_file(Rule::FileReadable, lines + 1, (bytes, 0), message)
        });
    } else if scan.entries == 0 && holds_lines {
        // Findings of single lines add nothing to this one, so they are dropped.
        scan.sink = Sink::new(limit);
        scan.sink.add((Rule::FileSession, Severity::Error), || {
            let (what, hint) = not_a_session::kind_of(&file.path);
            let message = format!("the file is not a session, but {what}: {hint}");
            of_file(Rule::FileSession, 1, (0, bytes), message)
        });
    }
    let mut report = Reporter::new(&file.path, scan.sink);
    let whole = Whole {
        preserved: &scan.preserved,
        of_agent: agent.is_some(),
    };
    let mut pending = chain::check(&mut scan.table, &whole, &mut report);
    scan.pairs.check(&scan.table, &mut report);
    pending.extend(scan.requests.check(&mut report));
    Outcome {
        sink: report.sink,
        drift: scan.drift,
        pending,
        called: scan.called,
        lines,
        bytes,
    }
}

impl Scan<'_> {
    fn line(&mut self, line: &Line<'_>) {
        let shown = SourceLine::of(line.raw, (line.offset, line.ordinal));
        if let Some(facts) = Facts::read(&shown.text) {
            line_text::bytes(&shown, &facts, &mut self.sink);
            self.entry(&facts, &shown);
            return;
        }
        match line.body() {
            Body::Broken(damage) => self.broken(line, &shown, &damage),
            Body::Blank if !line.raw.is_empty() => {
                let how = (Rule::LineText, Severity::Note);
                let message = "a line of nothing but NUL bytes or white space, as a crash leaves \
                               it: it can go";
                self.sink
                    .add(how, || shown.finding(how, None, None, message));
            }
            _ => {}
        }
    }

    /// Whole entries in a broken line still count, since repairing the line brings them back.
    fn broken(&mut self, line: &Line<'_>, shown: &SourceLine<'_>, damage: &Damage) {
        let at_end = line.end == LineEnd::None && damage.pieces.is_empty();
        let severity = Severity::Error.lowered_if(at_end, Severity::Warning);
        let how = (Rule::LineWhole, severity);
        self.sink.add(how, || {
            let what = damage.why;
            let hint = match (at_end, damage.pieces.len()) {
                (true, _) => "its writer was cut off, or is not done".to_owned(),
                (_, 0) => "the CLI reads over it; drop it or restore it".to_owned(),
                (_, whole) => {
                    format!("the CLI reads over it; put the {whole} whole in it on own lines")
                }
            };
            shown.finding(how, None, None, format!("the line is {what}: {hint}"))
        });
        for piece in &damage.pieces {
            let position = (line.offset + piece.start as u64, line.ordinal);
            let shown = SourceLine::of(&line.raw[piece.clone()], position);
            if let Some(facts) = Facts::read(&shown.text) {
                self.entry(&facts, &shown);
            }
        }
    }

    fn entry(&mut self, facts: &Facts<'_>, shown: &SourceLine<'_>) {
        self.entries += 1;
        line_text::lone_surrogates(shown, facts, &mut self.sink);
        let message = facts.api_message();
        for problem in examine(facts, message, self.agent) {
            self.sink.add(problem.how, || {
                shown.finding(problem.how, Some(facts), Some(problem.at), problem.message)
            });
        }
        let in_chain = is_in_chain(facts);
        if in_chain
            && let Some(id) = facts.id(Member::Session)
            && self.session.is_foreign(&id)
        {
            let how = (Rule::SessionConsistent, Severity::Warning);
            self.sink.add(how, || {
                let own = self.session.own().unwrap_or_default();
                let message = format!(
                    "the line names session {id}, but the file is of session {own}: write the id of \
                     the file's session"
                );
                shown.finding(how, Some(facts), facts.get(Member::Session), message)
            });
        }
        self.names(facts, shown);
        if facts.dialect == Dialect::Stream {
            return;
        }
        if in_chain {
            let row = self.table.add(facts, message, shown.position);
            if let Some(message) = message {
                self.pairs.add(row, message, |call| {
                    self.called.extend(self.wanted.get(&call));
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
        self.requests.add(facts, shown.position);
    }

    /// Collects the ids that a compaction kept.
    fn keep_preserved(&mut self, facts: &Facts<'_>) {
        let metadata = facts.object(Member::CompactMetadata).unwrap_or_default();
        let messages = metadata.object("preservedMessages").unwrap_or_default();
        let segment = metadata.object("preservedSegment").unwrap_or_default();
        let lists = ["uuids", "allUuids"].map(|name| messages.get(name).unwrap_or_default());
        let listed = lists.into_iter().flat_map(members::list);
        // Not `anchorUuid`, the new parent: that is the summary, which must exist.
        let ends = ["headUuid", "tailUuid"].map(|name| segment.get(name));
        let ids = listed.chain(ends.into_iter().flatten());
        let ids = ids.filter_map(members::string);
        self.preserved.extend(ids.map(|id| id_hash::hash(&id)));
    }

    /// Reports unknown names.
    fn names(&mut self, facts: &Facts<'_>, shown: &SourceLine<'_>) {
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
            let line = shown.position.1 + 1;
            if self.drift.add(what, &kind, name, &self.version, line) {
                let how = (Rule::Drift, Severity::Note);
                self.sink.add(how, || {
                    let name: String = name.chars().take(80).collect();
                    let message = match what {
                        DriftOf::Kind => format!("the kind {name:?} is not known here"),
                        _ => format!("the {} {name:?} of {kind} is not known here", what.as_str()),
                    };
                    let part = Some(at).filter(|at| !at.is_empty());
                    shown.finding(how, Some(facts), part, message)
                });
            }
        };
        if facts.kind == Kind::Unknown {
            if let Some(at) = facts.get(Member::Type) {
                add(DriftOf::Kind, &kind, at);
            }
            // All members of an unknown kind are unknown.
            return;
        }
        for (name, value) in &facts.unknown {
            add(DriftOf::Member, name, value);
        }
        if facts.kind == Kind::Attachment
            && let Some(at) = facts.get(Member::Attachment)
            && let Some(name) = attachment_type(at)
            && !ATTACHMENTS.contains(name)
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
        (Dialect::Document, Kind::Assistant | Kind::System) => {
            Dialect::document_subtypes(facts.kind).contains(&name)
        }
        (Dialect::Disk, Kind::System) => SUBTYPES.contains(name),
        _ => true,
    }
}
