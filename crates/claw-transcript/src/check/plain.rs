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
        let twice = match &*name {
            "role" => said.role.replace(value).is_some(),
            "id" => said.id.replace(value).is_some(),
            "usage" => said.usage.replace(value).is_some(),
            "content" => std::mem::replace(&mut said.content, content(value)) != Content::Missing,
            _ => false,
        };
        said.doubled = Some(value).filter(|_| twice).or(said.doubled);
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
        if place.replace(value).is_some() {
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
