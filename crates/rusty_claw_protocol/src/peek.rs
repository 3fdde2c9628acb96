//! Who a line is from and what it is, without decoding it.

use std::borrow::Cow;

use crate::wire::{Malformed, Reader};

/// The four members by which lines are routed.
///
/// A relay looks at millions of lines and decodes few. Nothing is allocated, and what lies
/// between the members is passed over by its brackets and quotes alone, so a line that is not
/// quite JSON may still have a peek.
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
pub struct Peek<'a> {
    /// `type`.
    pub message_type: Option<Cow<'a, str>>,
    /// `subtype`.
    pub subtype: Option<Cow<'a, str>>,
    /// `session_id`.
    pub session_id: Option<Cow<'a, str>>,
    /// `uuid`.
    pub uuid: Option<Cow<'a, str>>,
}

impl<'a> Peek<'a> {
    /// Looks at a line; `None` when it is not an object whose brackets and quotes close.
    pub fn new(line: &'a [u8]) -> Option<Self> {
        match crate::received::readable(line) {
            Cow::Borrowed(text) => Self::read(&mut Reader::new(text)).ok()?,
            Cow::Owned(text) => Peek::read(&mut Reader::new(&text))
                .ok()?
                .map(Peek::into_owned),
        }
    }

    /// The type, or the empty string.
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

    /// A peek that does not borrow the line.
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
