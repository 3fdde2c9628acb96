//! Tool results.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::content::ContentBlock;
use crate::json::Json;
use crate::wire::{Found, Malformed, Reader, Shape, Wire};

/// The content of a tool result: a string, blocks, or any other value.
///
/// Displays as [`ToolResultContent::to_text`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ToolResultContent {
    /// Plain text.
    Text(String),
    /// Text, images, tool references.
    Blocks(Vec<ContentBlock>),
    /// Any other value, as received.
    Other(Json),
}

impl ToolResultContent {
    /// Returns the text, one line per block. A block without text is shown as its type in brackets,
    /// such as `[image]`.
    pub fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Blocks(blocks) => match blocks.as_slice() {
                [ContentBlock::Text { text, .. }] => Cow::Borrowed(text),
                blocks => Cow::Owned(
                    blocks
                        .iter()
                        .map(|block| match block.as_text() {
                            Some(text) => Cow::Borrowed(text),
                            None => Cow::Owned(format!("[{}]", block.tag())),
                        })
                        .collect::<Vec<_>>()
                        .join("\n"),
                ),
            },
            Self::Other(json) => Cow::Borrowed(json.text()),
        }
    }

    /// Returns the text, if it is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the blocks; empty if it is not a list of blocks.
    pub fn blocks(&self) -> &[ContentBlock] {
        match self {
            Self::Blocks(blocks) => blocks,
            _ => &[],
        }
    }
}

/// An empty string: the value of a required field whose member is missing.
impl Default for ToolResultContent {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl fmt::Display for ToolResultContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_text())
    }
}

impl From<String> for ToolResultContent {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for ToolResultContent {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Vec<ContentBlock>> for ToolResultContent {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Self::Blocks(blocks)
    }
}

impl Wire for ToolResultContent {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        if let Some(text) = reader.string()? {
            return Ok(Found::Exact(Self::Text(text.into_owned())));
        }
        match Vec::read(reader)?.map(Self::Blocks) {
            Found::Other => Ok(<Json as Wire>::read(reader)?.map(Self::Other)),
            found => Ok(found),
        }
    }

    fn shape() -> Option<&'static Shape> {
        ContentBlock::shape()
    }
}

impl Serialize for ToolResultContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Blocks(blocks) => blocks.serialize(serializer),
            Self::Other(json) => json.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ToolResultContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::wire::deserialize(deserializer)
    }
}
