//! What is said to the model.

use rusty_claw_protocol::Str;
use rusty_claw_protocol::messages::UserMessage;

/// A prompt: text, and with it images and documents.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    message: UserMessage,
}

impl Prompt {
    /// A prompt that is a plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            message: UserMessage::text(text),
        }
    }

    /// The message as it is sent, and its id: one is made when it has none, because without an id
    /// the CLI does not say what becomes of a prompt.
    pub(crate) fn into_message(self) -> (Str, UserMessage) {
        let mut message = self.message;
        let id = match &message.uuid {
            Some(id) => id.clone(),
            None => {
                let id = Str::from(uuid::Uuid::new_v4().to_string());
                message.uuid = Some(id.clone());
                id
            }
        };
        (id, message)
    }
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Prompt {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<UserMessage> for Prompt {
    fn from(message: UserMessage) -> Self {
        Self { message }
    }
}
