//! A line and its decoded message.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;

use crate::error::DecodeError;
use crate::line_text::{readable, trim};
use crate::message::Message;
use crate::peek::Peek;
use crate::wire::read_all;

/// A line as received, without its newline.
///
/// Cloning shares the bytes. Store and relay this, never a re-serialized value.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct RawLine(Bytes);

impl RawLine {
    /// Returns the bytes, exactly as received.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the shared bytes.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }

    /// Returns the line as text; invalid UTF-8 is replaced by U+FFFD.
    pub fn to_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    /// Returns type, subtype, session and uuid, without decoding the rest.
    pub fn peek(&self) -> Option<Peek<'_>> {
        Peek::new(&self.0)
    }
}

impl From<Bytes> for RawLine {
    fn from(bytes: Bytes) -> Self {
        Self(bytes)
    }
}

impl From<Vec<u8>> for RawLine {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

impl From<&[u8]> for RawLine {
    fn from(bytes: &[u8]) -> Self {
        Self(Bytes::copy_from_slice(bytes))
    }
}

// The type of `b"…"`.
impl<const N: usize> From<&[u8; N]> for RawLine {
    fn from(bytes: &[u8; N]) -> Self {
        Self::from(bytes.as_slice())
    }
}

impl From<String> for RawLine {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&str> for RawLine {
    fn from(text: &str) -> Self {
        Self::from(text.as_bytes())
    }
}

impl fmt::Debug for RawLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_text(), f)
    }
}

/// A message and its line.
///
/// The line is authoritative; the message is a view of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Received {
    /// The line, byte for byte.
    pub raw: RawLine,
    /// The decoded message.
    pub message: Message,
}

/// A decoded line from the CLI.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Line {
    /// A JSON object: always a message, possibly of an unknown type.
    Message(Box<Received>),
    /// Anything else, kept to be shown, counted and relayed.
    NotJson {
        /// The line, byte for byte.
        raw: RawLine,
        /// The error, with its position.
        error: DecodeError,
    },
}

impl Line {
    /// Decodes a line. Never fails.
    ///
    /// ```
    /// use rusty_claw_protocol::Line;
    ///
    /// let line = Line::decode(b"panic: something printed this");
    /// assert!(matches!(line, Line::NotJson { .. }));
    /// ```
    pub fn decode(raw: impl Into<RawLine>) -> Self {
        let raw = raw.into();
        match decode_message(raw.as_bytes()) {
            Ok(message) => Self::Message(Box::new(Received { raw, message })),
            Err(error) => Self::NotJson { raw, error },
        }
    }

    /// Returns the message, if the line is one.
    pub fn message(&self) -> Option<&Message> {
        match self {
            Self::Message(received) => Some(&received.message),
            Self::NotJson { .. } => None,
        }
    }

    /// Returns the line, byte for byte.
    pub fn raw(&self) -> &RawLine {
        match self {
            Self::Message(received) => &received.raw,
            Self::NotJson { raw, .. } => raw,
        }
    }
}

impl Received {
    /// Decodes a line that must be a JSON object.
    ///
    /// # Errors
    /// Returns an error if it is not one. Use [`Line::decode`] to keep such lines.
    pub fn decode(raw: impl Into<RawLine>) -> Result<Self, DecodeError> {
        let raw = raw.into();
        decode_message(raw.as_bytes()).map(|message| Self { raw, message })
    }
}

pub(crate) fn decode_message(line: &[u8]) -> Result<Message, DecodeError> {
    let trimmed = trim(line);
    let before = trimmed.as_ptr() as usize - line.as_ptr() as usize;
    if !trimmed.starts_with(b"{") && simdutf8::basic::from_utf8(trimmed).is_err() {
        return Err(DecodeError::not_text());
    }
    match readable(trimmed) {
        Cow::Borrowed(text) => read_all(text).map_err(|error: DecodeError| error.behind(before)),
        // Replaced bytes shift all later offsets.
        Cow::Owned(text) => read_all(&text).map_err(|_| DecodeError::not_text()),
    }
}
