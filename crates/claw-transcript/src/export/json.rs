//! A session for other programs: one model for all dialects.

use super::{Job, Step};
use crate::entry::{Entry, Flags, Part};
use crate::error::TranscriptError;
use crate::tree::NodeId;

/// A list of messages. Arguments and results of tools stay the JSON that they are in the file.
pub(super) fn write(job: &mut Job<'_>, steps: &[Step]) -> Result<(), TranscriptError> {
    job.out.buffer.push(b'[');
    let mut list = List {
        first: true,
        buffers: Vec::new(),
    };
    list.steps(job, steps, None)?;
    for agent in job.outline.all_agents() {
        job.report.subagents += 1;
        let steps = job.outline.agent(agent);
        list.steps(job, &steps, Some(agent))?;
    }
    job.out.buffer.extend_from_slice(b"\n]\n");
    Ok(())
}

struct List {
    first: bool,
    buffers: Vec<Vec<u8>>,
}

impl List {
    fn steps(
        &mut self,
        job: &mut Job<'_>,
        steps: &[Step],
        agent: Option<usize>,
    ) -> Result<(), TranscriptError> {
        // Branches that were left, the innermost last.
        let mut left = Vec::new();
        for step in steps {
            match step {
                Step::Open(branch) => left.push(*branch),
                Step::Close => drop(left.pop()),
                Step::Node(id) => {
                    let branch = left.last().copied();
                    self.node(job, *id, branch, agent)?;
                    job.out.flush()?;
                }
            }
        }
        Ok(())
    }

    fn node(
        &mut self,
        job: &mut Job<'_>,
        id: NodeId,
        branch: Option<usize>,
        agent: Option<usize>,
    ) -> Result<(), TranscriptError> {
        let lines = job.source.lines(job.tree, id, &mut self.buffers)?;
        let entries: Vec<Entry<'_>> = lines.iter().filter_map(|line| Entry::read(line)).collect();
        let kept: Vec<&Entry<'_>> = entries
            .iter()
            .filter(|entry| !job.is_deleted(entry))
            .collect();
        let Some(first) = kept.first() else {
            job.report.deleted += u64::from(!entries.is_empty());
            return Ok(());
        };
        job.report.messages += 1;
        let node = job.tree.node(id);
        let out = &mut job.out.buffer;
        out.extend_from_slice(if std::mem::take(&mut self.first) {
            b"\n{"
        } else {
            b",\n{"
        });
        let mut object = Object { out, first: true };
        object.string("id", first.uuid());
        object.string("kind", Some(node.kind().as_str().into()));
        object.string("time", first.timestamp());
        object.string("session", first.session());
        object.string("model", first.model().map(Into::into));
        object.string("cwd", first.cwd());
        if node.is_live() {
            object.raw("live", "true");
        }
        if let Some(branch) = branch {
            object.raw("branch", &branch.to_string());
        }
        let chain = agent.and_then(|agent| job.tree.sidechains().get(agent));
        object.string(
            "agent",
            chain.and_then(|chain| chain.agent_id()).map(Into::into),
        );
        for (name, set) in names(first.flags()) {
            if set {
                object.raw(name, "true");
            }
        }
        object.name("parts");
        out.push(b'[');
        let mut separator: &[u8] = b"";
        for entry in &kept {
            for part in entry.parts() {
                if matches!(part, Part::Thinking { .. }) && !job.export.thinking {
                    continue;
                }
                out.extend_from_slice(separator);
                separator = b",";
                self::part(&part, out);
            }
        }
        out.extend_from_slice(b"]}");
        Ok(())
    }
}

fn names(flags: Flags) -> [(&'static str, bool); 6] {
    [
        ("sidechain", flags.sidechain),
        ("meta", flags.meta),
        ("error", flags.error),
        ("aborted", flags.aborted),
        ("summary", flags.compact_summary),
        ("synthetic", flags.synthetic),
    ]
}

fn part(part: &Part<'_>, out: &mut Vec<u8>) {
    out.push(b'{');
    let mut object = Object { out, first: true };
    match part {
        Part::Text(text) => {
            object.raw("type", "\"text\"");
            object.string("text", Some(text.clone()));
        }
        Part::Thinking { text, redacted } => {
            object.raw("type", "\"thinking\"");
            object.string("text", Some(text.clone()));
            if *redacted {
                object.raw("redacted", "true");
            }
        }
        Part::Call {
            id, name, input, ..
        } => {
            object.raw("type", "\"call\"");
            object.string("call", id.clone());
            object.string("name", name.clone());
            object.raw("input", input.unwrap_or("null"));
        }
        Part::Answer {
            call,
            content,
            is_error,
            structured,
        } => {
            object.raw("type", "\"answer\"");
            object.string("call", call.clone());
            object.raw("content", content.unwrap_or("null"));
            if *is_error {
                object.raw("error", "true");
            }
            if let Some(structured) = structured {
                object.raw("structured", structured);
            }
        }
        Part::Image { media_type, data } => {
            object.raw("type", "\"image\"");
            object.string("media_type", media_type.clone());
            object.string("data", data.map(Into::into));
        }
        Part::Other { kind, json } => {
            object.raw("type", "\"other\"");
            object.string("of", Some(kind.clone()));
            object.raw("json", json);
        }
    }
    out.push(b'}');
}

/// Writes members of a JSON object, one after the other.
pub(super) struct Object<'o> {
    pub(super) out: &'o mut Vec<u8>,
    pub(super) first: bool,
}

impl Object<'_> {
    fn name(&mut self, name: &str) {
        if !std::mem::take(&mut self.first) {
            self.out.push(b',');
        }
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    /// A member that is JSON already.
    pub(super) fn raw(&mut self, name: &str, json: &str) {
        self.name(name);
        self.out.extend_from_slice(json.as_bytes());
    }

    /// A member that is a string; nothing when there is none.
    pub(super) fn string(&mut self, name: &str, text: Option<std::borrow::Cow<'_, str>>) {
        if let Some(text) = text {
            self.name(name);
            // Strings can always be written into memory.
            let _ = serde_json::to_writer(&mut *self.out, &*text);
        }
    }
}
