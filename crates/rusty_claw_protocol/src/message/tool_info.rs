//! Tools and MCP servers as `system/init` lists them.

use rusty_claw_macros::{Wire, wire_type};
use serde::{Serialize, Serializer};

use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;
use crate::wire::{Found, Malformed, Reader, Shape, Tags, Wire as WireType, WireObject, serialize};

/// A tool of the session.
///
/// The CLI lists names only; one document has objects. Both are read, and each is written back as
/// received.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolInfo {
    /// Its name.
    pub name: Str,
    /// Its description.
    pub description: Option<String>,
    /// JSON Schema of its input.
    pub input_schema: Option<Json>,
    /// Unrecognized members.
    pub extra: Extra,
    /// Whether it is an object on the wire instead of a name.
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
    /// Returns a tool with a name only.
    pub fn named(name: impl Into<Str>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }
}

impl WireType for ToolInfo {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        // Leniency: names as in the CLI, objects as in the message document.
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

/// An MCP server of the session.
#[wire_type]
pub struct McpServerInfo {
    /// Its name.
    pub name: Str,
    /// `connected`, `failed`, `pending`, `needs-auth`, `disabled`.
    pub status: Option<Str>,
    /// The source of its configuration.
    pub source: Option<Str>,
}
