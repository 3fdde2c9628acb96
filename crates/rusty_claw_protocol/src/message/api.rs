//! A message of the Messages API, as it travels inside user and assistant lines.

mod content;
mod details;

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::usage::UsageInfo;
use crate::wire::{Found, Malformed, Reader};

pub use content::Content;
pub use details::*;

/// A message of the Messages API.
///
/// Leniency: also read from a bare string, which is how the session file document has it; that is
/// a message without a role and with one text block.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(or = "text_as_message")]
pub struct ApiMessage {
    /// `user` or `assistant`.
    pub role: Str,
    /// What it says.
    pub content: Content,
    /// The API's id; several lines share it, one for each block.
    pub id: Option<Str>,
    /// Always `message`.
    #[wire(name = "type")]
    pub object_type: Option<Str>,
    /// The model that answered; `<synthetic>` for messages the CLI made itself.
    pub model: Option<Str>,
    /// Why the model stopped; not yet known while blocks are still coming.
    pub stop_reason: Option<StopReason>,
    /// The stop sequence that was hit.
    pub stop_sequence: Option<Str>,
    /// More about a refusal.
    pub stop_details: Option<Box<RefusalDetails>>,
    /// Tokens; provisional while blocks are still coming.
    pub usage: Option<Box<UsageInfo>>,
    /// The sandbox that was used.
    pub container: Option<Box<Container>>,
    /// What the API removed from the context by itself.
    pub context_management: Option<Box<ContextManagement>>,
    /// What the API noticed about the request.
    pub diagnostics: Option<Box<Diagnostics>>,
    /// What the API changed in the request.
    pub input_transformations: Option<Vec<InputTransformation>>,
    /// What no field holds.
    pub extra: Extra,
}

impl ApiMessage {
    /// What a user says: a text, a block, or several.
    pub fn user(content: impl Into<Content>) -> Self {
        Self {
            role: Str::from_static("user"),
            content: content.into(),
            ..Self::default()
        }
    }

    /// What a model says: a text, a block, or several.
    pub fn assistant(content: impl Into<Content>) -> Self {
        Self {
            role: Str::from_static("assistant"),
            content: content.into(),
            ..Self::default()
        }
    }
}

/// Leniency: the session file document has `message` as a string. It reads as a message without a
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
        /// It had said everything.
        EndTurn = "end_turn",
        /// The output limit was reached.
        MaxTokens = "max_tokens",
        /// A stop sequence was hit.
        StopSequence = "stop_sequence",
        /// It asked for a tool.
        ToolUse = "tool_use",
        /// A long turn was paused by the API.
        PauseTurn = "pause_turn",
        /// The context was compacted.
        Compaction = "compaction",
        /// It declined to answer.
        Refusal = "refusal",
        /// The context window was full.
        ModelContextWindowExceeded = "model_context_window_exceeded",
    }
}
