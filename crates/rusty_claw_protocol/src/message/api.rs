//! A Messages API message, as in user and assistant lines.

mod content;
mod details;

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;
use crate::usage::UsageInfo;
use crate::wire::{Found, Malformed, Reader};

pub use content::Content;
pub use details::*;

/// A Messages API message.
///
/// Leniency: also read from a string, as in the session file document; it becomes a message without
/// a role and with one text block.
#[wire_type(or = "text_as_message")]
pub struct ApiMessage {
    /// `user` or `assistant`.
    pub role: Str,
    /// The content blocks.
    pub content: Content,
    /// The API's id; shared by several lines, one per block.
    pub id: Option<Str>,
    /// Always `message`.
    #[wire(name = "type")]
    pub object_type: Option<Str>,
    /// The model; `<synthetic>` for messages by the CLI itself.
    pub model: Option<Str>,
    /// Why the model stopped; `None` while blocks are still being generated.
    pub stop_reason: Option<StopReason>,
    /// The stop sequence that occurred.
    pub stop_sequence: Option<Str>,
    /// Details about a refusal.
    pub stop_details: Option<Box<RefusalDetails>>,
    /// Tokens; provisional while blocks are still being generated.
    pub usage: Option<Box<UsageInfo>>,
    /// The sandbox that was used.
    pub container: Option<Box<Container>>,
    /// Context edits by the API.
    pub context_management: Option<Box<ContextManagement>>,
    /// Diagnostics of the request.
    pub diagnostics: Option<Box<Diagnostics>>,
    /// Changes that the API made to the request.
    pub input_transformations: Option<Vec<InputTransformation>>,
}

impl ApiMessage {
    /// Returns a user message from a text, a block, or several.
    pub fn user(content: impl Into<Content>) -> Self {
        Self {
            role: Str::from_static("user"),
            content: content.into(),
            ..Self::default()
        }
    }

    /// Returns an assistant message from a text, a block, or several.
    pub fn assistant(content: impl Into<Content>) -> Self {
        Self {
            role: Str::from_static("assistant"),
            content: content.into(),
            ..Self::default()
        }
    }
}

/// Leniency: the session file document has `message` as a string. It becomes a message without a
/// role and with one text block.
pub(crate) fn text_as_message(reader: &mut Reader<'_>) -> Result<Found<ApiMessage>, Malformed> {
    let Some(text) = reader.string()? else {
        return Ok(Found::Other);
    };
    Ok(Found::Approx(ApiMessage {
        content: Content::from(text.into_owned()),
        ..ApiMessage::default()
    }))
}

open_enum! {
    /// Why the model stopped.
    pub enum StopReason {
        /// The answer was complete.
        EndTurn = "end_turn",
        /// The output limit was reached.
        MaxTokens = "max_tokens",
        /// A stop sequence occurred.
        StopSequence = "stop_sequence",
        /// It called a tool.
        ToolUse = "tool_use",
        /// The API paused a long turn.
        PauseTurn = "pause_turn",
        /// The context was compacted.
        Compaction = "compaction",
        /// It declined to answer.
        Refusal = "refusal",
        /// The context window was full.
        ModelContextWindowExceeded = "model_context_window_exceeded",
    }
}
