//! What the order of a conversation depends on, for one line.

use super::ids::{Id, Ids};
use crate::lines::Span;
use crate::members::{self, Members};

/// The type of a line that has a uuid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    User,
    Assistant,
    System,
    Attachment,
    /// Of old releases: a step that later lines may hang under, but nobody is shown.
    Progress,
}

/// What a user line is in the record of a command that ran without the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LocalCommand {
    Caveat,
    Record,
    Output,
}

/// The messages that a compaction kept: they stay where they were and count as behind its anchor.
#[derive(Debug, Clone)]
pub(crate) struct Preserved {
    pub(crate) anchor: Option<Id>,
    /// All of them in order, in newer files.
    pub(crate) all: Option<Vec<Id>>,
    /// First and last, in older files.
    pub(crate) ends: Option<(Option<Id>, Option<Id>)>,
}

/// A prompt that waited in the queue, as an attachment.
#[derive(Debug, Clone)]
pub(crate) struct Queued {
    pub(crate) source: Option<Id>,
    pub(crate) delivery: Option<Id>,
}

/// One line that has a uuid.
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
    /// A boundary that rewinding wrote, not a compaction.
    pub(crate) rewind_boundary: bool,
    pub(crate) fork_briefing: bool,
    /// A user line that holds tool results and hangs under something.
    pub(crate) answers_tools: bool,
    /// A user line that says that somebody stopped the model.
    pub(crate) interrupt: bool,
    pub(crate) local_command: Option<LocalCommand>,
    /// Comes from a channel whose hidden messages are shown.
    pub(crate) shown_origin: bool,
    /// The API message that an assistant line is a block of.
    pub(crate) message_id: Option<Id>,
    /// Of the tools that an assistant line calls.
    pub(crate) calls: Box<[Id]>,
    /// Of the tools that a user line answers.
    pub(crate) answers: Box<[Id]>,
    pub(crate) source_assistant: Option<Id>,
    pub(crate) agent: Option<Id>,
    pub(crate) queued: Option<Box<Queued>>,
    pub(crate) preserved: Option<Box<Preserved>>,
    /// A fork that ends here does not have the messages that were kept.
    pub(crate) forget_preserved: bool,
}

impl Node {
    /// `None` for lines that are not part of the tree.
    pub(crate) fn read(line: &Members<'_>, span: Span, ids: &mut Ids) -> Option<Self> {
        let kind = match &*line.string("type")? {
            "user" => Kind::User,
            "assistant" => Kind::Assistant,
            "system" => Kind::System,
            "attachment" => Kind::Attachment,
            "progress" => Kind::Progress,
            _ => return None,
        };
        let id = ids.of(&line.string("uuid")?);
        let message = line.object("message");
        let content = message.as_ref().and_then(|message| message.get("content"));
        let blocks = Blocks::read(content.unwrap_or_default(), ids);
        let parent = optional(line, "parentUuid", ids);
        let attachment = line
            .object("attachment")
            .filter(|_| kind == Kind::Attachment);
        let attachment_type = attachment
            .as_ref()
            .and_then(|attachment| attachment.string("type"));
        let boundary =
            kind == Kind::System && line.string("subtype").as_deref() == Some("compact_boundary");
        let compaction = line.object("compactMetadata").filter(|_| boundary);
        let preserved = compaction
            .as_ref()
            .and_then(|data| Preserved::read(data, ids));
        let rewind_boundary = compaction.is_some_and(|data| data.get("durationMs") == Some("0"))
            && preserved
                .as_ref()
                .is_some_and(|kept| kept.anchor == Some(id));
        let user = kind == Kind::User;
        Some(Self {
            span,
            kind,
            id,
            parent,
            logical_parent: optional(line, "logicalParentUuid", ids),
            time: line
                .string("timestamp")
                .and_then(|time| crate::time::parse_ms(&time))
                .unwrap_or(i64::MIN),
            sidechain: line.is_truthy("isSidechain"),
            team: line.is_truthy("teamName"),
            meta: line.is_truthy("isMeta"),
            compact_summary: line.is_truthy("isCompactSummary"),
            compact_boundary: boundary,
            rewind_boundary,
            fork_briefing: attachment_type.as_deref() == Some("fork_briefing"),
            answers_tools: user && parent.is_some() && blocks.has_results,
            interrupt: user && is_interrupt(content.unwrap_or_default()),
            local_command: if user && line.get("promptSource").is_none() {
                local_command(content.unwrap_or_default())
            } else {
                None
            },
            shown_origin: line
                .object("origin")
                .is_some_and(|origin| is_shown(&origin)),
            message_id: message
                .filter(|_| kind == Kind::Assistant)
                .and_then(|message| message.string("id").map(|id| ids.of(&id))),
            calls: blocks.calls.into(),
            answers: blocks.answers.into(),
            source_assistant: optional(line, "sourceToolAssistantUUID", ids),
            agent: optional(line, "agentId", ids),
            queued: attachment
                .filter(|_| attachment_type.as_deref() == Some("queued_command"))
                .map(|queued| {
                    Box::new(Queued {
                        source: optional(&queued, "source_uuid", ids),
                        delivery: optional(&queued, "delivery_id", ids),
                    })
                }),
            preserved: preserved.map(Box::new),
            forget_preserved: false,
        })
    }

