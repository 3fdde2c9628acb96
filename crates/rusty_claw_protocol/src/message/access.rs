//! What every reader of messages asks first.

use std::fmt;

use crate::content::ContentBlock;
use crate::error::DecodeError;
use crate::extra::Extra;
use crate::message::{McpMessage, Message, ResultMessage};

impl Message {
    /// Reads a message from one line of JSON.
    ///
    /// The text itself is not kept. Use [`Line::decode`](crate::Line::decode) where the line is
    /// stored, relayed or exported: it keeps the bytes beside the message, and it accepts lines that
    /// are not JSON.
    ///
    /// # Errors
    /// The text is not a JSON object. A message of an unknown type is [`Message::Unknown`].
    pub fn from_json(json: &str) -> Result<Self, DecodeError> {
        crate::received::decode_message(json.as_bytes())
    }

    /// The `type`, as it is on the wire.
    pub fn message_type(&self) -> &str {
        self.tag()
    }

    /// Whether this ends a turn. More turns may follow, also unasked ones.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Result(_))
    }

    /// Whether this is a result that reports a failure.
    ///
    /// That is every `error…` subtype, and also `success` with `is_error: true`, which is how the
    /// CLI reports that the API failed.
    pub fn is_error(&self) -> bool {
        matches!(self, Self::Result(result) if result.is_error())
    }

    /// The content blocks of a user or assistant message, none for the others. Content that came
    /// as a plain string is one text block.
    pub fn content_blocks(&self) -> &[ContentBlock] {
        match self {
            Self::Assistant(assistant) => &assistant.message.content,
            Self::User(user) => &user.message.content,
            _ => &[],
        }
    }
}

impl ResultMessage {
    /// How long the turn took, in milliseconds, exactly as it was sent. `duration_ms` holds the
    /// same number, rounded.
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

    /// Time spent waiting for the API, in milliseconds, exactly as it was sent.
    /// `details.duration_api_ms` holds the same number, rounded.
    pub fn exact_duration_api_ms(&self) -> Option<f64> {
        match self {
            Self::Success { details, .. } | Self::Error { details, .. } => {
                exact("duration_api_ms", details.duration_api_ms, &details.extra)
            }
            Self::InputRequired { .. } | Self::Unknown(_) => None,
        }
    }

    /// Whether the turn failed; see [`Message::is_error`].
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

/// The number as it was sent: a field that had to round it keeps the text in `extra`.
fn exact(name: &str, rounded: Option<u64>, extra: &Extra) -> Option<f64> {
    let sent = extra.get(name).and_then(|kept| kept.view());
    sent.or(rounded.map(|whole| whole as f64))
}

impl fmt::Display for McpMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}
