//! What every reader of messages asks first.

use std::fmt;

use crate::content::ContentBlock;
use crate::error::DecodeError;
use crate::message::{McpMessage, Message, ResultMessage};

impl Message {
    /// Reads a message from one line of JSON.
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

impl fmt::Display for McpMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}
