//! The members of one JSON object, as they stand in the text.

use std::borrow::Cow;
use std::fmt;

use rusty_claw_protocol::Json;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object in their order, values as text.
///
/// Session files are read far more often than they are understood: a line is looked at for two or
/// three members, and its values are passed on as they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// Reads a text; `None` when it is not one JSON object.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The text of a member's value. The last of several counts, as it does for the CLI.
    pub(crate) fn get(&self, key: &str) -> Option<&'a str> {
        let mut named = self.0.iter().rev().filter(|(name, _)| name == key);
        named.next().map(|(_, value)| value.get())
    }

    /// A member that is a string.
    pub(crate) fn string(&self, key: &str) -> Option<Cow<'a, str>> {
        string(self.get(key)?)
    }

    /// A member that is an object.
    pub(crate) fn object(&self, key: &str) -> Option<Members<'a>> {
        Self::read(self.get(key)?)
    }

    /// Whether a member is exactly `true`.
    pub(crate) fn is_true(&self, key: &str) -> bool {
        self.get(key) == Some("true")
    }

    /// Whether a member is there and not one of the values that JavaScript takes for false.
    pub(crate) fn is_truthy(&self, key: &str) -> bool {
        self.get(key).is_some_and(is_truthy)
    }

    /// All members as they stand there, doubled names too.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&Cow<'a, str>, &'a str)> {
        self.0.iter().map(|(name, value)| (name, value.get()))
    }

    /// All members in their order, each name once, with the value that counts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().enumerate().filter_map(|(at, (name, _))| {
            let first = self.0[..at].iter().all(|(earlier, _)| earlier != name);
            first.then(|| (&**name, self.get(name).unwrap_or("null")))
        })
    }
}

/// Whether a value counts as true in JavaScript.
pub(crate) fn is_truthy(value: &str) -> bool {
    !matches!(value, "false" | "null" | "0" | "-0" | "0.0" | "\"\"")
}

/// The string that a value is, when it is one.
pub(crate) fn string(value: &str) -> Option<Cow<'_, str>> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    // Half surrogates are read too, as U+FFFD.
    let json = Json::from_text(value).ok()?;
    json.to_text().map(Cow::Owned)
}

/// The values of a list; nothing when it is none.
pub(crate) fn list(value: &str) -> Vec<&str> {
    let values: Vec<&RawValue> = serde_json::from_str(value).unwrap_or_default();
    values.into_iter().map(RawValue::get).collect()
}

/// A value without the white space between its tokens. The CLI looks for some members by their
/// text, and finds only what is written compactly.
pub(crate) fn compact(value: &str) -> Cow<'_, str> {
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
    if !value.contains(is_space) {
        return Cow::Borrowed(value);
    }
    let (mut in_string, mut escaped) = (false, false);
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        if !in_string && is_space(c) {
            continue;
        }
        if c == '"' && !escaped {
            in_string = !in_string;
        }
        escaped = in_string && c == '\\' && !escaped;
        out.push(c);
    }
    Cow::Owned(out)
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(Name(name)) = map.next_key()? {
                    members.push((name, map.next_value()?));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// A member's name, borrowed unless it has escapes.
struct Name<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }
        deserializer.deserialize_str(Read)
    }
}
