//! Pieces of a message that is still being written.

mod delta;
mod event;

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;

pub use delta::*;
pub use event::*;

/// One event of the API's stream. Printed only with `--include-partial-messages`.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct StreamEvent {
    /// The kind of event, as one document has it; ask [`StreamEvent::kind`].
    pub event_type: Option<Str>,
    /// Its payload, as one document has it.
    pub data: Option<Json>,
    /// The event, as the CLI sends it.
    pub event: Option<ApiStreamEvent>,
    /// The tool use that started the subagent this belongs to.
    pub parent_tool_use_id: Option<Str>,
    /// The session.
    pub session_id: Option<Str>,
    /// The line's id.
    pub uuid: Option<Str>,
    /// The API's id of the message that is being written.
    pub api_message_id: Option<Str>,
    /// Time to the first token, on the first event of a message.
    pub ttft_ms: Option<u64>,
    /// How thinking is shown.
    pub thinking_display: Option<Str>,
    /// The prompt that this answers, on the first event of a turn.
    pub user_message_uuid: Option<Str>,
    /// The prompts that this answers, on the first event of a turn.
    pub user_message_uuids: Option<Vec<Str>>,
    /// Why the turn is run again.
    pub resume_reason: Option<Str>,
    /// The stream broke; what was written of these blocks does not count.
    pub abandoned_blocks: Option<Box<AbandonedBlocks>>,
    /// Lines of the turn that were stored but not printed yet, by their ids.
    pub owed_rows: Option<Vec<Str>>,
    /// What no field holds.
    pub extra: Extra,
}

/// Blocks of a stream that broke: their text is to be thrown away.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct AbandonedBlocks {
    /// The message.
    pub api_message_id: Option<Str>,
    /// This block and all after it.
    pub from_block_index: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}

impl StreamEvent {
    /// The kind of event, whichever way it was said; empty when it was not.
    pub fn kind(&self) -> &str {
        match (&self.event_type, &self.event) {
            (Some(kind), _) => kind,
            (None, Some(event)) => event.tag(),
            (None, None) => "",
        }
    }

    /// The piece of text, when this is one.
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
