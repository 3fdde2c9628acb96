//! The facts of a line that determine the order of a conversation.

use super::ids::{Id, Ids};
use crate::entry::Kind;
use crate::facts::{Content, Facts, Member};
use crate::lines::Span;
use crate::members::{self, Members};

/// The part of a user line in the record of a local command, which runs without the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LocalCommand {
    Caveat,
    Record,
    Output,
}

/// The messages that a compaction kept. They stay in place in the file, but follow the anchor.
#[derive(Debug, Clone)]
pub(crate) struct Preserved<I = Id> {
    pub(crate) anchor: Option<I>,
    /// All messages in order, in newer files.
    pub(crate) all: Option<Vec<I>>,
    /// The first and the last message, in older files.
    pub(crate) ends: Option<(Option<I>, Option<I>)>,
}

/// A queued prompt, stored as an attachment.
#[derive(Debug, Clone)]
pub(crate) struct Queued {
    pub(crate) source: Option<Id>,
    pub(crate) delivery: Option<Id>,
}

/// A line that has a uuid.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) kind: Kind,
    pub(crate) id: Id,
    pub(crate) parent: Option<Id>,
    pub(crate) logical_parent: Option<Id>,
    /// Milliseconds; lines without a time sort first.
    pub(crate) time: i64,
    pub(crate) sidechain: bool,
    pub(crate) team: bool,
    pub(crate) meta: bool,
    pub(crate) compact_summary: bool,
    pub(crate) compact_boundary: bool,
    /// Whether a rewind wrote the boundary, not a compaction.
    pub(crate) rewind_boundary: bool,
    pub(crate) fork_briefing: bool,
    /// Whether this is a user line with tool results and a parent.
    pub(crate) answers_tools: bool,
    /// Whether this is a user line that records an interrupt.
    pub(crate) interrupt: bool,
    pub(crate) local_command: Option<LocalCommand>,
    /// Whether the origin is a channel whose hidden messages are shown.
    pub(crate) shown_origin: bool,
    /// The API message of an assistant line.
    pub(crate) message_id: Option<Id>,
    /// The tool calls of an assistant line.
    pub(crate) calls: Box<[Id]>,
    /// The tool calls whose results are in a user line.
    pub(crate) answers: Box<[Id]>,
    pub(crate) source_assistant: Option<Id>,
    pub(crate) agent: Option<Id>,
    pub(crate) queued: Option<Box<Queued>>,
    pub(crate) preserved: Option<Box<Preserved>>,
    /// Whether a fork that ends here excludes the preserved messages.
    pub(crate) forget_preserved: bool,
}

impl Node {
    /// Reads a line. Returns `None` if it is not part of the tree.
    pub(crate) fn read(line: &Facts<'_>, span: Span, ids: &mut Ids) -> Option<Self> {
        let kind = line.kind;
        // Old releases wrote progress lines. They are never shown, but can be parents.
        if !matches!(
            kind,
            Kind::User | Kind::Assistant | Kind::System | Kind::Attachment | Kind::Progress
        ) {
            return None;
        }
        let id = ids.of(&line.string(Member::Uuid)?);
        let is_truthy = |member| line.get(member).is_some_and(members::is_truthy);
        let message = line.message.as_ref();
        let content = message.map_or(&Content::Missing, |message| &message.content);
        let (mut calls, mut answers, mut has_results) = (Vec::new(), Vec::new(), false);
        for block in line.blocks() {
            let id = |id: Option<&'_ str>, ids: &mut Ids| Some(ids.of(&members::string(id?)?));
            match block.kind.and_then(members::string).as_deref() {
                Some("tool_use") => calls.extend(id(block.id, ids)),
                Some("tool_result") => {
                    has_results = true;
                    answers.extend(id(block.call, ids));
                }
                _ => {}
            }
        }
        let attachment = line
            .object(Member::Attachment)
            .filter(|_| kind == Kind::Attachment)
            .unwrap_or_default();
        let attachment_type = attachment.string("type");
        let boundary = kind == Kind::System
            && line.string(Member::Subtype).as_deref() == Some("compact_boundary");
        let compaction = line.object(Member::CompactMetadata);
        let compaction = compaction.filter(|_| boundary).unwrap_or_default();
        let preserved = Preserved::read(&compaction, |uuid| ids.of(uuid));
        let is_anchor = preserved
            .as_ref()
            .is_some_and(|kept| kept.anchor == Some(id));
        let mut other = |member| Some(ids.of(&line.id(member)?));
        let parent = other(Member::Parent);
        let user = kind == Kind::User;
        Some(Self {
            span,
            kind,
            id,
            parent,
            logical_parent: other(Member::LogicalParent),
            source_assistant: other(Member::SourceAssistant),
            agent: other(Member::Agent),
            time: line.time_ms().unwrap_or(i64::MIN),
            sidechain: is_truthy(Member::Sidechain),
            team: is_truthy(Member::Team),
            meta: is_truthy(Member::Meta),
            compact_summary: is_truthy(Member::CompactSummary),
            compact_boundary: boundary,
            rewind_boundary: is_anchor && compaction.get("durationMs") == Some("0"),
            fork_briefing: attachment_type.as_deref() == Some("fork_briefing"),
            answers_tools: user && parent.is_some() && has_results,
            interrupt: user && is_interrupt(content),
            local_command: if user && line.get(Member::PromptSource).is_none() {
                local_command(content)
            } else {
                None
            },
            shown_origin: line.object(Member::Origin).as_ref().is_some_and(is_shown),
            message_id: message
                .filter(|_| kind == Kind::Assistant)
                .and_then(|message| Some(ids.of(&members::string(message.id?)?))),
            calls: calls.into(),
            answers: answers.into(),
            queued: (attachment_type.as_deref() == Some("queued_command")).then(|| {
                Box::new(Queued {
                    source: optional(&attachment, "source_uuid", &mut |id| ids.of(id)),
                    delivery: optional(&attachment, "delivery_id", &mut |id| ids.of(id)),
                })
            }),
            preserved: preserved.map(Box::new),
            forget_preserved: false,
        })
    }

