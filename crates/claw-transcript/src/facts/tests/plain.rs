//! A reference implementation with `serde_json`, value by value.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::facts::{Block, Content, Message};

/// The members of an object in order; `None` if it is not one, or a name has a lone surrogate.
pub(super) fn members(json: &str) -> Option<Vec<(Cow<'_, str>, &str)>> {
    let Members(members) = serde_json::from_str(json).ok()?;
    Some(members)
}

/// The member `message`.
pub(super) fn message(json: &str) -> Option<Message<'_>> {
    let mut message = Message::default();
    for (name, value) in members(json)? {
        let twice = match &*name {
            "role" => message.role.replace(value).is_some(),
            "id" => message.id.replace(value).is_some(),
            "usage" => message.usage.replace(value).is_some(),
            "model" => {
                message.model = Some(value);
                false
            }
            "stop_reason" => {
                message.stop_reason = Some(value);
                false
            }
            "content" => {
                std::mem::replace(&mut message.content, content(value)) != Content::Missing
            }
            _ => false,
        };
        message.doubled = Some(value).filter(|_| twice).or(message.doubled);
    }
    Some(message)
}

fn content(json: &str) -> Content<'_> {
    match json.as_bytes().first() {
        Some(b'"') => Content::Text(json),
        Some(b'[') => {
            let values: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
            Content::Blocks(values.iter().map(|value| block(value.get())).collect())
        }
        _ => Content::Odd(json),
    }
}

fn block(json: &str) -> Block<'_> {
    let mut block = Block {
        json,
        ..Block::default()
    };
    for (name, value) in members(json).unwrap_or_default() {
        let (field, is_unique) = match &*name {
            "type" => (&mut block.kind, true),
            "id" => (&mut block.id, true),
            "name" => (&mut block.name, true),
            "input" => (&mut block.input, true),
            "tool_use_id" => (&mut block.call, true),
            "text" => (&mut block.text, true),
            "thinking" => (&mut block.thinking, false),
            "content" => (&mut block.content, false),
            "is_error" => (&mut block.is_error, false),
            "source" => (&mut block.source, false),
            _ => continue,
        };
        if field.replace(value).is_some() && is_unique {
            block.doubled = Some(value);
        }
    }
    block
}

struct Members<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    let value: &'de RawValue = map.next_value()?;
                    members.push((Cow::Owned(name), value.get()));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Read)
    }
}
