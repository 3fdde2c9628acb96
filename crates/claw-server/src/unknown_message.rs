//! Messages of a newer server.

use rusty_claw_protocol::{Json, UnknownCause};
use serde::{Serialize, Serializer};

/// A message that this library cannot type. Nothing of it is lost, and it is written as it came.
///
/// A client ignores it, or shows that there is something it cannot show; a relay passes it on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownMessage {
    /// What the message calls itself; empty when it does not say.
    pub name: String,
    /// Whether the name is new, or what comes under a name that we know.
    pub cause: UnknownCause,
    /// The whole message, as it came.
    pub raw: Json,
}

impl UnknownMessage {
    /// Keeps a message; the cause follows from whether the name is one of those we know.
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
