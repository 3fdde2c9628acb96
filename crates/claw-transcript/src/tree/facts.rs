//! What the tree needs to know of one line.

use super::key::{Key, NAMELESS, key, short};
use super::node::{Marks, NodeKind, Phase};
use crate::conversation::{is_interrupt, is_shown};
use crate::entry::{Dialect, Entry, Kind, ParentRef, Part};
use crate::members::{self, Members};
use crate::requests::{Mark, RequestMark};

/// One line that hangs in the tree, or would.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) key: Key,
    pub(super) parent: Key,
    pub(super) offset: u64,
    pub(super) len: u64,
    pub(super) time: i64,
    /// Of the reply that it is a block of.
    pub(super) message: u64,
    pub(super) file: u32,
    /// Which block.
    pub(super) block: u16,
    pub(super) calls: u16,
    pub(super) answers: u16,
    pub(super) marks: Marks,
    pub(super) kind: Kind,
    /// What its message is; `None` for lines that fold.
    pub(super) role: Option<NodeKind>,
    pub(super) phase: Option<Phase>,
}

/// What lines say about others, beside their parents. Few lines do.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// The requests that lines of replies answer.
    pub(super) requests: Vec<(u32, Request)>,
    /// Tool id and line of calls.
    pub(super) calls: Vec<(u64, u32)>,
    /// Line and tool id of answers.
    pub(super) answers: Vec<(u32, u64)>,
    /// Prompt and line of calls that have one, as those of subagents do.
    pub(super) briefs: Vec<(u64, u32)>,
    /// Subagent, workflow or task, and the line whose result names it.
    pub(super) launches: Vec<(u64, u32)>,
    /// Task, and the line that says that it is done.
    pub(super) reports: Vec<(u64, u32)>,
    /// The text of prompts of sidechains, which a call may have given.
    pub(super) openings: Vec<(u32, u64)>,
    /// The subagent that a line of a sidechain names.
    pub(super) agents: Vec<(u32, u64)>,
    /// What boundaries say.
    pub(super) boundaries: Vec<Boundary>,
}

/// Which request a line of a reply answers, and what its prompt is known by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request {
    pub(super) mark: RequestMark,
    /// The line with the largest output tells of the whole.
    pub(super) output: u64,
    pub(super) prompt: u64,
}

/// What a compaction says about the lines before it.
#[derive(Debug)]
pub(super) struct Boundary {
    pub(super) line: u32,
    pub(super) before: Key,
    pub(super) kept: Vec<Key>,
    /// Whether `kept` has only the first and the last.
    pub(super) ends_only: bool,
}

/// A line of the conversation; `None` for those that say nothing about their place in it.
pub(super) fn line(entry: &Entry<'_>, at: u32, links: &mut Links) -> Option<Line> {
    let name = entry.uuid();
    let said = matches!(
        entry.kind(),
        Kind::User | Kind::Assistant | Kind::System | Kind::CompactSystem
    );
    // A new kind that has an id and a parent is part of a chain, too.
    if !said && (name.is_none() || matches!(entry.parent(), ParentRef::Absent)) {
        return None;
    }
    let flags = entry.flags();
    let mut marks = Marks::default();
    marks.set_if(Marks::SIDECHAIN, flags.sidechain);
    marks.set_if(Marks::ERROR, flags.error);
    marks.set_if(Marks::ABORTED, flags.aborted);
    marks.set_if(Marks::DELETED, flags.deleted);
    marks.set_if(Marks::SYNTHETIC, flags.synthetic);
    marks.set_if(Marks::DOCUMENT, entry.dialect() == Dialect::Document);
    marks.set_if(
        Marks::SPOKEN,
        matches!(entry.kind(), Kind::User | Kind::Assistant),
    );
    marks.set_if(
        Marks::NO_LEAF,
        entry.kind() == Kind::Progress || entry.get("teamName").is_some_and(members::is_truthy),
    );
    let parent = match entry.parent() {
        ParentRef::Id(id) => key(&id),
        ParentRef::Odd => {
            marks.set(Marks::ODD_PARENT);
            NAMELESS
        }
        ParentRef::Root => NAMELESS,
        ParentRef::Absent => {
            // The document leaves it out of the first message.
            marks.set_if(Marks::ADRIFT, entry.dialect() != Dialect::Document);
            NAMELESS
        }
    };
    let mut line = Line {
        key: name.map_or(NAMELESS, |name| key(&name)),
        parent,
        offset: 0,
        len: 0,
        time: entry.time_ms().unwrap_or(i64::MIN),
        message: 0,
        file: 0,
        block: 0,
        calls: 0,
        answers: 0,
        marks,
        kind: entry.kind(),
        role: None,
        phase: None,
    };
    if flags.sidechain {
        links
            .agents
            .extend(entry.agent().map(|agent| (at, short(&*agent))));
    }
    match entry.kind() {
        Kind::User => user(entry, at, &mut line, links),
        Kind::Assistant => assistant(entry, at, &mut line, links),
        Kind::System => system(entry, at, &mut line, links),
        Kind::CompactSystem => {
            line.role = Some(NodeKind::Compaction);
            line.phase = match entry.string("message").as_deref() {
                Some("conversation_compacting") => Some(Phase::Started),
                Some("conversation_compacted") => Some(Phase::Completed),
                Some("conversation_restoring") => Some(Phase::Restoring),
                Some("conversation_restored") => Some(Phase::Restored),
                _ => None,
            };
        }
        Kind::Attachment => attachment(entry, at, &mut line, links),
        _ => {}
    }
    // The document's results are messages of the system, and a conversation may end with one.
    let said = line.role.is_some_and(NodeKind::is_said);
    if line.marks.has(Marks::DOCUMENT) && said {
        line.marks.set(Marks::SPOKEN);
    }
    Some(line)
}

