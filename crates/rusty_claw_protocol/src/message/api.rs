//! A message of the Messages API, as it travels inside user and assistant lines.

use std::ops::Deref;

use rusty_claw_macros::Wire;
use serde::{Serialize, Serializer};

use crate::content::ContentBlock;
use crate::extra::Extra;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::usage::UsageInfo;
use crate::wire::{Found, Malformed, Reader, Shape, Wire as WireType};

/// A message of the Messages API.
///
/// Also read from a bare string, as one document has it: see [`text_as_message`].
#[derive(Debug, Clone, Default, PartialEq, Wire)]
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
    /// Tokens; provisional while blocks are still coming.
    pub usage: Option<Box<UsageInfo>>,
    /// What the API removed from the context by itself.
    pub context_management: Option<Json>,
    /// What no field holds.
    pub extra: Extra,
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

/// The content of a message: a list of blocks.
///
/// Content that came as a plain string reads as one text block and is written as a string again.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Content {
    blocks: Vec<ContentBlock>,
    plain: bool,
}

impl Content {
    /// Whether it is a plain string on the wire.
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// The blocks themselves.
    pub fn into_blocks(self) -> Vec<ContentBlock> {
        self.blocks
    }
}

impl Deref for Content {
    type Target = [ContentBlock];

    fn deref(&self) -> &[ContentBlock] {
        &self.blocks
    }
}

impl From<Vec<ContentBlock>> for Content {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Self {
            blocks,
            plain: false,
        }
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self {
            blocks: vec![ContentBlock::text(text)],
            plain: true,
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl<'a> IntoIterator for &'a Content {
    type Item = &'a ContentBlock;
    type IntoIter = std::slice::Iter<'a, ContentBlock>;

    fn into_iter(self) -> Self::IntoIter {
        self.blocks.iter()
    }
}

impl IntoIterator for Content {
    type Item = ContentBlock;
    type IntoIter = std::vec::IntoIter<ContentBlock>;

    fn into_iter(self) -> Self::IntoIter {
        self.blocks.into_iter()
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.plain, self.blocks.as_slice()) {
            (true, [ContentBlock::Text { text, .. }]) => serializer.serialize_str(text),
            _ => self.blocks.serialize(serializer),
        }
    }
}

impl WireType for Content {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        if let Some(text) = reader.string()? {
            return Ok(Found::Exact(Self::from(text.into_owned())));
        }
        Ok(Vec::read(reader)?.map(Self::from))
    }

    fn shape() -> Option<&'static Shape> {
        ContentBlock::shape()
    }
}