    /// Returns whether this is a user or assistant message.
    pub(crate) fn is_said(&self) -> bool {
        matches!(self.kind, Kind::User | Kind::Assistant)
    }
}

impl<I: Copy> Preserved<I> {
    /// Reads the data of a compaction. `id` interns a uuid.
    pub(crate) fn read(data: &Members<'_>, mut id: impl FnMut(&str) -> I) -> Option<Self> {
        let messages = data.object("preservedMessages");
        let segment = data.object("preservedSegment");
        let either = messages.as_ref().or(segment.as_ref())?;
        Some(Self {
            anchor: optional(either, "anchorUuid", &mut id),
            all: messages.map(|messages| {
                let uuids = members::list(messages.get("uuids").unwrap_or_default());
                let uuids = uuids.into_iter().filter_map(members::string);
                uuids.map(|uuid| id(&uuid)).collect()
            }),
            ends: segment.map(|segment| {
                (
                    optional(&segment, "headUuid", &mut id),
                    optional(&segment, "tailUuid", &mut id),
                )
            }),
        })
    }

    /// The ids of all messages in the lists.
    pub(crate) fn named(&self) -> impl Iterator<Item = I> {
        let (head, tail) = self.ends.unwrap_or_default();
        let all = self.all.iter().flatten().copied();
        all.chain(head).chain(tail)
    }
}

/// The id of another line; an empty string is none.
fn optional<I>(line: &Members<'_>, name: &str, id: &mut impl FnMut(&str) -> I) -> Option<I> {
    let text = line.string(name).filter(|text| !text.is_empty())?;
    Some(id(&text))
}

/// Returns whether hidden messages of an origin are shown: those of people and other agents.
pub(crate) fn is_shown(origin: &Members<'_>) -> bool {
    matches!(
        origin.string("kind").as_deref(),
        Some("channel" | "observer" | "observer-activity" | "slack-ping" | "voice-call" | "peer")
    )
}

fn local_command(content: &Content<'_>) -> Option<LocalCommand> {
    let text = match content {
        Content::Text(text) => text,
        Content::Blocks(blocks) => {
            let mut texts = blocks.iter().rev();
            texts.find(|block| block.kind == Some("\"text\""))?.text?
        }
        Content::Missing | Content::Odd(_) => return None,
    };
    let text = members::string(text)?;
    [
        ("<command-name>", LocalCommand::Record),
        ("<local-command-stdout>", LocalCommand::Output),
        ("<local-command-stderr>", LocalCommand::Output),
        ("<local-command-caveat>", LocalCommand::Caveat),
    ]
    .into_iter()
    .find_map(|(start, command)| text.starts_with(start).then_some(command))
}

/// The prefixes of the notes that the CLI writes after an interrupt.
const INTERRUPTS: [&str; 4] = [
    "[Request interrupted",
    "[Agent call interrupted: ",
    "[Tool call did not complete: ",
    "[Tool call interrupted: ",
];

pub(crate) fn is_interrupt(content: &Content<'_>) -> bool {
    let is_note = |value: Option<&str>| {
        let text = value.and_then(members::string).unwrap_or_default();
        INTERRUPTS.iter().any(|note| text.starts_with(note))
    };
    match content {
        Content::Text(text) => is_note(Some(text)),
        Content::Blocks(blocks) => {
            let mut notes = blocks.iter().map(|block| match block.kind {
                Some("\"text\"") => is_note(block.text),
                Some("\"tool_result\"") if block.is_error == Some("true") => is_note(block.content),
                _ => false,
            });
            !blocks.is_empty() && notes.all(|is_note| is_note)
        }
        Content::Missing | Content::Odd(_) => false,
    }
}
