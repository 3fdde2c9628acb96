//! JSON-RPC messages of MCP.

use rusty_claw_macros::wire_type;
use serde::{Serialize, Serializer};

use crate::json::Json;
use crate::text::Str;
use crate::wire::{Found, Malformed, Reader, Wire as WireType};

/// A JSON-RPC message: a request, a notification, a result or an error.
///
/// ```
/// use rusty_claw_protocol::Json;
/// use rusty_claw_protocol::control::{JsonRpcId, JsonRpcMessage};
///
/// let answer = JsonRpcMessage::result(JsonRpcId::Number(2), Json::from_text("{}")?);
/// assert_eq!(serde_json::to_string(&answer)?, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[wire_type]
pub struct JsonRpcMessage {
    /// `2.0`.
    pub jsonrpc: Str,
    /// The id that a result repeats; absent on notifications.
    pub id: Option<JsonRpcId>,
    /// The method; absent on results and errors.
    pub method: Option<Str>,
    /// The parameters, defined by the method.
    pub params: Option<Json>,
    /// The result, defined by the method.
    pub result: Option<Json>,
    /// The error.
    pub error: Option<JsonRpcError>,
}

impl JsonRpcMessage {
    /// Returns a notification, which has no response.
    pub fn notification(method: impl Into<Str>, params: Option<Json>) -> Self {
        Self {
            method: Some(method.into()),
            params,
            ..Self::of(None)
        }
    }

    /// Returns the result of a request.
    pub fn result(id: JsonRpcId, result: Json) -> Self {
        Self {
            result: Some(result),
            ..Self::of(Some(id))
        }
    }

    /// Returns the failure of a request.
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

/// A JSON-RPC error.
#[wire_type]
pub struct JsonRpcError {
    /// The error code.
    pub code: i64,
    /// The error message.
    pub message: String,
    /// Details, defined by the server.
    pub data: Option<Json>,
}

/// The id of a request and its response.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum JsonRpcId {
    /// A number.
    Number(i64),
    /// A string.
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
