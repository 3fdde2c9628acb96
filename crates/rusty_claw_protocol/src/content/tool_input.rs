//! The input of a tool call.

use std::fmt;
use std::sync::OnceLock;

use serde::{Serialize, Serializer};

use crate::json::Json;
use crate::tool::ToolView;
use crate::wire::{Found, Malformed, Reader, Wire};

/// The input of a tool call: kept as text, parsed on demand.
///
/// Most calls are relayed and logged, not inspected, and an input can hold megabytes of file
/// content. Displays as its JSON.
#[derive(Clone, Default)]
pub struct ToolInput {
    text: Json,
    value: OnceLock<Box<serde_json::Value>>,
}

impl ToolInput {
    /// Returns the text as received.
    pub fn json(&self) -> &Json {
        &self.text
    }

    /// Returns the parsed input, which is cached.
    pub fn value(&self) -> &serde_json::Value {
        self.value.get_or_init(|| Box::new(self.text.to_value()))
    }

    /// Returns the input as the tool's own type, if the tool is known and the input complete.
    pub fn view(&self, tool_name: &str) -> ToolView {
        ToolView::of(tool_name, &self.text)
    }

    /// Returns a member of the input.
    pub fn get(&self, key: &str) -> Option<&serde_json::Value> {
        self.value().get(key)
    }
}

impl From<Json> for ToolInput {
    fn from(text: Json) -> Self {
        Self {
            text,
            value: OnceLock::new(),
        }
    }
}

impl PartialEq for ToolInput {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Debug for ToolInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl fmt::Display for ToolInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.text, f)
    }
}

impl Serialize for ToolInput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl Wire for ToolInput {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        Ok(<Json as Wire>::read(reader)?.map(Self::from))
    }
}
