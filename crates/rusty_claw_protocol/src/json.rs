//! JSON values kept as text.

mod read;

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::text::Str;

/// A JSON value, kept as received and parsed on demand.
///
/// Tool inputs, tool results and all unrecognized members have this type: they are relayed far more
/// often than they are read. Lone surrogates keep their escapes. Two things differ from the
/// received text: invalid UTF-8 is replaced by U+FFFD, and raw control characters in strings are
/// escaped.
///
/// ```
/// use rusty_claw_protocol::Json;
///
/// let input = Json::from_text(r#"{"command":"ls","timeout":1.50}"#)?;
/// assert_eq!(input.get("command").and_then(|c| c.to_text()), Some("ls".to_string()));
/// assert_eq!(input.to_string(), r#"{"command":"ls","timeout":1.50}"#);
/// # Ok::<(), rusty_claw_protocol::DecodeError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Json(Str);

impl Json {
    /// The value `null`.
    pub const NULL: Self = Self(Str::from_static("null"));

    /// Returns a JSON string.
    pub fn from_text_value(text: &str) -> Self {
        Self::from_value(&serde_json::Value::from(text))
    }

    /// Converts a `serde_json::Value`.
    pub fn from_value(value: &serde_json::Value) -> Self {
        Self(Str::from(value.to_string()))
    }

    /// Serialises a value of any type.
    ///
    /// # Errors
    /// Returns an error if a map key is not a string, or if the value's own serialisation fails.
    pub fn from_serialize(value: &impl Serialize) -> serde_json::Result<Self> {
        serde_json::to_string(value).map(|text| Self(Str::from(text)))
    }

    /// Returns the text as received (see the type for the two exceptions).
    pub fn text(&self) -> &str {
        self.0.as_str()
    }

    /// Returns whether this is `null`.
    pub fn is_null(&self) -> bool {
        self.text().trim_start().starts_with('n')
    }

    /// Returns whether this is an object.
    pub fn is_object(&self) -> bool {
        self.text().trim_start().starts_with('{')
    }

    /// Parses into any serde type.
    ///
    /// # Errors
    /// Returns an error if the value has another shape, or something that serde_json rejects (lone
    /// surrogates, nesting deeper than 128); use [`Json::to_value`] for those.
    pub fn parse<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(self.text())
    }

    pub(crate) fn from_checked(text: &str) -> Self {
        // JSON allows no raw control characters in strings. The reader accepts them, so they must
        // be escaped before they are relayed.
        if has_controls(text) {
            Self(Str::from(escape_controls(text)))
        } else {
            Self(Str::from(text))
        }
    }

    /// [`Json::from_checked`] for a text known to have no control characters.
    pub(crate) fn from_clean(text: &str) -> Self {
        Self(Str::from(text))
    }
}

/// Returns whether a text has control characters. Scans all of it, which is faster than stopping at
/// the first.
pub(crate) fn has_controls(text: &str) -> bool {
    text.bytes()
        .fold(false, |found, byte| found | (byte < 0x20))
}

/// Escapes control characters in strings; leaves white space between tokens unchanged.
fn escape_controls(text: &str) -> String {
    use fmt::Write as _;

    let mut out = String::with_capacity(text.len() + 16);
    let mut in_string = false;
    let mut escaped = false;
    for c in text.chars() {
        if in_string && c < ' ' {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
            escaped = false;
            continue;
        }
        match c {
            '"' if !escaped => in_string = !in_string,
            _ => {}
        }
        escaped = in_string && c == '\\' && !escaped;
        out.push(c);
    }
    out
}

impl Default for Json {
    fn default() -> Self {
        Self::NULL
    }
}

impl From<serde_json::Value> for Json {
    fn from(value: serde_json::Value) -> Self {
        Self::from_value(&value)
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue =
            serde_json::from_str(self.text()).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self::from_checked(raw.get()))
    }
}
