//! Reads JSON values.

use std::str::FromStr;

use crate::error::DecodeError;
use crate::json::Json;
use crate::wire::{Found, Malformed, Reader, Wire, read_all};

/// The maximum depth of [`Json::to_value`]. A `serde_json::Value` is built and dropped recursively,
/// so deeper input would overflow the stack.
const VALUE_DEPTH: usize = 512;

impl Json {
    /// Validates and wraps a text.
    ///
    /// # Errors
    /// Returns an error if the text is not one JSON value.
    pub fn from_text(text: &str) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(text);
        let json = match reader.json() {
            Ok(json) => json,
            Err(Malformed) => return Err(reader.error()),
        };
        if reader.at_end() {
            Ok(json)
        } else {
            Err(reader.error())
        }
    }

    /// Returns the value of a member if this is an object that has it. The last duplicate wins, as
    /// in the CLI.
    pub fn get(&self, key: &str) -> Option<Json> {
        let mut reader = Reader::new(self.text());
        let mut members = reader.object().ok()??;
        let mut found = None;
        while let Some(name) = members.next(&mut reader).ok()? {
            if name == key {
                found = Some(reader.json().ok()?);
            } else {
                reader.skip().ok()?;
            }
        }
        found
    }

    /// Returns the string, if this is one. A lone surrogate becomes U+FFFD.
    pub fn to_text(&self) -> Option<String> {
        self.view::<String>()
    }

    /// Parses into a wire type (or a string, number, bool, or list of them). Returns `None` if the
    /// value has another JSON type.
    pub fn view<T: Wire>(&self) -> Option<T> {
        read_all(self.text()).ok()
    }

    /// Parses into a tree. Lone surrogates become U+FFFD; values nested deeper than 512 levels
    /// become `null`, because such a tree cannot be dropped safely.
    pub fn to_value(&self) -> serde_json::Value {
        Reader::new(self.text())
            .value(VALUE_DEPTH)
            .unwrap_or(serde_json::Value::Null)
    }
}

/// Parses JSON text like [`Json::from_text`]. To convert a Rust string into a JSON string,
/// see [`Json::from_text_value`].
///
/// ```
/// use rusty_claw_protocol::Json;
///
/// let list: Json = "[1, 2]".parse()?;
/// assert_eq!(list.parse::<Vec<u8>>().ok(), Some(vec![1, 2]));
/// assert!("plain text".parse::<Json>().is_err());
/// # Ok::<(), rusty_claw_protocol::DecodeError>(())
/// ```
impl FromStr for Json {
    type Err = DecodeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_text(text)
    }
}

impl Wire for Json {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        reader.note_opaque();
        reader.json().map(Found::Exact)
    }
}
