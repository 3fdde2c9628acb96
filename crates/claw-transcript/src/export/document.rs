//! A session in the dialect of the message type specification.
//!
//! Every part of a message becomes a line of its own: a text, a thought, a call, a result. The
//! first of a line keeps its id, further ones get it with a number. Results hang under their
//! calls, all else under the line before it. The document has no place for more; what that costs
//! is counted.

use std::borrow::Cow;
use std::collections::HashMap;

use super::json::Object;
use super::losses::Losses;
use super::{Job, Step};
use crate::entry::{Entry, Kind, Part};
use crate::error::TranscriptError;
use crate::tree::{NodeId, NodeKind};

/// The members of a line that the document has a place for, under some name.
const KEPT: [&str; 20] = [
    "type",
    "uuid",
    "parentUuid",
    "timestamp",
    "sessionId",
    "message",
    "subtype",
    "isSidechain",
    "userType",
    "isMeta",
    "isError",
    "isAborted",
    "isDeleted",
    "isAbortedMidStream",
    "isApiErrorMessage",
    "content",
    "compactMetadata",
    "toolName",
    "toolArguments",
    "metadata",
];

pub(super) fn write(job: &mut Job<'_>, steps: &[Step]) -> Result<(), TranscriptError> {
    let mut writer = Writer::default();
    for line in job.tree.folded_at_start() {
        writer.losses.line(line.kind.as_str());
    }
    writer.steps(job, steps)?;
    for agent in job.outline.all_agents() {
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
    /// How many messages there are up to here.
    total: u64,
    losses: Losses,
}

impl Writer {
    fn steps(&mut self, job: &mut Job<'_>, steps: &[Step]) -> Result<(), TranscriptError> {
        let forks = job.outline.branches.iter().filter_map(|branch| branch.fork);
        let forks: std::collections::HashSet<NodeId> = forks.collect();
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
            if let Some(entry) = Entry::read(line) {
                deleted |= job.is_deleted(&entry);
                self.entry(job, id, kind, &entry);
            }
        }
        job.report.deleted += u64::from(deleted);
        self.buffers = buffers;
        Ok(())
    }

    fn entry(&mut self, job: &mut Job<'_>, id: NodeId, kind: NodeKind, entry: &Entry<'_>) {
        self.count_members(entry);
        let uuid = entry.uuid().unwrap_or_default().into_owned();
        let deleted = job.is_deleted(entry);
        let mut line = Line {
            entry,
            deleted,
            uuid: &uuid,
            pieces: 0,
        };
        if kind == NodeKind::Compaction {
            let metadata = compaction(job, id, self.total, entry);
            let said = entry.string("message");
            let said = said.unwrap_or(Cow::Borrowed("conversation_compacted"));
            line.write(job, &mut self.last, "compact_system", None, |object| {
                object.string("message", Some(said));
                if let Some(metadata) = &metadata {
                    object.raw("metadata", metadata);
                }
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
        for part in &parts {
            match part {
                Part::Text(text) => {
                    let subtype = match (speaker, flags.error, flags.meta) {
                        ("assistant", true, _) | ("system", true, _) => Some("error"),
                        ("assistant", ..) => Some("response"),
                        ("system", _, true) => Some("meta"),
                        _ => None,
                    };
                    line.write(job, &mut self.last, speaker, subtype, |object| {
                        object.string("message", Some(text.clone()));
                    });
                }
                Part::Thinking { text, redacted } => {
                    if *redacted {
                        self.losses.block("redacted_thinking");
                    }
                    if !job.export.thinking {
                        continue;
                    }
                    line.write(
                        job,
                        &mut self.last,
                        "assistant",
                        Some("thinking"),
                        |object| {
                            object.string("message", Some(text.clone()));
                        },
                    );
                }
                Part::Call {
                    id, name, input, ..
                } => {
                    let own = line.write(
                        job,
                        &mut self.last,
                        "assistant",
                        Some("tool_use"),
                        |object| {
                            object.string("toolName", Some(name.clone().unwrap_or_default()));
                            object.raw("toolArguments", input.unwrap_or("{}"));
                        },
                    );
                    if let Some(id) = id {
                        self.calls.insert(id.to_string(), own);
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
                    let own =
                        line.write(job, &mut parent, "system", Some("tool_result"), |object| {
                            object.string("message", Some(Cow::Borrowed(&text)));
                            if *is_error && !flags.error {
                                object.raw("isError", "true");
                            }
                        });
                    self.last = Some(own);
                }
                Part::Image { .. } => self.losses.block("image"),
                Part::Other { kind, .. } => self.losses.block(kind),
            }
        }
        if line.pieces == 0
            && !(parts
                .iter()
                .any(|part| matches!(part, Part::Thinking { .. })))
        {
            // Nothing of it can be said, but its id and its place are kept.
            line.write(job, &mut self.last, speaker, None, |_| {});
        }
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

    fn count_members(&mut self, entry: &Entry<'_>) {
        for (name, value) in entry.members() {
            let empty = matches!(value, "null" | "false" | "\"\"" | "[]" | "{}");
            if !KEPT.contains(&name) && !empty {
                self.losses.member(name);
            }
        }
        for (name, _) in entry.object("message").unwrap_or_default().iter() {
            if !matches!(name, "role" | "content" | "type") {
                self.losses.member(&format!("message.{name}"));
            }
        }
    }
}

/// A line of the disk that becomes one or more of the document.
struct Line<'l, 'e> {
    entry: &'l Entry<'e>,
    deleted: bool,
    uuid: &'l str,
    pieces: usize,
}

impl Line<'_, '_> {
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

/// What the document says about a compaction that is done.
fn compaction(job: &Job<'_>, id: NodeId, total: u64, entry: &Entry<'_>) -> Option<String> {
    if let Some(own) = entry.get("metadata") {
        return Some(own.to_owned());
    }
    let data = entry.object("compactMetadata")?;
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
    Some(metadata.to_string())
}
