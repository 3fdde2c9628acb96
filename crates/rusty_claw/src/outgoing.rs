//! Messages become lines for the CLI.

use bytes::Bytes;
use rusty_claw_protocol::messages::Message;
use serde::Serialize;

/// One message as a line, newline included.
///
/// The types of the protocol crate always serialise; should one not, the line is blank, which the
/// CLI ignores, and not half a line, which would end it.
pub(crate) fn line_of(message: &Message) -> Bytes {
    line(message).unwrap_or_else(|error| {
        tracing::error!(%error, "a message could not be written as JSON");
        Bytes::from_static(b"\n")
    })
}

/// Anything serialisable as a line, newline included.
pub(crate) fn line(value: &impl Serialize) -> serde_json::Result<Bytes> {
    let mut bytes = serde_json::to_vec(value)?;
    bytes.push(b'\n');
    Ok(bytes.into())
}
