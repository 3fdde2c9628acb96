//! A small, cheaply cloned string.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smol_str::SmolStr;

/// An identifier or a name from the wire.
///
/// Up to 23 bytes live inline, longer ones behind a shared pointer, so cloning never copies the
/// text. Ids and names repeat on every line and travel to many readers; free text, which does
/// neither, is a plain [`String`].
///
/// ```
/// use rusty_claw_protocol::Str;
///
/// let name = Str::from("Bash");
/// assert_eq!(name, "Bash");
/// assert_eq!(name.as_str().len(), 4);
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Str(SmolStr);

impl Str {
    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Wraps a text that lives as long as the program; never allocates.
    pub const fn from_static(text: &'static str) -> Self {
        Self(SmolStr::new_static(text))
    }
}

impl Deref for Str {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Str {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for Str {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl From<&str> for Str {
    fn from(text: &str) -> Self {
        Self(SmolStr::new(text))
    }
}

impl From<std::borrow::Cow<'_, str>> for Str {
    fn from(text: std::borrow::Cow<'_, str>) -> Self {
        Self(SmolStr::new(text))
    }
}

impl From<String> for Str {
    fn from(text: String) -> Self {
        Self(SmolStr::from(text))
    }
}

impl From<&String> for Str {
    fn from(text: &String) -> Self {
        Self(SmolStr::new(text))
    }
}

impl From<Str> for String {
    fn from(text: Str) -> Self {
        text.0.into()
    }
}

impl PartialEq<str> for Str {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Str {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<String> for Str {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Serialize for Str {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Str {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Ok(Self::from(&*text))
    }
}
