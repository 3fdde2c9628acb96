//! JSON-RPC, as MCP speaks it.

use rusty_claw_macros::Wire;
use serde::{Serialize, Serializer};

use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;
use crate::wire::{Found, Malformed, Reader, Wire as WireType};

/// One JSON-RPC message: a request, a notification, a result or an error.
///
/// ```
/// use rusty_claw_protocol::Json;
/// use rusty_claw_protocol::control::{JsonRpcId, JsonRpcMessage};
///
/// let answer = JsonRpcMessage::result(JsonRpcId::Number(2), Json::from_text("{}")?);
/// assert_eq!(serde_json::to_string(&answer)?, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct JsonRpcMessage {
    /// `2.0`.
    pub jsonrpc: Str,
    /// By which a result finds its request; a notification has none.
    pub id: Option<JsonRpcId>,
    /// What is asked or told; absent on results and errors.
    pub method: Option<Str>,
    /// With what; the method's own.
    pub params: Option<Json>,
    /// What came of it; the method's own.
    pub result: Option<Json>,
    /// What went wrong.
    pub error: Option<JsonRpcError>,
    /// What no field holds.
    pub extra: Extra,
}

impl JsonRpcMessage {
    /// A notification, which nobody answers.
    pub fn notification(method: impl Into<Str>, params: Option<Json>) -> Self {
        Self {
            method: Some(method.into()),
            params,
            ..Self::of(None)
        }
    }

    /// The result of a request.
    pub fn result(id: JsonRpcId, result: Json) -> Self {
        Self {
            result: Some(result),
            ..Self::of(Some(id))
        }
    }

    /// The failure of a request.
    pub fn failure(id: JsonRpcId, code: i64, message: impl Into<String>) -> Self {
        Self {
            error: Some(JsonRpcError {
                code,
                message: message.into(),
                ..JsonRpcError::default()
            }),
            ..Self::of(Some(id))
        }
    }

    fn of(id: Option<JsonRpcId>) -> Self {
        Self {
            jsonrpc: Str::from_static("2.0"),
            id,
            ..Self::default()
        }
    }
}

/// What went wrong.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct JsonRpcError {
    /// What kind, by number.
    pub code: i64,
    /// What, in words.
    pub message: String,
    /// More; the server's own.
    pub data: Option<Json>,
    /// What no field holds.
    pub extra: Extra,
}

/// By which a result finds its request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum JsonRpcId {
    /// A number.
    Number(i64),
    /// A text.
    Text(Str),
}

impl WireType for JsonRpcId {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        if let Some(text) = reader.string()? {
            return Ok(Found::Exact(Self::Text(Str::from(&*text))));
        }
        Ok(<i64 as WireType>::read(reader)?.map(Self::Number))
    }
}

impl Serialize for JsonRpcId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => text.serialize(serializer),
        }
    }
}

impl<'de> serde::Deserialize<'de> for JsonRpcId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::wire::deserialize(deserializer)
    }
}
