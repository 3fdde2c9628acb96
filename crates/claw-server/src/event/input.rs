//! What people send in.

use rusty_claw_protocol::Json;
use serde::{Deserialize, Serialize};

use super::text_id::text_id;
use crate::input::TurnId;
use crate::open_names::open_names;

text_id! {
    /// Names an input for its whole life: in the log, in receipts, and to the CLI.
    InputId
}

open_names! {
    /// When an input reaches the agent.
    pub enum InputMode {
        /// When the turns before it are done.
        Queue,
        /// Into the turn that is running, at its next step.
        Steer,
        /// At once: what is running is stopped first.
        InterruptThenSend,
    }
}

/// An input that is stored, and so will be delivered once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AcceptedInput {
    /// Its id.
    pub id: InputId,
    /// What the client calls it, so that sending it twice stores it once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// When it reaches the agent.
    pub mode: InputMode,
    /// What was said: a text, or a list of content blocks of the API.
    pub content: Json,
    /// The client's turn id, if the client sent one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// Who sent it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What the application put beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

impl AcceptedInput {
    /// An input that waits for its turn.
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

/// An input that came to nothing, as far as anybody can say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InputFailure {
    /// The input.
    pub id: InputId,
    /// Whether the agent may have seen it all the same, because the process was lost in between.
    /// Such an input is not sent again by itself.
    pub indeterminate: bool,
    /// What happened.
    pub reason: String,
}

impl InputFailure {
    /// An input that the agent has not seen.
    pub fn new(id: InputId, reason: impl Into<String>) -> Self {
        Self {
            id,
            indeterminate: false,
            reason: reason.into(),
        }
    }

    /// The agent may have seen it.
    #[must_use]
    pub fn indeterminate(mut self) -> Self {
        self.indeterminate = true;
        self
    }
}
