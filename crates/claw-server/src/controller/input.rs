//! Input from applications.

use rusty_claw_protocol::Json;
use serde::{Deserialize, Serialize};

use super::{ControllerError, content};
use crate::event::{InputId, InputMode};
use crate::input::{ControllerInputPayload, TurnId};
use crate::session_id::SessionId;

/// A user's input to a session, and when to deliver it.
///
/// ```
/// use claw_server::{Input, InputMode, SessionId};
///
/// # let session = SessionId::random();
/// let input = Input::text(session, "Use the other branch")
///     .mode(InputMode::InterruptThenSend)
///     .key("phone-3f2a")
///     .by("phone");
/// # let _ = input;
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    pub(super) session_id: SessionId,
    pub(super) content: Json,
    pub(super) key: Option<String>,
    pub(super) mode: InputMode,
    pub(super) turn_id: Option<TurnId>,
    pub(super) from: Option<String>,
    pub(super) metadata: Option<Json>,
}

impl Input {
    /// A text. `@file` includes a file, and a leading `/name` runs a command.
    pub fn text(session_id: SessionId, text: &str) -> Self {
        Self::content(session_id, Json::from_text_value(text))
    }

    /// A text, or a list of content blocks of the API.
    pub fn content(session_id: SessionId, content: Json) -> Self {
        Self {
            session_id,
            content,
            key: None,
            mode: InputMode::Queue,
            turn_id: None,
            from: None,
            metadata: None,
        }
    }

    /// Checks that the content can be sent: that it is a text or a list of content blocks, not
    /// empty, and not too large.
    ///
    /// # Errors
    /// Returns [`ControllerError::Unsendable`] if not.
    pub fn check(&self) -> Result<(), ControllerError> {
        content::prompt(&self.content).map(|_| ())
    }

    /// Sets the idempotency key. An input that is sent again with the same key, after a lost
    /// response, is stored once. A session keeps its last 1,024 keys, also when it is reopened with
    /// its history; the key of an input that failed before the agent saw it can be reused.
    ///
    /// The same key with other content or another [mode](Input::mode) is rejected. All clients of a
    /// session share its keys, so use unique ones, such as UUIDs.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets when the input reaches the agent. By default, after the turns before it.
    #[must_use]
    pub fn mode(mut self, mode: InputMode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the client's turn id for this message. Its role must be `User`, otherwise the input is
    /// rejected with [`ControllerError::NotUserTurn`](crate::ControllerError::NotUserTurn). Its
    /// sequence must be higher than that of the session's last input, otherwise it is rejected with
    /// [`ControllerError::StaleTurn`](crate::ControllerError::StaleTurn). The sequence orders
    /// inputs; it does not deduplicate them, which is the purpose of the [key](Input::key). The
    /// sequence of an input that failed before it reached the agent can be reused.
    ///
    /// The turn id is stored with the input and returned in every receipt for it.
    #[must_use]
    pub fn turn_id(mut self, turn_id: TurnId) -> Self {
        self.turn_id = Some(turn_id);
        self
    }

    /// Sets who sends it.
    #[must_use]
    pub fn by(mut self, who: impl Into<String>) -> Self {
        self.from = Some(who.into());
        self
    }

    /// Sets data to store with the input. The agent does not see it.
    #[must_use]
    pub fn metadata(mut self, metadata: Json) -> Self {
        self.metadata = Some(metadata);
        self
    }
}

impl Input {
    /// Converts a payload for a session; the number in the payload is ignored. In its metadata,
    /// `idempotency_key` is the key, `mode` the mode and `from` the sender; all of the metadata is
    /// stored with the input.
    pub fn payload(session_id: SessionId, payload: ControllerInputPayload) -> Self {
        let mut input = Self::text(session_id, &payload.content).turn_id(payload.turn_id);
        if let Some(metadata) = payload.metadata {
            let text = |name: &str| Some(metadata.get(name)?.as_str()?.to_owned());
            input.key = text("idempotency_key");
            input.from = text("from");
            if let Some(mode) = text("mode") {
                input.mode = InputMode::from(mode.as_str());
            }
            input.metadata = Json::from_serialize(&metadata).ok();
        }
        input
    }
}

/// A stored input. Its further states are reported as
/// [`UiMessage::InputReceipt`](crate::UiMessage::InputReceipt).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InputReceipt {
    /// The id of the input, in every message about it.
    pub id: InputId,
    /// Whether it had been stored before, with the same key.
    pub is_repeat: bool,
    /// The client's turn id; for a repeated input, the one that was stored first.
    pub turn_id: Option<TurnId>,
}
