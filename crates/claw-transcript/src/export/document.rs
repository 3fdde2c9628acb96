//! A session in the dialect of the message type specification.
//!
//! Every part of a message becomes a line of its own: a text, a thought, a call, a result. The
//! first of a line keeps its id, further ones get it with a number. Results hang under their
//! calls, all else under the line before it. The document has no place for more; what that costs
//! is counted.

mod copied;
mod counted;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::json::Object;
use super::losses::Losses;
use super::{Job, Step};
use crate::entry::{Dialect, Entry, Kind, Part};
use crate::error::TranscriptError;
use crate::tree::{NodeId, NodeKind};

/// What stands for what somebody hid.
const HIDDEN: &str = "[hidden]";

pub(super) fn write(job: &mut Job<'_>, steps: &[Step]) -> Result<(), TranscriptError> {
    if copied::is_of_the_dialect(job)? {
        return copied::write(job, steps);
    }
    let mut writer = Writer::default();
    let agents: Vec<usize> = job.outline.all_agents();
    writer.find_answers(job, steps)?;
    for agent in &agents {
        writer.find_answers(job, &job.outline.agent(*agent))?;
    }
    for line in job.tree.folded_at_start() {
        writer.losses.line(line.kind.as_str());
    }
    writer.steps(job, steps)?;
    for agent in agents {
        job.report.subagents += 1;
        writer.last = None;
        let steps = job.outline.agent(agent);
        writer.steps(job, &steps)?;
    }
    job.report.losses = writer.losses.list();
    Ok(())
}

#[derive(Default)]
struct Writer {
    buffers: Vec<Vec<u8>>,
    /// The id of the line that the next one hangs under.
    last: Option<String>,
    /// By fork: the id of its last line.
    forks: HashMap<NodeId, Option<String>>,
    /// By tool id: the line that calls it, until the result is there.
    calls: HashMap<String, String>,
    /// The hashes of the tool ids that have a result.
    answered: HashSet<u64>,
    /// How many messages there are up to here.
    total: u64,
    losses: Losses,
}

impl Writer {
    /// Which calls have a result: the others were stopped where the conversation goes on.
    fn find_answers(&mut self, job: &mut Job<'_>, steps: &[Step]) -> Result<(), TranscriptError> {
        for step in steps {
            let Step::Node(id) = step else { continue };
            if job.tree.node(*id).kind() != NodeKind::Results {
                continue;
            }
            for line in job.source.lines(job.tree, *id, &mut self.buffers)? {
                let entry = Entry::read(line);
                for part in entry.iter().flat_map(Entry::parts) {
                    if let Part::Answer {
                        call: Some(call), ..
                    } = part
                    {
                        self.answered.insert(hash(&call));
                    }
                }
            }
        }
        Ok(())
    }

    fn steps(&mut self, job: &mut Job<'_>, steps: &[Step]) -> Result<(), TranscriptError> {
        let forks = job.outline.branches.iter().filter_map(|branch| branch.fork);
        let forks: HashSet<NodeId> = forks.collect();
        let mut left = Vec::new();
        for step in steps {
            match step {
                Step::Open(at) => {
                    job.report.branches += 1;
                    left.push(self.last.take());
                    let fork = job.outline.branches[*at].fork;
                    self.last = fork.and_then(|fork| self.forks.get(&fork).cloned().flatten());
                }
                Step::Close => self.last = left.pop().flatten(),
                Step::Node(id) => {
                    self.node(job, *id)?;
                    if forks.contains(id) {
                        self.forks.insert(*id, self.last.clone());
                    }
                    job.out.flush()?;
                }
            }
        }
        Ok(())
    }

    fn node(&mut self, job: &mut Job<'_>, id: NodeId) -> Result<(), TranscriptError> {
        let kind = job.tree.node(id).kind();
        for line in job.tree.folded(id) {
            self.losses.line(line.kind.as_str());
        }
        let mut buffers = std::mem::take(&mut self.buffers);
        let lines = job.source.lines(job.tree, id, &mut buffers)?;
        job.report.messages += 1;
        self.total += 1;
        let mut deleted = false;
        for line in lines {
            let Some(entry) = Entry::read(line) else {
                continue;
            };
            deleted |= job.is_deleted(&entry);
            if entry.dialect() == Dialect::Document && !job.is_marked(&entry) {
                job.out.buffer.extend_from_slice(entry.text().as_bytes());
                job.out.buffer.push(b'\n');
                self.last = entry.uuid().map(|uuid| uuid.into_owned());
                continue;
            }
            self.entry(job, id, kind, &entry);
        }
        job.report.deleted += u64::from(deleted);
        self.buffers = buffers;
        Ok(())
    }