fn assistant(entry: &Entry<'_>, at: u32, line: &mut Line, links: &mut Links) {
    line.role = Some(NodeKind::Reply);
    if entry.dialect() != Dialect::Document
        && let Some(id) = entry.message_id()
    {
        line.message = short(&*id);
        if let Some(request) = request(entry) {
            links.requests.push((at, request));
        }
    }
    line.block = entry
        .get("apiBlockIndex")
        .and_then(|index| index.parse().ok())
        .unwrap_or_default();
    for part in entry.parts() {
        match part {
            Part::Call { id, input, .. } => {
                line.calls = line.calls.saturating_add(1);
                links.calls.extend(id.map(|id| (short(&*id), at)));
                let brief = input.and_then(brief_of);
                links.briefs.extend(brief.map(|brief| (brief, at)));
            }
            // The API's own tools answer in the same reply.
            Part::Answer { .. } => line.calls = line.calls.saturating_sub(1),
            _ => {}
        }
    }
}

/// Which request a line answers, to tell replies apart that a gateway gave one id. Nothing for a
/// line that does not say and has no usage.
fn request(entry: &Entry<'_>) -> Option<Request> {
    let id = |name| entry.string(name).filter(|id| !id.is_empty());
    let mark = match (id("requestRef"), id("requestId")) {
        (Some(own), _) => RequestMark::Own(Mark::of(short(&*own))),
        (None, Some(service)) => RequestMark::Service(Mark::of(short(&*service))),
        (None, None) => RequestMark::None,
    };
    let message = entry.object("message")?;
    let usage = message.object("usage").unwrap_or_default();
    let count = |name| usage.get(name).and_then(|count| count.parse().ok());
    let output: u64 = count("output_tokens").unwrap_or_default();
    let input = [
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ];
    let input = input.map(|name| count(name).unwrap_or_default());
    Some(Request {
        mark,
        output,
        prompt: short((message.string("model"), input)),
    })
}

/// The prompt in the arguments of a call. Long arguments of other tools are not looked through.
fn brief_of(input: &str) -> Option<u64> {
    memchr::memmem::find(input.as_bytes(), b"\"prompt\"")?;
    let prompt = Members::read(input)?.string("prompt")?;
    Some(short(prompt.trim()))
}

fn user(entry: &Entry<'_>, at: u32, line: &mut Line, links: &mut Links) {
    let message = entry.object("message");
    let content = match &message {
        Some(message) => message.get("content"),
        None => entry.get("message"),
    };
    let content = content.unwrap_or_default();
    let mut first_text = None;
    for part in entry.parts() {
        match part {
            Part::Answer { call, is_error, .. } => {
                line.answers = line.answers.saturating_add(1);
                line.marks.set_if(Marks::ERROR, is_error);
                links.answers.extend(call.map(|call| (at, short(&*call))));
            }
            Part::Text(text) if first_text.is_none() => first_text = Some(text),
            _ => {}
        }
    }
    let interrupt = is_interrupt(content);
    line.marks.set_if(Marks::ABORTED, interrupt);
    let text = first_text.unwrap_or_default();
    let text = text.trim();
    if line.answers > 0 {
        line.role = Some(NodeKind::Results);
        results(entry, at, links);
        return;
    }
    let flags = entry.flags();
    if line.marks.has(Marks::SIDECHAIN) && !text.is_empty() {
        links.openings.push((at, short(text)));
    }
    let origin = entry.object("origin");
    let origin_kind = origin.as_ref().and_then(|origin| origin.string("kind"));
    let starts = |tags: &[&str]| tags.iter().any(|tag| text.starts_with(tag));
    line.role = if flags.compact_summary {
        Some(NodeKind::Summary)
    } else if interrupt {
        Some(NodeKind::Interrupt)
    } else if flags.meta && !origin.as_ref().is_some_and(is_shown) {
        None
    } else if origin_kind.as_deref() == Some("task-notification")
        || starts(&["<task-notification>"])
    {
        report(text, at, links);
        Some(NodeKind::Notification)
    } else if starts(&["<local-command-caveat>"]) {
        None
    } else if starts(&["<local-command-std", "<bash-std"]) {
        Some(NodeKind::Notice)
    } else if starts(&["<command-name>", "<command-message>", "<bash-input>"]) {
        let local = entry.get("promptSource").is_none() && entry.get("turnOrigin").is_none();
        line.marks.set_if(Marks::LOCAL, local);
        Some(NodeKind::Command)
    } else {
        Some(NodeKind::Prompt)
    };
}

