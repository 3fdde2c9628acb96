//! The one thing that can go wrong here.

use std::fmt;

/// The text is not a JSON object.
///
/// Everything else, including messages and fields nobody has seen before, decodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError {
    at: Option<usize>,
}

impl DecodeError {
    pub(crate) fn at(offset: usize) -> Self {
        Self { at: Some(offset) }
    }

    pub(crate) fn other_kind() -> Self {
        Self { at: None }
    }

    /// Where the text stops being JSON, in bytes from its start; `None` when it is JSON of
    /// another kind.
    pub fn offset(&self) -> Option<usize> {
        self.at
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some(offset) => write!(f, "the text is not JSON from byte {offset} on"),
            None => f.write_str("the text is JSON, but of another kind than expected"),
        }
    }
}

impl std::error::Error for DecodeError {}
