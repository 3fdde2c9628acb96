//! The message inside a line of the disk.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::facts::Name;

/// How the text begins that the CLI leaves where a person interrupted.
const INTERRUPT: &str = "\"[Request interrupted by user";

/// What `message.content` is.
#[derive(Debug, Default)]
pub(super) enum Content<'a> {
    #[default]
    Missing,
    Text(&'a str),
    Blocks(Vec<Block<'a>>),
    /// Neither a string nor a list.
    Odd(&'a str),
}

/// A message of the API, as far as the checks look into it. Members are the text of their values.
#[derive(Debug, Default)]
pub(super) struct Said<'a> {
    pub(super) role: Option<&'a str>,
    pub(super) id: Option<&'a str>,
    pub(super) usage: Option<&'a str>,
    pub(super) content: Content<'a>,
}

/// A content block.
#[derive(Debug, Default)]
pub(super) struct Block<'a> {
    /// The block itself; not set for blocks that are no objects.
    pub(super) json: &'a str,
    pub(super) kind: Option<&'a str>,
    pub(super) id: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(super) input: Option<&'a str>,
    pub(super) call: Option<&'a str>,
    pub(super) text: Option<&'a str>,
}

impl<'a> Said<'a> {
    /// Reads the text of a member `message`; `None` when it is not an object.
    pub(super) fn read(json: &'a str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    pub(super) fn blocks(&self) -> &[Block<'a>] {
        match &self.content {
            Content::Blocks(blocks) => blocks,
            _ => &[],
        }
    }

    /// Whether it is the CLI's note that a person interrupted.
    pub(super) fn is_interrupt(&self) -> bool {
        match &self.content {
            Content::Text(text) => text.starts_with(INTERRUPT),
            Content::Blocks(blocks) => {
                let mut texts = blocks.iter().filter_map(|block| block.text);
                texts.any(|text| text.starts_with(INTERRUPT))
            }
            _ => false,
        }
    }
}

impl Block<'_> {
    /// Whether it calls a tool that the CLI runs.
    pub(super) fn is_call(&self) -> bool {
        self.kind == Some("\"tool_use\"")
    }

    /// Whether it is what such a tool returned.
    pub(super) fn is_result(&self) -> bool {
        self.kind == Some("\"tool_result\"")
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Said<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Said<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a message")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Said<'de>, A::Error> {
                let mut said = Said::default();
                while let Some(name) = map.next_key_seed(Name)? {
                    match &*name {
                        "role" => said.role = Some(map.next_value::<&RawValue>()?.get()),
                        "id" => said.id = Some(map.next_value::<&RawValue>()?.get()),
                        "usage" => said.usage = Some(map.next_value::<&RawValue>()?.get()),
                        "content" => {
                            let json = map.next_value::<&RawValue>()?.get();
                            said.content = match json.as_bytes().first() {
                                Some(b'"') => Content::Text(json),
                                Some(b'[') => Content::Blocks(blocks(json)),
                                _ => Content::Odd(json),
                            };
                        }
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(said)
            }
        }
        deserializer.deserialize_map(Read)
    }
}

fn blocks(json: &str) -> Vec<Block<'_>> {
    struct Read;
    impl<'de> Visitor<'de> for Read {
        type Value = Vec<Block<'de>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut blocks = Vec::new();
            while let Some(json) = list.next_element::<&RawValue>()? {
                blocks.push(block(json.get()));
            }
            Ok(blocks)
        }
    }
    let mut list = serde_json::Deserializer::from_str(json);
    list.deserialize_seq(Read).unwrap_or_default()
}

fn block(json: &str) -> Block<'_> {
    struct Read;
    impl<'de> Visitor<'de> for Read {
        type Value = Block<'de>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a block")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut block = Block::default();
            while let Some(name) = map.next_key_seed(Name)? {
                let place = match &*name {
                    "type" => &mut block.kind,
                    "id" => &mut block.id,
                    "name" => &mut block.name,
                    "input" => &mut block.input,
                    "tool_use_id" => &mut block.call,
                    "text" => &mut block.text,
                    _ => {
                        map.next_value::<IgnoredAny>()?;
                        continue;
                    }
                };
                *place = Some(map.next_value::<&RawValue>()?.get());
            }
            Ok(block)
        }
    }
    let mut object = serde_json::Deserializer::from_str(json);
    let read = object.deserialize_map(Read).unwrap_or_default();
    Block { json, ..read }
}
