//! A session in the dialect of the message type specification.
//!
//! Every part of a message becomes a line: a text, a thought, a call, a result. The first part of a
//! line keeps its id, further ones get a numbered one. The parent of a result is its call, the
//! parent of any other line is the line before it. What the dialect cannot represent is counted.

mod copied;
mod lost_members;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::job::Job;
use super::losses::Losses;
use super::metadata::session_of;
use super::object::{Object, write_object};
use super::outline::Step;
use super::soft_deletes::HIDDEN;
use super::user_text::{error_text, parts};
use crate::entry::{Dialect, Flags, Kind, Part};
use crate::error::TranscriptError;
use crate::facts::{Facts, Member};
use crate::id_hash::hash;
use crate::tree::{NodeId, NodeKind};

pub(super) fn write(job: &mut Job<'_>, steps: &[Step]) -> Result<(), TranscriptError> {
    if copied::is_in_dialect(job)? {
        return copied::write(job, steps);
    }
    let steps = job.outline.with_agents(steps);
    let mut writer = Writer {
        answered: answered(job, &steps)?,
        last: None,
        calls: HashMap::new(),
        losses: Losses::default(),
        job,
    };
    for line in writer.job.tree.folded_at_start() {
        writer.losses.add("line", line.kind.as_str(), 1);
    }
    writer.steps(&steps)?;
    job.report.losses = writer.losses.list();
    Ok(())
}

/// The hashes of the tool ids that have a result. Other calls were stopped if the conversation
/// continues.
fn answered(job: &mut Job<'_>, steps: &[Step]) -> Result<HashSet<u64>, TranscriptError> {
    let mut answered = HashSet::new();
    for id in steps.iter().filter_map(Step::node) {
        if job.tree.node(id).kind() != NodeKind::Results {
            continue;
        }
        let texts = job.texts(id)?;
        let lines = texts.iter().filter_map(|text| Facts::read(text));
        answered.extend(
            lines
                .flat_map(|line| line.parts())
                .filter_map(|part| match part {
                    Part::Answer { call, .. } => Some(hash(&call?)),
                    _ => None,
                }),
        );
    }
    Ok(answered)
}

type LineType = (&'static str, Option<&'static str>);

struct Writer<'j, 'a> {
    job: &'j mut Job<'a>,
    /// The id of the last line, which is the parent of the next one.
    last: Option<String>,
    /// The lines of calls, by tool id.
    calls: HashMap<String, String>,
    answered: HashSet<u64>,
    losses: Losses,
}

impl Writer<'_, '_> {
    fn steps(&mut self, steps: &[Step]) -> Result<(), TranscriptError> {
        let mut outer = Vec::new();
        for step in steps {
            match step {
                // A branch follows the message that it forks from, if there is one.
                Step::Open(at) => {
                    self.job.report.branches += 1;
                    outer.push(self.last.clone());
                    let is_forked = self.job.outline.branches[*at].fork.is_some();
                    self.last = self.last.take().filter(|_| is_forked);
                }
                Step::Close => self.last = outer.pop().flatten(),
                Step::Agent => {
                    self.job.report.subagents += 1;
                    self.last = None;
                }
                Step::Node(id) => {
                    self.node(*id)?;
                    self.job.flush()?;
                }
            }
        }
        Ok(())
    }

    fn node(&mut self, id: NodeId) -> Result<(), TranscriptError> {
        for line in self.job.tree.folded(id) {
            self.losses.add("line", line.kind.as_str(), 1);
        }
        let texts = self.job.texts(id)?;
        self.job.report.messages += 1;
        let mut is_deleted = false;
        for line in texts.iter().filter_map(|text| Facts::read(text)) {
            is_deleted |= self.job.is_deleted(&line);
            if line.dialect == Dialect::Document && !self.job.is_marked(&line) {
                self.job.put_line(line.text);
                self.last = line.id(Member::Uuid).map(Cow::into_owned);
            } else {
                self.line(id, &line);
            }
        }
        self.job.report.deleted += u64::from(is_deleted);
        Ok(())
    }

