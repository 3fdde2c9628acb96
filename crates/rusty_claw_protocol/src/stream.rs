//! Stream events of a message in progress.

mod delta;
mod event;

use rusty_claw_macros::wire_type;

use crate::json::Json;
use crate::text::Str;

pub use delta::*;
pub use event::*;

/// An event of the API's stream. Printed only with `--include-partial-messages`.
#[wire_type]
pub struct StreamEvent {
    /// The kind of event, as in one document; use [`StreamEvent::kind`].
    pub event_type: Option<Str>,
    /// Its payload, as in one document.
    pub data: Option<Json>,
    /// The event, as the CLI sends it.
    pub event: Option<ApiStreamEvent>,
    /// The tool use that started the subagent this belongs to.
    pub parent_tool_use_id: Option<Str>,
    /// The session's id.
    pub session_id: Option<Str>,
    /// The line's id.
    pub uuid: Option<Str>,
    /// The API's id of the message in progress.
    pub api_message_id: Option<Str>,
    /// Time to the first token; on the first event of a message.
    pub ttft_ms: Option<u64>,
    /// How thinking is displayed.
    pub thinking_display: Option<Str>,
    /// The prompt that this answers; on the first event of a turn.
    pub user_message_uuid: Option<Str>,
    /// The prompts that this answers; on the first event of a turn.
    pub user_message_uuids: Option<Vec<Str>>,
    /// Why the turn is rerun.
    pub resume_reason: Option<Str>,
    /// Set if the stream broke; the text of these blocks is void.
    pub abandoned_blocks: Option<Box<AbandonedBlocks>>,
    /// The ids of lines of the turn that were stored but not yet printed.
    pub owed_rows: Option<Vec<Str>>,
}

/// Blocks of a broken stream, whose text must be discarded.
#[wire_type]
pub struct AbandonedBlocks {
    /// The message's id.
    pub api_message_id: Option<Str>,
    /// The first abandoned block; all later ones are abandoned too.
    pub from_block_index: Option<u64>,
}

impl StreamEvent {
    /// Returns the kind of event from either form; empty if there is none.
    pub fn kind(&self) -> &str {
        match (&self.event_type, &self.event) {
            (Some(kind), _) => kind,
            (None, Some(event)) => event.tag(),
            (None, None) => "",
        }
    }

    /// Returns the text of a text delta.
    pub fn text_delta(&self) -> Option<&str> {
        match &self.event {
            Some(ApiStreamEvent::ContentBlockDelta {
                delta: ContentDelta::TextDelta { text, .. },
                ..
            }) => Some(text),
            _ => None,
        }
    }
}