/// Which subagent, workflow or task a result is about.
fn results(entry: &Entry<'_>, at: u32, links: &mut Links) {
    let Some(kept) = entry.get("toolUseResult") else {
        return;
    };
    let named = ["\"agentId\"", "\"runId\"", "\"taskId\""]
        .iter()
        .any(|name| memchr::memmem::find(kept.as_bytes(), name.as_bytes()).is_some());
    let Some(kept) = named.then(|| Members::read(kept)).flatten() else {
        return;
    };
    for name in ["agentId", "runId", "taskId"] {
        let id = kept.string(name).filter(|id| !id.is_empty());
        links.launches.extend(id.map(|id| (short(&*id), at)));
    }
}

fn report(text: &str, at: u32, links: &mut Links) {
    let task = text
        .split_once("<task-id>")
        .and_then(|(_, rest)| rest.split_once("</task-id>"));
    links
        .reports
        .extend(task.map(|(task, _)| (short(task.trim()), at)));
}

fn system(entry: &Entry<'_>, at: u32, line: &mut Line, links: &mut Links) {
    let subtype = entry.subtype();
    line.role = match subtype.as_deref() {
        Some("compact_boundary") => {
            line.phase = Some(Phase::Completed);
            boundary(entry, at, line, links);
            Some(NodeKind::Compaction)
        }
        Some("tool_result") if entry.dialect() == Dialect::Document => {
            line.answers = 1;
            Some(NodeKind::Results)
        }
        Some("turn_duration" | "stop_hook_summary") => None,
        _ if entry.flags().meta => None,
        _ => Some(NodeKind::Notice),
    };
}

fn boundary(entry: &Entry<'_>, at: u32, line: &mut Line, links: &mut Links) {
    let data = entry.object("compactMetadata").unwrap_or_default();
    let messages = data.object("preservedMessages");
    let segment = data.object("preservedSegment");
    let named = |from: &Members<'_>, name: &str| from.string(name).map(|id| key(&id));
    let mut kept = Vec::new();
    if let Some(messages) = &messages {
        let uuids = members::list(messages.get("uuids").unwrap_or_default());
        let uuids = uuids.into_iter().filter_map(members::string);
        kept.extend(uuids.map(|uuid| key(&uuid)));
    } else if let Some(segment) = &segment {
        kept.extend(named(segment, "headUuid"));
        kept.extend(named(segment, "tailUuid"));
    }
    let anchor = messages
        .as_ref()
        .or(segment.as_ref())
        .and_then(|kept| named(kept, "anchorUuid"));
    let rewound = data.get("durationMs") == Some("0") && anchor == Some(line.key);
    line.marks.set_if(Marks::REWOUND, rewound);
    links.boundaries.push(Boundary {
        line: at,
        before: entry.logical_parent().map_or(NAMELESS, |id| key(&id)),
        kept,
        ends_only: messages.is_none(),
    });
}

fn attachment(entry: &Entry<'_>, at: u32, line: &mut Line, links: &mut Links) {
    let Some(attached) = entry.object("attachment") else {
        return;
    };
    match attached.string("type").as_deref() {
        Some("fork_briefing") => line.marks.set(Marks::NO_LEAF),
        Some("queued_command") => {
            let text = attached.string("prompt").unwrap_or_default();
            let told = attached.string("commandMode").as_deref() == Some("task-notification")
                || text.trim_start().starts_with("<task-notification>");
            if told {
                report(&text, at, links);
            }
            line.role = Some(NodeKind::Queued);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::Line;
    use crate::tree::Node;

    #[test]
    fn lines_and_messages_are_small() {
        // While a file is read there is one of the first for each line, then one of the second
        // for each message.
        assert!(size_of::<Line>() <= 112, "{}", size_of::<Line>());
        assert!(size_of::<Node>() <= 48, "{}", size_of::<Node>());
    }
}