    /// Writes the parts of a line of the disk.
    fn line(&mut self, id: NodeId, line: &Facts<'_>) {
        lost_members::count(line, &mut self.losses);
        let flags = line.flags();
        let mut source = Source {
            line,
            flags,
            is_deleted: self.job.is_deleted(line),
            is_hidden: self.job.is_marked(line) && !self.job.options.deleted_text,
            written: 0,
        };
        if self.job.tree.node(id).kind() == NodeKind::Compaction {
            let metadata = compaction(self.job, id, line);
            self.write(&mut source, ("compact_system", None), |object| {
                object.string("message", Some("conversation_compacted"));
                object.raw("metadata", &metadata);
            });
            return;
        }
        let line_type = match line.kind {
            Kind::Assistant if flags.error => ("assistant", Some("error")),
            Kind::Assistant => ("assistant", Some("response")),
            Kind::System if flags.error => ("system", Some("error")),
            Kind::System if flags.meta => ("system", Some("meta")),
            Kind::System => ("system", None),
            _ => ("user", None),
        };
        // The names of blocks that are lost.
        let mut lost = String::new();
        let mut is_thinking = false;
        for part in &parts(line) {
            match part {
                Part::Text(text) => self.text(&mut source, line_type, text),
                Part::Thinking { text, redacted } => {
                    is_thinking = true;
                    if *redacted {
                        self.losses.add("block", "redacted_thinking", 1);
                    }
                    if self.job.options.thinking {
                        self.text(&mut source, ("assistant", Some("thinking")), text);
                    }
                }
                Part::Call {
                    id: tool,
                    name,
                    input,
                    ..
                } => {
                    let name = name.as_deref().filter(|name| !name.is_empty());
                    let name = source.shown(name.unwrap_or("unknown"));
                    let input = input.filter(|input| input.starts_with('{') && !source.is_hidden);
                    let is_answered = |tool: &str| self.answered.contains(&hash(tool));
                    let is_stopped = !tool.as_deref().is_some_and(is_answered)
                        && !self.job.tree.children(id).is_empty()
                        && !flags.aborted;
                    self.write(&mut source, ("assistant", Some("tool_use")), |object| {
                        object.string("toolName", Some(name));
                        object.raw("toolArguments", input.unwrap_or("{}"));
                        object.flag("isAborted", is_stopped);
                    });
                    if let (Some(tool), Some(own)) = (tool, &self.last) {
                        self.calls.insert(tool.to_string(), own.clone());
                    }
                }
                Part::Answer {
                    call,
                    content,
                    is_error,
                    ..
                } => {
                    let text = self.answer_text(content.unwrap_or("\"\""));
                    let text = source.shown(&text);
                    let call = call.as_deref().and_then(|call| self.calls.get(call));
                    self.last = call.cloned().or(self.last.take());
                    self.write(&mut source, ("system", Some("tool_result")), |object| {
                        object.string("message", Some(text));
                        object.flag("isError", *is_error && !flags.error);
                    });
                }
                Part::Image { .. } => {
                    self.losses.add("block", "image", 1);
                    lost.push_str("[picture]");
                }
                Part::Other { kind, .. } => {
                    self.losses.add("block", kind, 1);
                    lost.push_str(&format!("[{kind}]"));
                }
            }
        }
        if source.written == 0 && !is_thinking {
            if lost.is_empty() {
                lost = describe(line);
            }
            self.text(&mut source, line_type, &lost);
        }
    }

    fn answer_text(&mut self, content: &str) -> String {
        let mut texts = Vec::new();
        for part in Part::of_content(content) {
            match part {
                Part::Text(text) => texts.push(text),
                Part::Image { .. } => self.losses.add("block", "image", 1),
                Part::Other { kind, .. } => self.losses.add("block", &kind, 1),
                _ => self.losses.add("block", "nested", 1),
            }
        }
        texts.join("\n")
    }

    fn text(&mut self, source: &mut Source<'_, '_>, line_type: LineType, text: &str) {
        let text = source.shown(text);
        self.write(source, line_type, |object| {
            object.string("message", Some(text));
        });
    }

    /// Writes a line under the last one.
    fn write(
        &mut self,
        source: &mut Source<'_, '_>,
        (kind, subtype): LineType,
        members: impl FnOnce(&mut Object<'_>),
    ) {
        source.written += 1;
        let (line, flags) = (source.line, source.flags);
        let mut id = line.id(Member::Uuid).unwrap_or_default().into_owned();
        if source.written > 1 {
            id = format!("{id}#{}", source.written);
        }
        write_object(&mut self.job.buffer, |object| {
            object.string("type", Some(kind));
            object.string("uuid", Some(&id));
            object.string_or_null("parentUuid", self.last.as_deref());
            let time = line.id(Member::Timestamp);
            object.string("timestamp", Some(time.unwrap_or_default()));
            object.string("sessionId", Some(session_of(line).unwrap_or_default()));
            object.string("subtype", subtype);
            members(object);
            if flags.sidechain && kind == "user" {
                object.string("userType", Some("external"));
            }
            object.flag("isSidechain", flags.sidechain);
            object.flag("isMeta", flags.meta);
            object.flag("isError", flags.error);
            object.flag("isAborted", flags.aborted);
            object.flag("isDeleted", source.is_deleted);
        });
        self.job.buffer.push(b'\n');
        self.last = Some(id);
    }
}

/// A line of the disk that becomes one or more lines of the document.
struct Source<'l, 'e> {
    line: &'l Facts<'e>,
    flags: Flags,
    is_deleted: bool,
    /// Whether the text is excluded too.
    is_hidden: bool,
    /// The number of lines of the document.
    written: usize,
}

impl Source<'_, '_> {
    /// The text, or the placeholder of hidden texts.
    fn shown<'t>(&self, text: &'t str) -> &'t str {
        if self.is_hidden { HIDDEN } else { text }
    }
}

/// Describes a line without text.
fn describe(line: &Facts<'_>) -> String {
    match (error_text(line), line.id(Member::Subtype)) {
        (Some(error), _) => error,
        (None, Some(subtype)) => format!("[{}]", subtype.replace('_', " ")),
        (None, None) => "[nothing]".to_owned(),
    }
}

/// The document's metadata of a compaction.
fn compaction(job: &Job<'_>, id: NodeId, line: &Facts<'_>) -> String {
    let data = line.object(Member::CompactMetadata).unwrap_or_default();
    let number = |name| data.get(name).and_then(|n: &str| n.parse::<f64>().ok());
    let ratio = match (number("preTokens"), number("postTokens")) {
        (Some(before), Some(after)) if before > 0.0 => after / before,
        _ => 0.0,
    };
    let metadata = serde_json::json!({
        "preservedMessages": job.tree.kept(id).len(),
        "totalMessages": job.report.messages,
        "compressionRatio": (ratio * 1000.0).round() / 1000.0,
    });
    metadata.to_string()
}
