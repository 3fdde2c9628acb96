//! The data of one line that the tree needs.

use super::key::{Key, NAMELESS, key, short};
use super::node::{Marks, NodeKind, Phase};
use crate::conversation::{Preserved, is_interrupt, is_shown};
use crate::entry::{Dialect, Flags, Kind, ParentRef, Part};
use crate::facts::{Content, Facts, Member, Message};
use crate::members::{self, Members};
use crate::requests::{Mark, RequestMark};

/// A line of the conversation.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) key: Key,
    pub(super) parent: Key,
    pub(super) offset: u64,
    pub(super) len: u64,
    pub(super) time: i64,
    /// Hash of the id of the reply that it is a block of.
    pub(super) message: u64,
    pub(super) file: u32,
    /// Index of the block.
    pub(super) block: u16,
    pub(super) calls: u16,
    pub(super) answers: u16,
    pub(super) marks: Marks,
    pub(super) kind: Kind,
    /// The kind of its message; `None` for lines that fold.
    pub(super) role: Option<NodeKind>,
    pub(super) phase: Option<Phase>,
}

/// Links between lines besides their parents. Few lines have any.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// Line and request of replies.
    pub(super) requests: Vec<(u32, Request)>,
    /// Tool id and line of calls.
    pub(super) calls: Vec<(u64, u32)>,
    /// Tool id and line of answers.
    pub(super) answers: Vec<(u64, u32)>,
    /// Hash of the prompt and line of calls that start subagents.
    pub(super) briefs: Vec<(u64, u32)>,
    /// Subagent, workflow or task, and the line of its result.
    pub(super) launches: Vec<(u64, u32)>,
    /// Task, and the line that reports its end.
    pub(super) reports: Vec<(u64, u32)>,
    /// Line and hash of the text of prompts in sidechains.
    pub(super) openings: Vec<(u32, u64)>,
    /// Line of a sidechain and its subagent.
    pub(super) agents: Vec<(u32, u64)>,
    pub(super) boundaries: Vec<Boundary>,
}

/// The request that a line of a reply belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request {
    pub(super) mark: RequestMark,
    /// Output tokens so far; the line with the most describes the whole reply.
    pub(super) output: u64,
    /// Hash of the model and the input tokens.
    pub(super) prompt: u64,
}

/// The links of a compaction to the lines before it.
#[derive(Debug)]
pub(super) struct Boundary {
    pub(super) line: u32,
    pub(super) before: Key,
    pub(super) kept: Vec<Key>,
    /// Whether `kept` is only the first and the last line.
    pub(super) ends_only: bool,
}

