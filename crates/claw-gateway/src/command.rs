//! Commands in the inbox of a session.

use bytes::Bytes;
use claw_server::{InputMode, Json};
use serde::{Deserialize, Serialize};

use crate::error::GatewayError;

/// A command for the owner of a session. The key under which it is stored is the client's
/// idempotency key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Command {
    /// An input for the agent.
    Input {
        content: Json,
        mode: InputMode,
        by: String,
    },
    /// Interrupts a turn. Does nothing after it.
    Interrupt { turn: u64 },
    /// The store has an answer to this interaction.
    Answered { interaction: String },
    /// Ends the session.
    Close,
}

impl Command {
    pub(crate) fn encode(&self) -> Result<Bytes, GatewayError> {
        let json = serde_json::to_vec(self);
        let json = json.map_err(|error| GatewayError::invalid(error.to_string()))?;
        Ok(json.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_stored_as_json() {
        let commands = [
            (
                Command::Input {
                    content: Json::from_text_value("Hello"),
                    mode: InputMode::Steer,
                    by: "phone".to_owned(),
                },
                r#"{"input":{"content":"Hello","mode":"Steer","by":"phone"}}"#,
            ),
            (
                Command::Interrupt { turn: 3 },
                r#"{"interrupt":{"turn":3}}"#,
            ),
            (Command::Close, r#""close""#),
        ];
        for (command, json) in commands {
            assert_eq!(command.encode().unwrap(), json);
            assert_eq!(serde_json::from_str::<Command>(json).unwrap(), command);
        }
    }
}
