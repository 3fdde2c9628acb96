//! Tools and MCP servers as `system/init` lists them.

use rusty_claw_macros::Wire;
use serde::{Serialize, Serializer};

use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;
use crate::wire::{Found, Malformed, Reader, Shape, Tags, Wire as WireType, WireObject, serialize};

/// A tool that the session has.
///
/// The CLI lists names only; one document has objects. Both are read, and each is written the way
/// it came.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolInfo {
    /// Its name.
    pub name: Str,
    /// What it does.
    pub description: Option<String>,
    /// JSON Schema of its input.
    pub input_schema: Option<Json>,
    /// What no field holds.
    pub extra: Extra,
    /// Whether it is an object on the wire, not just its name.
    pub is_object: bool,
}

#[derive(Default, Debug, Clone, PartialEq, Wire)]
struct ToolObject {
    name: Str,
    description: Option<String>,
    input_schema: Option<Json>,
    extra: Extra,
}

impl ToolInfo {
    /// A tool known by its name.
    pub fn named(name: impl Into<Str>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }
}

impl WireType for ToolInfo {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        // Leniency: names as the CLI prints them, objects as the message document has them.
        if let Some(name) = reader.string()? {
            return Ok(Found::Exact(Self::named(&*name)));
        }
        Ok(ToolObject::read_tagged(reader, Tags::NONE)?.map(
            |ToolObject {
                 name,
                 description,
                 input_schema,
                 extra,
             }| Self {
                name,
                description,
                input_schema,
                extra,
                is_object: true,
            },
        ))
    }

    fn shape() -> Option<&'static Shape> {
        ToolObject::shape()
    }
}

impl Serialize for ToolInfo {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.is_object && self.description.is_none() && self.input_schema.is_none() {
            return self.name.serialize(serializer);
        }
        let object = ToolObject {
            name: self.name.clone(),
            description: self.description.clone(),
            input_schema: self.input_schema.clone(),
            extra: self.extra.clone(),
        };
        serialize(&object, serializer)
    }
}

impl<'de> serde::Deserialize<'de> for ToolInfo {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::wire::deserialize(deserializer)
    }
}

/// An MCP server that the session has.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpServerInfo {
    /// Its name.
    pub name: Str,
    /// `connected`, `failed`, `pending`, `needs-auth`, `disabled`.
    pub status: Option<Str>,
    /// Where its configuration came from.
    pub source: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}
