//! Unrecognized messages.

use rusty_claw_protocol::{Json, UnknownCause};
use serde::{Serialize, Serializer};

/// An unrecognized message. It is serialized unchanged.
///
/// A client can ignore it or show a placeholder; a relay forwards it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownMessage {
    /// The name of the message; empty if it has none.
    pub name: String,
    /// Whether the name is unknown, or a known name has an unknown shape.
    pub cause: UnknownCause,
    /// The complete message.
    pub raw: Json,
}

impl UnknownMessage {
    /// Creates it, with the cause that follows from whether the name is known.
    pub(crate) fn keep(name: String, known_names: &[&str], raw: Json) -> Self {
        let is_new = !name.is_empty() && !known_names.contains(&name.as_str());
        let cause = if is_new {
            UnknownCause::NewType
        } else {
            UnknownCause::NewShape
        };
        Self { name, cause, raw }
    }
}

impl Serialize for UnknownMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.serialize(serializer)
    }
}
