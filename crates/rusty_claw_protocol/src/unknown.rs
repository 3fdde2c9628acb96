//! Values of an unrecognized kind.

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::json::Json;
use crate::text::Str;
use crate::wire::{Malformed, Reader, Tags};

/// A tagged value with an unrecognized tag, kept without loss.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Unknown {
    /// The tag; empty if there was none.
    pub name: Str,
    /// Why it could not be typed.
    pub cause: UnknownCause,
    /// The whole value, as received.
    pub raw: Json,
    session_id: Option<Str>,
    uuid: Option<Str>,
}

/// Why a value could not be typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnknownCause {
    /// The tag names an unrecognized type.
    NewType,
    /// The tag is missing or is not a string.
    NewShape,
}

impl fmt::Display for UnknownCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NewType => "its type is new",
            Self::NewShape => "its type has a new shape",
        })
    }
}

impl Unknown {
    #[doc(hidden)]
    pub fn read(reader: &mut Reader<'_>, tags: Tags, tag: Option<&str>) -> Result<Self, Malformed> {
        // A later duplicate of the tag may be known.
        reader.note_duplicate_tags(tags)?;
        let cause = if tag.is_some() {
            UnknownCause::NewType
        } else {
            UnknownCause::NewShape
        };
        reader.note_unknown(tag);
        // Lines are routed by these.
        let session_id = match reader.last_string("session_id")? {
            // The spelling of session files, also in system entries without a subtype.
            None => reader.last_string("sessionId")?,
            found => found,
        };
        let uuid = reader.last_string("uuid")?;
        Ok(Self {
            name: Str::from(tag.unwrap_or("")),
            cause,
            raw: reader.json()?,
            session_id,
            uuid,
        })
    }

    /// Returns the session id, if there is one.
    pub fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    /// Returns the line's id, if there is one.
    pub fn uuid(&self) -> Option<&str> {
        self.uuid.as_deref()
    }

    /// Writes the members of the object except those in `done`.
    #[doc(hidden)]
    pub fn write_members<M: SerializeMap>(
        &self,
        map: &mut M,
        done: &[&str],
    ) -> Result<(), M::Error> {
        let mut reader = Reader::new(self.raw.text());
        let Ok(Some(mut members)) = reader.object() else {
            return Ok(());
        };
        while let Ok(Some(key)) = members.next(&mut reader) {
            let Ok(value) = reader.json() else { break };
            if !done.contains(&&*key) {
                map.serialize_entry(&*key, &value)?;
            }
        }
        Ok(())
    }
}

/// `null`: the value of a required field whose member is missing.
impl Default for Unknown {
    fn default() -> Self {
        Self {
            name: Str::default(),
            cause: UnknownCause::NewShape,
            raw: Json::NULL,
            session_id: None,
            uuid: None,
        }
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.raw, f)
    }
}

impl Serialize for Unknown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.serialize(serializer)
    }
}
