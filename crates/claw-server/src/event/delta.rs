//! Streamed text.

use serde::{Deserialize, Serialize};

/// A piece of a text block while it is streamed. It is not logged, may be lost and may arrive
/// twice.
///
/// The offset makes that harmless: a receiver can place each piece, and the complete message, which
/// is an event, contains any missing text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TextDelta {
    /// The turn of the message.
    pub turn: u64,
    /// The API's id of the message.
    pub message_id: String,
    /// The index of the block in the message, starting at 0.
    pub block: u32,
    /// The offset of this piece in the block's text, in bytes of UTF-8.
    pub offset: u64,
    /// The text of the piece.
    pub text: String,
    /// Whether the block is retracted: its text so far is discarded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retracted: bool,
}

impl TextDelta {
    /// Creates a piece of a block that begins at an offset.
    pub fn new(
        turn: u64,
        message_id: impl Into<String>,
        block: u32,
        offset: u64,
        text: impl Into<String>,
    ) -> Self {
        Self {
            turn,
            message_id: message_id.into(),
            block,
            offset,
            text: text.into(),
            retracted: false,
        }
    }

    /// Retracts a block whose stream broke: its text so far is discarded.
    pub fn retraction(turn: u64, message_id: impl Into<String>, block: u32) -> Self {
        Self {
            retracted: true,
            ..Self::new(turn, message_id, block, 0, "")
        }
    }

    /// The offset at which the next piece begins.
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(self.text.len() as u64)
    }
}
