//! A line and what it says, together.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;

use crate::error::DecodeError;
use crate::message::Message;
use crate::peek::Peek;
use crate::wire::read_all;

/// A line as it came, without its newline.
///
/// Cloning shares the bytes. Storing and relaying use these, never a typed value written again.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct RawLine(Bytes);

impl RawLine {
    /// The bytes, exactly as they came.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The shared bytes.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }

    /// The line as text; bytes that are not UTF-8 show as U+FFFD.
    pub fn to_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    /// Type, subtype, session and uuid, without decoding the rest.
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

/// A message and the line it was read from.
///
/// The line is the truth; the message is a view of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Received {
    /// The line, byte for byte.
    pub raw: RawLine,
    /// What it says.
    pub message: Message,
}

/// What one line from the CLI turned out to be.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Line {
    /// A JSON object: always a message, though perhaps of an unknown type.
    Message(Box<Received>),
    /// Anything else: kept, so that it can be shown, counted and relayed.
    NotJson {
        /// The line, byte for byte.
        raw: RawLine,
        /// Where it stops being a JSON object.
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

    /// The message, when the line is one.
    pub fn message(&self) -> Option<&Message> {
        match self {
            Self::Message(received) => Some(&received.message),
            Self::NotJson { .. } => None,
        }
    }

    /// The line, byte for byte.
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
    /// It is not one. Use [`Line::decode`] where such a line is to be kept.
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
        // The replaced bytes have moved everything behind them.
        Cow::Owned(text) => read_all(&text).map_err(|_| DecodeError::not_text()),
    }
}

/// The part of a line that can hold JSON, as text.
///
/// Lenient in four ways that real streams and files need: a byte order mark, NUL bytes around the
/// object (a file system after a crash), white space and carriage returns around it, and bytes
/// that are not UTF-8, which read as U+FFFD.
pub(crate) fn readable(line: &[u8]) -> Cow<'_, str> {
    // The strict check is many times faster than the lossy one, and nearly always enough.
    simdutf8::basic::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed)
}

/// Takes off what may stand around the object.
pub(crate) fn trim(mut line: &[u8]) -> &[u8] {
    loop {
        line = match line {
            [0 | b' ' | b'\t' | b'\r' | b'\n', rest @ ..]
            | [rest @ .., 0 | b' ' | b'\t' | b'\r' | b'\n']
            | [0xEF, 0xBB, 0xBF, rest @ ..] => rest,
            trimmed => return trimmed,
        }
    }
}