/// Reads a line; `None` if it is not part of the conversation.
pub(super) fn read(facts: &Facts<'_>, at: u32, links: &mut Links) -> Option<Line> {
    let uuid = facts.id(Member::Uuid);
    let is_message = matches!(
        facts.kind,
        Kind::User | Kind::Assistant | Kind::System | Kind::CompactSystem
    );
    // An unknown kind with an id and a parent is part of a chain, too.
    if !is_message && (uuid.is_none() || facts.get(Member::Parent).is_none()) {
        return None;
    }
    let flags = facts.flags();
    let is_document = facts.dialect == Dialect::Document;
    let mut marks = Marks::default();
    for (mark, is_set) in [
        (Marks::SIDECHAIN, flags.sidechain),
        (Marks::ERROR, flags.error),
        (Marks::ABORTED, flags.aborted),
        (Marks::DELETED, flags.deleted),
        (Marks::SYNTHETIC, flags.synthetic),
        (Marks::DOCUMENT, is_document),
        (
            Marks::SPOKEN,
            matches!(facts.kind, Kind::User | Kind::Assistant),
        ),
        (
            Marks::NO_LEAF,
            facts.kind == Kind::Progress || facts.get(Member::Team).is_some_and(members::is_truthy),
        ),
    ] {
        marks.set_if(mark, is_set);
    }
    let parent = match facts.parent() {
        ParentRef::Id(id) => key(&id),
        ParentRef::Odd => {
            marks.set(Marks::ODD_PARENT);
            NAMELESS
        }
        ParentRef::Root => NAMELESS,
        ParentRef::Absent => {
            // The first message of the document's dialect has none.
            marks.set_if(Marks::ADRIFT, !is_document);
            NAMELESS
        }
    };
    let mut line = Line {
        key: uuid.map_or(NAMELESS, |uuid| key(&uuid)),
        parent,
        offset: 0,
        len: 0,
        time: facts.time_ms().unwrap_or(i64::MIN),
        message: 0,
        file: 0,
        block: 0,
        calls: 0,
        answers: 0,
        marks,
        kind: facts.kind,
        role: None,
        phase: None,
    };
    if flags.sidechain {
        let agent = facts.id(Member::Agent);
        links.agents.extend(agent.map(|agent| (at, short(&*agent))));
    }
    match facts.kind {
        Kind::User => user(facts, &flags, at, &mut line, links),
        Kind::Assistant => assistant(facts, at, &mut line, links),
        Kind::System => system(facts, &flags, at, &mut line, links),
        Kind::CompactSystem => {
            line.role = Some(NodeKind::Compaction);
            line.phase = match facts.string(Member::Message).as_deref() {
                Some("conversation_compacting") => Some(Phase::Started),
                Some("conversation_compacted") => Some(Phase::Completed),
                Some("conversation_restoring") => Some(Phase::Restoring),
                Some("conversation_restored") => Some(Phase::Restored),
                _ => None,
            };
        }
        Kind::Attachment => attachment(facts, at, &mut line, links),
        _ => {}
    }
    // In the document's dialect results are messages of the system, and a conversation may end
    // with one.
    if is_document && line.role.is_some_and(NodeKind::is_said) {
        line.marks.set(Marks::SPOKEN);
    }
    Some(line)
}

fn assistant(facts: &Facts<'_>, at: u32, line: &mut Line, links: &mut Links) {
    line.role = Some(NodeKind::Reply);
    if facts.dialect != Dialect::Document
        && let Some(message) = &facts.message
        && let Some(id) = message
            .id
            .and_then(members::string)
            .filter(|id| !id.is_empty())
    {
        line.message = short(&*id);
        links.requests.push((at, request(facts, message)));
    }
    let index = facts.get(Member::BlockIndex);
    line.block = index
        .and_then(|index| index.parse().ok())
        .unwrap_or_default();
    for part in facts.parts() {
        match part {
            Part::Call { id, input, .. } => {
                line.calls = line.calls.saturating_add(1);
                links.calls.extend(id.map(|id| (short(&*id), at)));
                let brief = input.and_then(brief_of);
                links.briefs.extend(brief.map(|brief| (brief, at)));
            }
            // Tools of the API answer in the same reply.
            Part::Answer { .. } => line.calls = line.calls.saturating_sub(1),
            _ => {}
        }
    }
}

/// The request that a line belongs to, to distinguish replies to which a gateway gave one id.
fn request(facts: &Facts<'_>, message: &Message<'_>) -> Request {
    let mark = |member| facts.id(member).map(|id| Mark::of(short(&*id)));
    let mark = match (mark(Member::RequestRef), mark(Member::RequestId)) {
        (Some(own), _) => RequestMark::Own(own),
        (None, Some(service)) => RequestMark::Service(service),
        (None, None) => RequestMark::None,
    };
    let usage = message.usage.and_then(Members::read).unwrap_or_default();
    let count = |name| {
        let count = usage.get(name).and_then(|count| count.parse().ok());
        count.unwrap_or_default()
    };
    let input: [u64; 3] = [
        count("input_tokens"),
        count("cache_creation_input_tokens"),
        count("cache_read_input_tokens"),
    ];
    Request {
        mark,
        output: count("output_tokens"),
        prompt: short((message.model.and_then(members::string), input)),
    }
}

/// Hash of the prompt in the arguments of a call. Arguments without one are not parsed.
fn brief_of(input: &str) -> Option<u64> {
    memchr::memmem::find(input.as_bytes(), b"\"prompt\"")?;
    let prompt = Members::read(input)?.string("prompt")?;
    Some(short(prompt.trim()))
}

