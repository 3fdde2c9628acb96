//! JSON text that is kept as it came.

use std::fmt;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::text::Str;
use crate::wire::{Found, Malformed, Reader, Wire};

/// One JSON value, kept as the text that came, parsed when somebody asks.
///
/// Tool inputs, tool results and every field we do not know are of this type: they are relayed
/// far more often than they are read. Half surrogates stay in the text as the escapes they came
/// as; bytes that were not UTF-8 are U+FFFD.
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

/// How deep [`Json::to_value`] follows nesting. A `serde_json::Value` is built and dropped
/// recursively, so deeper input would exhaust the stack of whoever holds it.
const VALUE_DEPTH: usize = 512;

impl Json {
    /// The value `null`.
    pub const NULL: Self = Self(Str::from_static("null"));

    /// Checks a text and keeps it.
    ///
    /// # Errors
    /// The text is not one JSON value.
    pub fn from_text(text: &str) -> Result<Self, crate::DecodeError> {
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

    /// A JSON string.
    pub fn from_text_value(text: &str) -> Self {
        Self::from_value(&serde_json::Value::from(text))
    }

    /// Wraps a value that we build ourselves.
    pub fn from_value(value: &serde_json::Value) -> Self {
        Self(Str::from(value.to_string()))
    }

    /// Serialises a value of any type.
    ///
    /// # Errors
    /// The value has a map key that is not a string, or its own serialisation fails.
    pub fn from_serialize(value: &impl Serialize) -> serde_json::Result<Self> {
        serde_json::to_string(value).map(|text| Self(Str::from(text)))
    }

    /// The text, byte for byte as it came (see the type for the two exceptions).
    pub fn text(&self) -> &str {
        self.0.as_str()
    }

    /// The value of a member, when this is an object that has it. The last of several wins, as it
    /// does for the CLI.
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

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        self.text().trim_start().starts_with('n')
    }

    /// Whether this is an object.
    pub fn is_object(&self) -> bool {
        self.text().trim_start().starts_with('{')
    }

    /// The string, when this is one. A half surrogate reads as U+FFFD.
    pub fn to_text(&self) -> Option<String> {
        self.view::<String>()
    }

    /// Parses into one of our wire types (or a string, number, bool, list of them).
    /// `None` when it is of another JSON kind.
    pub fn view<T: Wire>(&self) -> Option<T> {
        crate::wire::read_all(self.text()).ok()
    }

    /// Parses into any serde type.
    ///
    /// # Errors
    /// The value has another shape, or holds what serde_json refuses (half surrogates, nesting
    /// deeper than 128): use [`Json::to_value`] for those.
    pub fn parse<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(self.text())
    }

    /// Parses into a tree. Half surrogates become U+FFFD; what is nested deeper than 512 levels
    /// is left out as `null`, because such a tree cannot be dropped safely.
    pub fn to_value(&self) -> serde_json::Value {
        Reader::new(self.text())
            .value(VALUE_DEPTH)
            .unwrap_or(serde_json::Value::Null)
    }

    pub(crate) fn from_checked(text: &str) -> Self {
        // JSON allows no raw control characters inside strings; we read them, so they must not
        // travel on unescaped.
        if has_controls(text) {
            Self(Str::from(escape_controls(text)))
        } else {
            Self(Str::from(text))
        }
    }

    /// [`Json::from_checked`] of a text that is known to have no control characters.
    pub(crate) fn from_clean(text: &str) -> Self {
        Self(Str::from(text))
    }
}

/// Whether a text has control characters. Looks at all of it, which is faster than stopping at
/// the first.
pub(crate) fn has_controls(text: &str) -> bool {
    text.bytes()
        .fold(false, |found, byte| found | (byte < 0x20))
}

/// Escapes control characters inside strings and leaves white space between tokens alone.
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

/// Reads JSON text, as [`Json::from_text`] does. A string in Rust is not a JSON string by itself:
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
    type Err = crate::DecodeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_text(text)
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

impl Wire for Json {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        reader.note_opaque();
        reader.json().map(Found::Exact)
    }
}