    /// Whether this is something that somebody said.
    pub(crate) fn is_said(&self) -> bool {
        matches!(self.kind, Kind::User | Kind::Assistant)
    }
}

/// What the content blocks of a message name.
#[derive(Default)]
struct Blocks {
    calls: Vec<Id>,
    answers: Vec<Id>,
    has_results: bool,
}

impl Blocks {
    fn read(content: &str, ids: &mut Ids) -> Self {
        let mut blocks = Self::default();
        if !content.starts_with('[') {
            return blocks;
        }
        for block in members::list(content) {
            let Some(block) = Members::read(block) else {
                continue;
            };
            match block.string("type").as_deref() {
                Some("tool_use") => blocks
                    .calls
                    .extend(block.string("id").map(|id| ids.of(&id))),
                Some("tool_result") => {
                    blocks.has_results = true;
                    blocks
                        .answers
                        .extend(block.string("tool_use_id").map(|id| ids.of(&id)));
                }
                _ => {}
            }
        }
        blocks
    }
}

impl Preserved {
    fn read(data: &Members<'_>, ids: &mut Ids) -> Option<Self> {
        let messages = data.object("preservedMessages");
        let segment = data.object("preservedSegment");
        let either = messages.as_ref().or(segment.as_ref())?;
        let anchor = optional(either, "anchorUuid", ids);
        Some(Self {
            anchor,
            all: messages.as_ref().map(|messages| {
                let uuids = members::list(messages.get("uuids").unwrap_or_default());
                let uuids = uuids.into_iter().filter_map(members::string);
                uuids.map(|uuid| ids.of(&uuid)).collect()
            }),
            ends: segment.as_ref().map(|segment| {
                (
                    optional(segment, "headUuid", ids),
                    optional(segment, "tailUuid", ids),
                )
            }),
        })
    }

    /// Every message that it names.
    pub(crate) fn named(&self) -> impl Iterator<Item = Id> {
        let (head, tail) = self.ends.unwrap_or_default();
        let all = self.all.iter().flatten().copied();
        all.chain(head).chain(tail)
    }
}

/// A member that names another line; an empty string names none.
fn optional(line: &Members<'_>, name: &str, ids: &mut Ids) -> Option<Id> {
    let text = line.string(name).filter(|text| !text.is_empty())?;
    Some(ids.of(&text))
}

/// Hidden messages of these origins are shown all the same: a person or another agent sent them.
pub(crate) fn is_shown(origin: &Members<'_>) -> bool {
    matches!(
        origin.string("kind").as_deref(),
        Some("channel" | "observer" | "observer-activity" | "slack-ping" | "voice-call" | "peer")
    )
}

fn local_command(content: &str) -> Option<LocalCommand> {
    let text = match members::string(content) {
        Some(text) => text.into_owned(),
        None => {
            let blocks = members::list(content).into_iter().rev();
            let mut texts = blocks
                .filter_map(Members::read)
                .filter(|block| block.string("type").as_deref() == Some("text"));
            texts.next()?.string("text")?.into_owned()
        }
    };
    [
        ("<command-name>", LocalCommand::Record),
        ("<local-command-stdout>", LocalCommand::Output),
        ("<local-command-stderr>", LocalCommand::Output),
        ("<local-command-caveat>", LocalCommand::Caveat),
    ]
    .into_iter()
    .find_map(|(start, command)| text.starts_with(start).then_some(command))
}

/// How the notes begin that the CLI leaves where something was cut off.
const INTERRUPTS: [&str; 4] = [
    "[Request interrupted",
    "[Agent call interrupted: ",
    "[Tool call did not complete: ",
    "[Tool call interrupted: ",
];

pub(crate) fn is_interrupt(content: &str) -> bool {
    let is_note = |text: &str| INTERRUPTS.iter().any(|note| text.starts_with(note));
    if let Some(text) = members::string(content) {
        return is_note(&text);
    }
    let blocks = members::list(content);
    !blocks.is_empty()
        && blocks.into_iter().all(|block| {
            let Some(block) = Members::read(block) else {
                return false;
            };
            let text = match block.string("type").as_deref() {
                Some("text") => block.string("text"),
                Some("tool_result") if block.is_true("is_error") => block.string("content"),
                _ => None,
            };
            text.is_some_and(|text| is_note(&text))
        })
}
