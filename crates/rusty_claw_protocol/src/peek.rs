//! Type and identity of a line, without decoding it.

use std::borrow::Cow;

use crate::line_text::{readable, trim};
use crate::wire::{Cursor, Malformed, Reader};

/// The four members that lines are routed by.
///
/// A relay inspects millions of lines and decodes few. Nothing is allocated, and other members are
/// skipped by their brackets and quotes alone, so a line that is not valid JSON may still have a
/// peek.
///
/// ```
/// use rusty_claw_protocol::Peek;
///
/// let line = br#"{"is_error":false,"type":"result","subtype":"success","session_id":"5e5e"}"#;
/// let peek = Peek::new(line).unwrap();
/// assert_eq!(peek.kind(), "result");
/// assert_eq!(peek.session_id.as_deref(), Some("5e5e"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Peek<'a> {
    /// `type`.
    pub message_type: Option<Cow<'a, str>>,
    /// `subtype` of the line itself, not of a nested control frame.
    pub subtype: Option<Cow<'a, str>>,
    /// `session_id`.
    pub session_id: Option<Cow<'a, str>>,
    /// `uuid`.
    pub uuid: Option<Cow<'a, str>>,
}

impl<'a> Peek<'a> {
    /// Inspects a line; returns `None` if it is not an object with balanced brackets and quotes.
    pub fn new(line: &'a [u8]) -> Option<Self> {
        if let Some(peek) = Self::plain(line) {
            return Some(peek);
        }
        // Escapes in a key or in one of the four values, or invalid UTF-8, are rare: use the full
        // reader.
        match readable(trim(line)) {
            Cow::Borrowed(text) => Self::read(&mut Reader::new(text)).ok()?,
            Cow::Owned(text) => Peek::read(&mut Reader::new(&text))
                .ok()?
                .map(Peek::into_owned),
        }
    }

    /// The fast path: only the four values are checked as text.
    fn plain(line: &'a [u8]) -> Option<Self> {
        let mut cursor = Cursor {
            bytes: trim(line),
            at: 0,
        };
        let mut peek = Self::default();
        cursor.expect(b'{')?;
        if cursor.next()? == b'}' {
            return Some(peek);
        }
        loop {
            let key = cursor.plain_string()?;
            cursor.expect(b':')?;
            let slot = match key {
                b"type" => Some(&mut peek.message_type),
                b"subtype" => Some(&mut peek.subtype),
                b"session_id" => Some(&mut peek.session_id),
                b"uuid" => Some(&mut peek.uuid),
                _ => None,
            };
            match slot {
                Some(slot) if cursor.next()? == b'"' => {
                    *slot = Some(Cow::Borrowed(
                        std::str::from_utf8(cursor.plain_string()?).ok()?,
                    ));
                }
                Some(slot) => {
                    *slot = None;
                    cursor.leap()?;
                }
                None => cursor.leap()?,
            }
            match cursor.next()? {
                b',' => cursor.at += 1,
                b'}' => return Some(peek),
                _ => return None,
            }
        }
    }

    /// Returns the type, or an empty string.
    pub fn kind(&self) -> &str {
        self.message_type.as_deref().unwrap_or_default()
    }

    fn read(reader: &mut Reader<'a>) -> Result<Option<Self>, Malformed> {
        let Some(mut members) = reader.object()? else {
            return Ok(None);
        };
        let mut peek = Self::default();
        while let Some(key) = members.next(reader)? {
            let slot = match &*key {
                "type" => &mut peek.message_type,
                "subtype" => &mut peek.subtype,
                "session_id" => &mut peek.session_id,
                "uuid" => &mut peek.uuid,
                _ => {
                    reader.leap()?;
                    continue;
                }
            };
            *slot = reader.string()?;
            if slot.is_none() {
                reader.leap()?;
            }
        }
        Ok(Some(peek))
    }

    /// Returns a peek that does not borrow the line.
    pub fn into_owned(self) -> Peek<'static> {
        let own = |value: Option<Cow<'_, str>>| value.map(|text| Cow::Owned(text.into_owned()));
        Peek {
            message_type: own(self.message_type),
            subtype: own(self.subtype),
            session_id: own(self.session_id),
            uuid: own(self.uuid),
        }
    }
}
