//! A session for other programs: the same JSON for all dialects.

use super::job::Job;
use super::metadata::session_of;
use super::object::{Object, write_object};
use super::outline::Step;
use crate::entry::Part;
use crate::error::TranscriptError;
use crate::facts::{Facts, Member};
use crate::members;
use crate::tree::NodeId;

/// Writes a list of messages. Arguments and results of tools are written as in the file.
pub(super) fn write(job: &mut Job<'_>, steps: &[Step]) -> Result<(), TranscriptError> {
    job.buffer.push(b'[');
    // The open abandoned branches.
    let mut branches = Vec::new();
    for step in job.outline.with_agents(steps) {
        match step {
            Step::Open(branch) => branches.push(branch),
            Step::Close => drop(branches.pop()),
            Step::Agent => job.report.subagents += 1,
            Step::Node(id) => {
                write_node(job, id, branches.last().copied())?;
                job.flush()?;
            }
        }
    }
    job.buffer.extend_from_slice(b"\n]\n");
    Ok(())
}

fn write_node(job: &mut Job<'_>, id: NodeId, branch: Option<usize>) -> Result<(), TranscriptError> {
    let texts = job.texts(id)?;
    let lines = job.shown(&texts);
    let Some(first) = lines.first() else {
        job.report.deleted += 1;
        return Ok(());
    };
    if job.report.messages > 0 {
        job.buffer.push(b',');
    }
    job.buffer.push(b'\n');
    job.report.messages += 1;
    let node = job.tree.node(id);
    let chain = node.sidechain().map(|at| &job.tree.sidechains()[at]);
    let flags = first.flags();
    let model = first.message.as_ref().and_then(|message| message.model);
    let thinking = job.options.thinking;
    write_object(&mut job.buffer, |object| {
        object.string("id", first.id(Member::Uuid));
        object.string("kind", Some(node.kind().as_str()));
        object.string("time", first.id(Member::Timestamp));
        object.string("session", session_of(first));
        object.string("model", model.and_then(members::string));
        object.string("cwd", first.id(Member::Cwd));
        object.flag("live", node.is_live());
        if let Some(branch) = branch {
            object.raw("branch", &branch.to_string());
        }
        object.string("agent", chain.and_then(|chain| chain.agent_id()));
        object.flag("sidechain", flags.sidechain);
        object.flag("meta", flags.meta);
        object.flag("error", flags.error);
        object.flag("aborted", flags.aborted);
        object.flag("summary", flags.compact_summary);
        object.flag("synthetic", flags.synthetic);
        let parts = lines.iter().flat_map(Facts::parts);
        let parts = parts.filter(|part| thinking || !matches!(part, Part::Thinking { .. }));
        object.list("parts", parts, write_part);
    });
    Ok(())
}

fn write_part(part: &Part<'_>, object: &mut Object<'_>) {
    match part {
        Part::Text(text) => {
            object.string("type", Some("text"));
            object.string("text", Some(text));
        }
        Part::Thinking { text, redacted } => {
            object.string("type", Some("thinking"));
            object.string("text", Some(text));
            object.flag("redacted", *redacted);
        }
        Part::Call {
            id, name, input, ..
        } => {
            object.string("type", Some("call"));
            object.string("call", id.as_deref());
            object.string("name", name.as_deref());
            object.raw("input", input.unwrap_or("null"));
        }
        Part::Answer {
            call,
            content,
            is_error,
            structured,
        } => {
            object.string("type", Some("answer"));
            object.string("call", call.as_deref());
            object.raw("content", content.unwrap_or("null"));
            object.flag("error", *is_error);
            if let Some(structured) = structured {
                object.raw("structured", structured);
            }
        }
        Part::Image { media_type, data } => {
            object.string("type", Some("image"));
            object.string("media_type", media_type.as_deref());
            object.string("data", *data);
        }
        Part::Other { kind, json } => {
            object.string("type", Some("other"));
            object.string("of", Some(kind));
            object.raw("json", json);
        }
    }
}
