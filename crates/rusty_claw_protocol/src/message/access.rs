//! Common accessors of messages.

use std::fmt;

use crate::content::ContentBlock;
use crate::error::DecodeError;
use crate::extra::Extra;
use crate::message::{McpMessage, Message, ResultMessage};

impl Message {
    /// Decodes a message from a line of JSON.
    ///
    /// The text itself is not kept. Use [`Line::decode`](crate::Line::decode) to store, relay or
    /// export the line: it keeps the bytes, and it accepts lines that are not JSON.
    ///
    /// # Errors
    /// Returns an error if the text is not a JSON object. A message of an unknown type is
    /// [`Message::Unknown`].
    pub fn from_json(json: &str) -> Result<Self, DecodeError> {
        crate::received::decode_message(json.as_bytes())
    }

    /// Returns the `type` as it is on the wire.
    pub fn message_type(&self) -> &str {
        self.tag()
    }

    /// Returns whether this ends a turn. More turns may follow, also without a prompt.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Result(_))
    }

    /// Returns whether this is a result that reports a failure.
    ///
    /// This is the case for every `error…` subtype, and for `success` with `is_error: true`, with
    /// which the CLI reports API failures.
    pub fn is_error(&self) -> bool {
        matches!(self, Self::Result(result) if result.is_error())
    }

    /// Returns the content blocks of a user or assistant message; empty for others. Content that is
    /// a plain string is one text block.
    pub fn content_blocks(&self) -> &[ContentBlock] {
        match self {
            Self::Assistant(assistant) => &assistant.message.content,
            Self::User(user) => &user.message.content,
            _ => &[],
        }
    }
}

impl ResultMessage {
    /// Returns how long the turn took, in milliseconds, exactly as sent. `duration_ms` has the same
    /// number, rounded.
    ///
    /// ```
    /// use rusty_claw_protocol::messages::{Message, ResultMessage};
    ///
    /// let line = r#"{"type":"result","subtype":"success","result":"","duration_ms":1234.4}"#;
    /// let Message::Result(result) = Message::from_json(line)? else { panic!() };
    /// assert_eq!(result.exact_duration_ms(), Some(1234.4));
    /// assert!(matches!(result, ResultMessage::Success { duration_ms: Some(1234), .. }));
    /// # Ok::<(), rusty_claw_protocol::DecodeError>(())
    /// ```
    pub fn exact_duration_ms(&self) -> Option<f64> {
        match self {
            Self::Success {
                duration_ms, extra, ..
            }
            | Self::Error {
                duration_ms, extra, ..
            } => exact("duration_ms", *duration_ms, extra),
            Self::InputRequired { .. } | Self::Unknown(_) => None,
        }
    }

    /// Returns the time spent in API calls, in milliseconds, exactly as sent.
    /// `details.duration_api_ms` has the same number, rounded.
    pub fn exact_duration_api_ms(&self) -> Option<f64> {
        match self {
            Self::Success { details, .. } | Self::Error { details, .. } => {
                exact("duration_api_ms", details.duration_api_ms, &details.extra)
            }
            Self::InputRequired { .. } | Self::Unknown(_) => None,
        }
    }

    /// Returns whether the turn failed; see [`Message::is_error`].
    pub fn is_error(&self) -> bool {
        match self {
            Self::Success { details, .. } => details.is_error == Some(true),
            Self::Error { .. } => true,
            Self::InputRequired { .. } => false,
            Self::Unknown(unknown) => {
                unknown.name.starts_with("error")
                    || unknown.raw.get("is_error").and_then(|flag| flag.view()) == Some(true)
            }
        }
    }
}

/// Returns the number as sent: a field that had to round it keeps the text in `extra`.
fn exact(name: &str, rounded: Option<u64>, extra: &Extra) -> Option<f64> {
    let sent = extra.get(name).and_then(|kept| kept.view());
    sent.or(rounded.map(|whole| whole as f64))
}

impl fmt::Display for McpMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}
