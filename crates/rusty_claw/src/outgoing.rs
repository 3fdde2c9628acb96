//! Encodes messages as lines for the CLI.

use bytes::Bytes;
use rusty_claw_protocol::messages::Message;
use serde::Serialize;

/// Encodes a message as a line, including the newline.
///
/// The types of the protocol crate always serialise. If one did not, the line would be blank, which
/// the CLI ignores, and not partial, which would end it.
pub(crate) fn line_of(message: &Message) -> Bytes {
    line(message).unwrap_or_else(|error| {
        tracing::error!(%error, "a message could not be written as JSON");
        Bytes::from_static(b"\n")
    })
}

/// Encodes a serialisable value as a line, including the newline.
pub(crate) fn line(value: &impl Serialize) -> serde_json::Result<Bytes> {
    let mut bytes = serde_json::to_vec(value)?;
    bytes.push(b'\n');
    Ok(bytes.into())
}