fn user(facts: &Facts<'_>, flags: &Flags, at: u32, line: &mut Line, links: &mut Links) {
    let mut first_text = None;
    for part in facts.parts() {
        match part {
            Part::Answer { call, is_error, .. } => {
                line.answers = line.answers.saturating_add(1);
                line.marks.set_if(Marks::ERROR, is_error);
                links.answers.extend(call.map(|call| (short(&*call), at)));
            }
            Part::Text(text) if first_text.is_none() => first_text = Some(text),
            _ => {}
        }
    }
    let is_note = match (&facts.message, facts.get(Member::Message)) {
        (Some(message), _) => is_interrupt(&message.content),
        (None, Some(text)) => is_interrupt(&Content::Text(text)),
        (None, None) => false,
    };
    line.marks.set_if(Marks::ABORTED, is_note);
    let text = first_text.unwrap_or_default();
    let text = text.trim();
    if line.answers > 0 {
        line.role = Some(NodeKind::Results);
        results(facts, at, links);
        return;
    }
    if flags.sidechain && !text.is_empty() {
        links.openings.push((at, short(text)));
    }
    let origin = facts.object(Member::Origin);
    let origin_kind = origin.as_ref().and_then(|origin| origin.string("kind"));
    let starts = |tags: &[&str]| tags.iter().any(|tag| text.starts_with(tag));
    line.role = if flags.compact_summary {
        Some(NodeKind::Summary)
    } else if is_note {
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
        Some(NodeKind::Command)
    } else {
        Some(NodeKind::Prompt)
    };
}

/// Notes the subagent, workflow or task that a result names.
fn results(facts: &Facts<'_>, at: u32, links: &mut Links) {
    const NAMES: [&str; 3] = ["agentId", "runId", "taskId"];
    let Some(kept) = facts.get(Member::ToolUseResult) else {
        return;
    };
    // Most results name none and need not be parsed.
    let occurs = |name: &&str| memchr::memmem::find(kept.as_bytes(), name.as_bytes()).is_some();
    let Some(kept) = NAMES
        .iter()
        .any(occurs)
        .then(|| Members::read(kept))
        .flatten()
    else {
        return;
    };
    for name in NAMES {
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

fn system(facts: &Facts<'_>, flags: &Flags, at: u32, line: &mut Line, links: &mut Links) {
    line.role = match facts.string(Member::Subtype).as_deref() {
        Some("compact_boundary") => {
            line.phase = Some(Phase::Completed);
            boundary(facts, at, line, links);
            Some(NodeKind::Compaction)
        }
        Some("tool_result") if facts.dialect == Dialect::Document => {
            line.answers = 1;
            Some(NodeKind::Results)
        }
        Some("turn_duration" | "stop_hook_summary") => None,
        _ if flags.meta => None,
        _ => Some(NodeKind::Notice),
    };
}

fn boundary(facts: &Facts<'_>, at: u32, line: &mut Line, links: &mut Links) {
    let data = facts.object(Member::CompactMetadata).unwrap_or_default();
    let preserved = Preserved::read(&data, key);
    let anchor = preserved.as_ref().and_then(|kept| kept.anchor);
    let rewound = data.get("durationMs") == Some("0") && anchor == Some(line.key);
    line.marks.set_if(Marks::REWOUND, rewound);
    let (kept, ends_only) = match preserved {
        Some(Preserved { all: Some(all), .. }) => (all, false),
        Some(kept) => (kept.named().collect(), true),
        None => (Vec::new(), true),
    };
    let before = facts.id(Member::LogicalParent);
    links.boundaries.push(Boundary {
        line: at,
        before: before.map_or(NAMELESS, |id| key(&id)),
        kept,
        ends_only,
    });
}

fn attachment(facts: &Facts<'_>, at: u32, line: &mut Line, links: &mut Links) {
    let Some(attached) = facts.object(Member::Attachment) else {
        return;
    };
    match attached.string("type").as_deref() {
        Some("fork_briefing") => line.marks.set(Marks::NO_LEAF),
        Some("queued_command") => {
            let text = attached.string("prompt").unwrap_or_default();
            let is_report = attached.string("commandMode").as_deref() == Some("task-notification")
                || text.trim_start().starts_with("<task-notification>");
            if is_report {
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