    fn entry(&mut self, job: &mut Job<'_>, id: NodeId, kind: NodeKind, entry: &Entry<'_>) {
        counted::members(entry, &mut self.losses);
        let uuid = entry.uuid().unwrap_or_default().into_owned();
        let mut line = Line {
            entry,
            deleted: job.is_deleted(entry),
            hidden: job.is_marked(entry) && !job.export.deleted_text,
            uuid: &uuid,
            pieces: 0,
        };
        if kind == NodeKind::Compaction {
            let metadata = compaction(job, id, self.total, entry);
            line.write(job, &mut self.last, "compact_system", None, |object| {
                object.string("message", Some("conversation_compacted".into()));
                object.raw("metadata", &metadata);
            });
            return;
        }
        let attachment = entry.object("attachment").unwrap_or_default();
        let parts = if entry.kind() == Kind::Attachment {
            Part::of_content(attachment.get("prompt").unwrap_or_default())
        } else {
            entry.parts()
        };
        let flags = entry.flags();
        let speaker = match entry.kind() {
            Kind::Assistant => "assistant",
            Kind::System => "system",
            _ => "user",
        };
        let subtype = match (speaker, flags.error, flags.meta) {
            ("assistant" | "system", true, _) => Some("error"),
            ("assistant", ..) => Some("response"),
            ("system", _, true) => Some("meta"),
            _ => None,
        };
        // What there is no place for, by name.
        let mut nameless = String::new();
        let mut thoughts = false;
        for part in &parts {
            match part {
                Part::Text(text) => {
                    line.say(job, &mut self.last, speaker, subtype, text);
                }
                Part::Thinking { text, redacted } => {
                    thoughts = true;
                    if *redacted {
                        self.losses.block("redacted_thinking");
                    }
                    if job.export.thinking {
                        line.say(job, &mut self.last, "assistant", Some("thinking"), text);
                    }
                }
                Part::Call {
                    id: tool,
                    name,
                    input,
                    ..
                } => {
                    let answered = tool.as_deref().is_some_and(|tool| self.is_answered(tool));
                    let stopped = !answered && !job.tree.children(id).is_empty();
                    let own = line.call(job, &mut self.last, name.as_deref(), *input, stopped);
                    if let Some(tool) = tool {
                        self.calls.insert(tool.to_string(), own);
                    }
                }
                Part::Answer {
                    call,
                    content,
                    is_error,
                    ..
                } => {
                    let text = self.answer_text(content.unwrap_or("\"\""));
                    let known = call
                        .as_deref()
                        .and_then(|call| self.calls.get(call).cloned());
                    let mut parent = known.or_else(|| self.last.clone());
                    let text = line.shown(&text).to_owned();
                    let own =
                        line.write(job, &mut parent, "system", Some("tool_result"), |object| {
                            object.string("message", Some(Cow::Borrowed(&text)));
                            if *is_error && !flags.error {
                                object.raw("isError", "true");
                            }
                        });
                    self.last = Some(own);
                }
                Part::Image { .. } => {
                    self.losses.block("image");
                    nameless.push_str("[picture]");
                }
                Part::Other { kind, .. } => {
                    self.losses.block(kind);
                    nameless.push_str(&format!("[{kind}]"));
                }
            }
        }
        if line.pieces == 0 && !thoughts {
            // Nothing of it can be said, but its id and its place are kept.
            let text = if nameless.is_empty() {
                what_happened(entry)
            } else {
                nameless
            };
            line.say(job, &mut self.last, speaker, subtype, &text);
        }
    }

    fn is_answered(&self, tool: &str) -> bool {
        self.answered.contains(&hash(tool))
    }

    /// What a tool returned, as text.
    fn answer_text(&mut self, content: &str) -> String {
        let mut text = String::new();
        for part in Part::of_content(content) {
            match part {
                Part::Text(part) => {
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    text.push_str(&part);
                }
                Part::Image { .. } => self.losses.block("image"),
                Part::Other { kind, .. } => self.losses.block(&kind),
                _ => self.losses.block("nested"),
            }
        }
        text
    }
}

