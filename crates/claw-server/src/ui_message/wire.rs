//! Serialization of messages.

use rusty_claw_protocol::Json;
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Known, NAMES, UiMessage};
use crate::unknown_message::UnknownMessage;

impl Serialize for UiMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unknown(message) => message.serialize(serializer),
            known => Known::serialize(known, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for UiMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Json::deserialize(deserializer)?;
        let mut text = serde_json::Deserializer::from_str(raw.text());
        if let Ok(known) = Known::deserialize(&mut text) {
            return Ok(known);
        }
        let name = match raw.parse() {
            Ok(Name(name)) => name,
            // serde_json rejects unpaired surrogates in a key; keep the message without a name.
            Err(_) if raw.is_object() => String::new(),
            Err(_) => {
                return Err(D::Error::custom(format_args!(
                    "an event is an object with its name as the only key, not {raw}"
                )));
            }
        };
        Ok(Self::Unknown(UnknownMessage::keep(name, NAMES, raw)))
    }
}

/// The name of a value of an externally tagged enum: the only key of an object, or the string of a
/// variant without members. Empty if an object has no key or several.
struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameVisitor)
    }
}

struct NameVisitor;

impl<'de> Visitor<'de> for NameVisitor {
    type Value = Name;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object or a string")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Name, E> {
        Ok(Name(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Name, A::Error> {
        let mut name = String::new();
        let mut count = 0;
        while let Some((key, IgnoredAny)) = members.next_entry::<String, _>()? {
            name = key;
            count += 1;
        }
        Ok(Name(if count == 1 { name } else { String::new() }))
    }
}
