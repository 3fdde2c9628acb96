//! The content of a message.

use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::content::ContentBlock;
use crate::wire::{Found, Malformed, Reader, Shape, Wire};

/// The content of a message: a list of blocks.
///
/// A plain string is read as one text block and written as a string again.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Content {
    blocks: Vec<ContentBlock>,
    plain: bool,
}

impl Content {
    /// Returns whether it is a plain string on the wire.
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// Returns the concatenated text blocks.
    pub fn text(&self) -> String {
        self.blocks
            .iter()
            .filter_map(ContentBlock::as_text)
            .collect()
    }

    /// Returns the blocks.
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

impl From<ContentBlock> for Content {
    fn from(block: ContentBlock) -> Self {
        Self::from(vec![block])
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

impl Wire for Content {
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

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::wire::deserialize(deserializer)
    }
}
