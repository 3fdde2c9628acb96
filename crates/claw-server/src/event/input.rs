//! Inputs from clients.

use rusty_claw_protocol::Json;
use serde::{Deserialize, Serialize};

use super::text_id::text_id;
use crate::input::TurnId;
use crate::open_enum::open_enum;

text_id! {
    /// Identifies an input in the log, in receipts and to the CLI.
    InputId
}

open_enum! {
    /// When an input reaches the agent.
    pub enum InputMode {
        /// After the turns before it.
        Queue,
        /// Into the running turn, at its next step.
        Steer,
        /// Immediately: the running turn is interrupted first.
        InterruptThenSend,
    }
}

/// A stored input, which is delivered at most once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AcceptedInput {
    /// The id of the input.
    pub id: InputId,
    /// The client's idempotency key: an input sent twice with the same key is stored once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// When it reaches the agent.
    pub mode: InputMode,
    /// A text, or a list of the API's content blocks.
    pub content: Json,
    /// The client's turn id, if the client sent one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The sender, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Data attached by the application.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

impl AcceptedInput {
    /// Creates an input in the mode [`InputMode::Queue`].
    pub fn new(id: InputId, content: Json) -> Self {
        Self {
            id,
            key: None,
            mode: InputMode::Queue,
            content,
            turn_id: None,
            from: None,
            metadata: None,
        }
    }
}

/// An input that failed, or whose fate is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InputFailure {
    /// The id of the input.
    pub id: InputId,
    /// Whether the agent may have seen it, because the process was lost after it was sent. Such an
    /// input is not resent automatically.
    pub indeterminate: bool,
    /// Why it failed.
    pub reason: String,
}

impl InputFailure {
    /// Creates a failure of an input that the agent has not seen.
    pub fn new(id: InputId, reason: impl Into<String>) -> Self {
        Self {
            id,
            indeterminate: false,
            reason: reason.into(),
        }
    }

    /// Marks the input as possibly seen by the agent.
    #[must_use]
    pub fn indeterminate(mut self) -> Self {
        self.indeterminate = true;
        self
    }
}
