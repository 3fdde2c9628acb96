//! The same reading by `serde_json` alone, value by value, to hold the one pass to.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::said::{Block, Content, Said};

/// An object's members in their order; `None` when it is not one object with names that are text.
pub(super) fn members(json: &str) -> Option<Vec<(Cow<'_, str>, &str)>> {
    let Members(members) = serde_json::from_str(json).ok()?;
    Some(members)
}

/// The member `message`, as [`Said`] shows it.
pub(super) fn said(json: &str) -> Option<Said<'_>> {
    let mut said = Said::default();
    for (name, value) in members(json)? {
        match &*name {
            "role" => said.role = Some(value),
            "id" => said.id = Some(value),
            "usage" => said.usage = Some(value),
            "content" => said.content = content(value),
            _ => {}
        }
    }
    Some(said)
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
        let place = match &*name {
            "type" => &mut block.kind,
            "id" => &mut block.id,
            "name" => &mut block.name,
            "input" => &mut block.input,
            "tool_use_id" => &mut block.call,
            "text" => &mut block.text,
            _ => continue,
        };
        *place = Some(value);
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
