//! The decode error.

use std::fmt;

/// The text is not a JSON object.
///
/// Everything else decodes, including unrecognized messages and fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError(Kind);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// The text is not valid JSON from here on.
    At(usize),
    /// The text is JSON, but of another type.
    Other,
    /// The line is neither UTF-8 nor JSON.
    NotText,
}

impl DecodeError {
    pub(crate) fn at(offset: usize) -> Self {
        Self(Kind::At(offset))
    }

    pub(crate) fn other_kind() -> Self {
        Self(Kind::Other)
    }

    pub(crate) fn not_text() -> Self {
        Self(Kind::NotText)
    }

    /// Shifts the offset by the number of bytes before the text.
    pub(crate) fn behind(self, before: usize) -> Self {
        match self.0 {
            Kind::At(offset) => Self::at(offset + before),
            other => Self(other),
        }
    }

    /// Returns the byte offset at which the text stops being JSON; `None` if it is JSON of another
    /// type or not text.
    pub fn offset(&self) -> Option<usize> {
        match self.0 {
            Kind::At(offset) => Some(offset),
            Kind::Other | Kind::NotText => None,
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kind::At(offset) => write!(f, "the text is not JSON from byte {offset} on"),
            Kind::Other => f.write_str("the text is JSON, but of another kind than expected"),
            Kind::NotText => f.write_str("the line is neither UTF-8 nor JSON"),
        }
    }
}

impl std::error::Error for DecodeError {}
