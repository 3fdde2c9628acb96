//! The events of the API's stream.

use rusty_claw_macros::wire_type;

use crate::content::ContentBlock;
use crate::message::{
    ApiMessage, Container, ContextManagement, InputTransformation, RefusalDetails, StopReason,
};
use crate::stream::ContentDelta;
use crate::text::Str;
use crate::unknown::Unknown;
use crate::usage::MessageDeltaUsage;

/// An event of the API's stream. Tagged by `type`.
#[wire_type(tag = "type")]
pub enum ApiStreamEvent {
    /// A message starts.
    MessageStart {
        /// The message, without content.
        message: Box<ApiMessage>,
    },
    /// Message-level changes; sent near its end.
    MessageDelta(Box<MessageDelta>),
    /// The message is complete.
    MessageStop {},
    /// A block starts.
    ContentBlockStart {
        /// Index of the block in the message.
        index: u64,
        /// The block, empty.
        content_block: Box<ContentBlock>,
    },
    /// A delta of a block.
    ContentBlockDelta {
        /// Index of the block in the message.
        index: u64,
        /// The delta.
        delta: ContentDelta,
    },
    /// A block is complete.
    ContentBlockStop {
        /// Index of the block in the message.
        index: u64,
    },
    /// A keep-alive. The CLI does not forward it.
    Ping {},
    /// The stream failed.
    Error {
        /// The error.
        error: ApiError,
    },
    /// An unrecognized event.
    Unknown(Unknown),
}

/// Message-level changes.
#[wire_type]
pub struct MessageDelta {
    /// The changed members.
    pub delta: MessageChange,
    /// Tokens so far.
    pub usage: Option<MessageDeltaUsage>,
    /// Context edits by the API.
    pub context_management: Option<ContextManagement>,
    /// Changes that the API made to the request.
    pub input_transformations: Option<Vec<InputTransformation>>,
}

/// Members of a message that are known only at its end.
#[wire_type]
pub struct MessageChange {
    /// Why the model stopped.
    pub stop_reason: Option<StopReason>,
    /// The stop sequence that occurred.
    pub stop_sequence: Option<Str>,
    /// Details about a refusal.
    pub stop_details: Option<Box<RefusalDetails>>,
    /// The sandbox that was used.
    pub container: Option<Box<Container>>,
}

/// An API error.
#[wire_type]
pub struct ApiError {
    /// For example `overloaded_error`.
    #[wire(name = "type")]
    pub kind: Str,
    /// The error message.
    pub message: String,
}
