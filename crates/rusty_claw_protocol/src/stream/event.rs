//! The events of the API's stream.

use rusty_claw_macros::Wire;

use crate::content::ContentBlock;
use crate::extra::Extra;
use crate::message::{
    ApiMessage, Container, ContextManagement, InputTransformation, RefusalDetails, StopReason,
};
use crate::stream::ContentDelta;
use crate::text::Str;
use crate::unknown::Unknown;
use crate::usage::MessageDeltaUsage;

/// One event of the API's stream. Told apart by `type`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum ApiStreamEvent {
    /// A message begins.
    MessageStart {
        /// The message, still without content.
        message: Box<ApiMessage>,
        /// What no field holds.
        extra: Extra,
    },
    /// The message as a whole changed; comes near its end.
    MessageDelta(Box<MessageDelta>),
    /// The message is complete.
    MessageStop {
        /// What no field holds.
        extra: Extra,
    },
    /// A block begins.
    ContentBlockStart {
        /// Which block of the message.
        index: u64,
        /// The block, still empty.
        content_block: Box<ContentBlock>,
        /// What no field holds.
        extra: Extra,
    },
    /// A piece of a block.
    ContentBlockDelta {
        /// Which block of the message.
        index: u64,
        /// The piece.
        delta: ContentDelta,
        /// What no field holds.
        extra: Extra,
    },
    /// A block is complete.
    ContentBlockStop {
        /// Which block of the message.
        index: u64,
        /// What no field holds.
        extra: Extra,
    },
    /// The stream is alive. The CLI keeps these to itself.
    Ping {
        /// What no field holds.
        extra: Extra,
    },
    /// The stream failed.
    Error {
        /// Why.
        error: ApiError,
        /// What no field holds.
        extra: Extra,
    },
    /// An event that is new to this library.
    Unknown(Unknown),
}

/// What changed about a message as a whole.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct MessageDelta {
    /// The members that changed.
    pub delta: MessageChange,
    /// Tokens so far.
    pub usage: Option<MessageDeltaUsage>,
    /// What the API removed from the context by itself.
    pub context_management: Option<ContextManagement>,
    /// What the API changed in the request.
    pub input_transformations: Option<Vec<InputTransformation>>,
    /// What no field holds.
    pub extra: Extra,
}

/// The members of a message that are known only at its end.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct MessageChange {
    /// Why the model stopped.
    pub stop_reason: Option<StopReason>,
    /// The stop sequence that was hit.
    pub stop_sequence: Option<Str>,
    /// More about a refusal.
    pub stop_details: Option<Box<RefusalDetails>>,
    /// The sandbox that was used.
    pub container: Option<Box<Container>>,
    /// What no field holds.
    pub extra: Extra,
}

/// An error of the API.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ApiError {
    /// Such as `overloaded_error`.
    #[wire(name = "type")]
    pub kind: Str,
    /// The reason in words.
    pub message: String,
    /// What no field holds.
    pub extra: Extra,
}
