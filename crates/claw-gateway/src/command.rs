//! Commands in the inbox of a session.

use claw_server::{InputMode, Json};
use claw_store::{IdempotencyKey, InteractionId, NewCommand};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::changes::SettingChange;
use crate::error::GatewayError;

/// A command for the owner of a session. It is stored under [`client_key`] or [`answer_key`].
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
    /// Changes a setting of the session.
    Change(SettingChange),
    /// Ends the session.
    Close,
}

impl Command {
    /// Returns the command for the inbox. Inputs may fill the inbox while the agent waits for an
    /// answer, so all other commands are urgent.
    pub(crate) fn stored_under(&self, key: IdempotencyKey) -> Result<NewCommand, GatewayError> {
        let json = serde_json::to_vec(self);
        let json = json.map_err(|error| GatewayError::invalid(error.to_string()))?;
        Ok(NewCommand {
            key,
            body: json.into(),
            is_urgent: !matches!(self, Self::Input { .. }),
        })
    }
}

const CLIENT: &str = "c-";

/// Returns the key under which a command of a client is stored. Keys of clients have a prefix, so
/// that they cannot equal a key of the gateway's own commands.
pub(crate) fn client_key(key: &IdempotencyKey) -> Result<IdempotencyKey, GatewayError> {
    let invalid = |_| GatewayError::invalid("the idempotency key has more than 254 bytes");
    IdempotencyKey::new(&format!("{CLIENT}{key}")).map_err(invalid)
}

/// Returns the client's key of a stored command.
pub(crate) fn key_of_client(stored: &IdempotencyKey) -> &str {
    let stored = stored.as_str();
    stored.strip_prefix(CLIENT).unwrap_or(stored)
}

/// Returns the key of the command that reports the answer to an interaction. Ids of interactions
/// may be as long as a key, so the key contains their hash.
pub(crate) fn answer_key(interaction: &InteractionId) -> Result<IdempotencyKey, GatewayError> {
    let hash = Sha256::digest(interaction.as_str());
    let key = IdempotencyKey::new(&format!("a-{hash:x}"));
    key.map_err(|error| GatewayError::invalid(error.to_string()))
}

#[cfg(test)]
mod tests {
    use rusty_claw::permission::PermissionMode;

    use super::*;

    #[test]
    fn keys_of_clients_and_of_answers_differ() {
        let long = "x".repeat(256);
        let id = InteractionId::new(&long).unwrap();
        let own = answer_key(&id).unwrap();
        let same = client_key(&own).unwrap();
        assert_ne!(same, own);
        assert_eq!(key_of_client(&same), own.as_str());
        let long = IdempotencyKey::new(&long).unwrap();
        assert!(matches!(
            client_key(&long),
            Err(GatewayError::Invalid { .. })
        ));
    }

    #[test]
    fn commands_are_stored_as_json() {
        let key = IdempotencyKey::new("key").unwrap();
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
            (
                Command::Change(SettingChange::Model(None)),
                r#"{"change":{"model":null}}"#,
            ),
            (
                Command::Change(SettingChange::PermissionMode(PermissionMode::Plan)),
                r#"{"change":{"permission_mode":"plan"}}"#,
            ),
            (Command::Close, r#""close""#),
        ];
        for (command, json) in commands {
            let stored = command.stored_under(key.clone()).unwrap();
            assert_eq!(stored.body, json);
            assert_eq!(stored.is_urgent, !json.contains("input"));
            assert_eq!(serde_json::from_str::<Command>(json).unwrap(), command);
        }
    }
}