/// A line of the disk that becomes one or more of the document.
struct Line<'l, 'e> {
    entry: &'l Entry<'e>,
    deleted: bool,
    /// Whether what was said is not written either.
    hidden: bool,
    uuid: &'l str,
    pieces: usize,
}

impl Line<'_, '_> {
    /// What may be said.
    fn shown<'t>(&self, text: &'t str) -> &'t str {
        if self.hidden { HIDDEN } else { text }
    }

    /// A piece that is a text.
    fn say(
        &mut self,
        job: &mut Job<'_>,
        last: &mut Option<String>,
        kind: &str,
        subtype: Option<&str>,
        text: &str,
    ) {
        let text = self.shown(text);
        self.write(job, last, kind, subtype, |object| {
            object.string("message", Some(Cow::Borrowed(text)));
        });
    }

    /// A piece that is a call; `stopped` when the conversation goes on without its result.
    fn call(
        &mut self,
        job: &mut Job<'_>,
        last: &mut Option<String>,
        name: Option<&str>,
        input: Option<&str>,
        stopped: bool,
    ) -> String {
        let name = self.shown(name.filter(|name| !name.is_empty()).unwrap_or("unknown"));
        let input = input.filter(|input| input.starts_with('{') && !self.hidden);
        let stopped = stopped && !self.entry.flags().aborted;
        self.write(job, last, "assistant", Some("tool_use"), |object| {
            object.string("toolName", Some(Cow::Borrowed(name)));
            object.raw("toolArguments", input.unwrap_or("{}"));
            if stopped {
                object.raw("isAborted", "true");
            }
        })
    }

    /// Writes a piece of it; gives its id, and makes it what the next one hangs under.
    fn write(
        &mut self,
        job: &mut Job<'_>,
        parent: &mut Option<String>,
        kind: &str,
        subtype: Option<&str>,
        members: impl FnOnce(&mut Object<'_>),
    ) -> String {
        self.pieces += 1;
        let own = match self.pieces {
            1 => self.uuid.to_owned(),
            piece => format!("{}#{piece}", self.uuid),
        };
        let flags = self.entry.flags();
        let out = &mut job.out.buffer;
        out.push(b'{');
        let mut object = Object { out, first: true };
        object.string("type", Some(kind.into()));
        object.string("uuid", Some(Cow::Borrowed(&own)));
        match parent {
            Some(parent) => object.string("parentUuid", Some(Cow::Borrowed(parent))),
            None => object.raw("parentUuid", "null"),
        }
        object.string(
            "timestamp",
            Some(self.entry.timestamp().unwrap_or_default()),
        );
        object.string("sessionId", Some(self.entry.session().unwrap_or_default()));
        object.string("subtype", subtype.map(Into::into));
        members(&mut object);
        if flags.sidechain && kind == "user" {
            object.raw("userType", "\"external\"");
        }
        for (name, set) in [
            ("isSidechain", flags.sidechain),
            ("isMeta", flags.meta),
            ("isError", flags.error),
            ("isAborted", flags.aborted),
            ("isDeleted", self.deleted),
        ] {
            if set {
                object.raw(name, "true");
            }
        }
        out.extend_from_slice(b"}\n");
        *parent = Some(own.clone());
        own
    }
}

/// A tool id as a few bytes.
fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// What a line without a text is about.
fn what_happened(entry: &Entry<'_>) -> String {
    let error = entry.object("error").unwrap_or_default();
    let said = error
        .string("formatted")
        .or_else(|| error.string("message"));
    match (said, entry.subtype()) {
        (Some(said), _) => said.into_owned(),
        (None, Some(subtype)) => format!("[{}]", subtype.replace('_', " ")),
        (None, None) => "[nothing]".to_owned(),
    }
}

/// What the document says about a compaction that is done.
fn compaction(job: &Job<'_>, id: NodeId, total: u64, entry: &Entry<'_>) -> String {
    let data = entry.object("compactMetadata").unwrap_or_default();
    let number = |name| data.get(name).and_then(|n: &str| n.parse::<f64>().ok());
    let ratio = match (number("preTokens"), number("postTokens")) {
        (Some(before), Some(after)) if before > 0.0 => after / before,
        _ => 0.0,
    };
    let metadata = serde_json::json!({
        "preservedMessages": job.tree.kept(id).len(),
        "totalMessages": total,
        "compressionRatio": (ratio * 1000.0).round() / 1000.0,
    });
    metadata.to_string()
}
