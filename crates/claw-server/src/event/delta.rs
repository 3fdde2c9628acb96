//! Text that is still being written.

use serde::{Deserialize, Serialize};

/// A piece of a text block, live only: it is in no log, may be lost, and may come twice.
///
/// The offset makes that harmless. Whoever joins pieces knows where each belongs, and the whole
/// message, which is an event, says what lies beyond.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TextDelta {
    /// The turn.
    pub turn: u64,
    /// The API message that the block is in.
    pub message_id: String,
    /// Which block of the message, from 0 on.
    pub block: u32,
    /// How many bytes of the block's text (UTF-8) lie before this piece.
    pub offset: u64,
    /// The piece.
    pub text: String,
    /// Whether the block is taken back: what was sent of it does not count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retracted: bool,
}

impl TextDelta {
    /// A piece of a block, from an offset on.
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

    /// A block whose stream broke: what was sent of it does not count.
    pub fn retraction(turn: u64, message_id: impl Into<String>, block: u32) -> Self {
        Self {
            retracted: true,
            ..Self::new(turn, message_id, block, 0, "")
        }
    }

    /// Where the next piece begins.
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(self.text.len() as u64)
    }
}
