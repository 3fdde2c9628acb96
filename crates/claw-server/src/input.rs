//! User input to an agent.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::open_enum::open_enum;

/// A user's message to a session.
///
/// Use the constructor for common cases:
///
/// ```
/// # use claw_server::{ControllerInputPayload, TurnId};
/// # let session_id = 1;
/// let payload = ControllerInputPayload::data(
///     session_id,
///     "What's the weather like?",
///     TurnId::new_user_turn(1)
/// );
/// # assert_eq!(
/// #     serde_json::to_string(&payload)?,
/// #     r#"{"session_id":1,"content":"What's the weather like?","turn_id":{"role":"User","sequence":1}}"#
/// # );
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// Or construct directly for full control:
///
/// ```
/// # use std::collections::HashMap;
/// # use claw_server::{ControllerInputPayload, TurnId};
/// # use serde_json::json;
/// let mut metadata = HashMap::new();
/// metadata.insert("client_timestamp".to_string(), json!(1234567890));
/// metadata.insert("client_version".to_string(), json!("1.2.3"));
///
/// let payload = ControllerInputPayload {
///     session_id: 1,
///     content: "Hello".to_string(),
///     turn_id: TurnId::new_user_turn(1),
///     metadata: Some(metadata),
/// };
/// # assert_eq!(
/// #     serde_json::to_value(&payload)?,
/// #     json!({
/// #         "session_id": 1,
/// #         "content": "Hello",
/// #         "turn_id": {"role": "User", "sequence": 1},
/// #         "metadata": {"client_timestamp": 1234567890, "client_version": "1.2.3"},
/// #     })
/// # );
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// A client sends it as JSON, with or without metadata:
///
/// ```
/// # use claw_server::{ControllerInputPayload, TurnId};
/// // Deserialize a payload
/// let json = r#"{"session_id":1,"content":"Hi","turn_id":{"role":"User","sequence":1}}"#;
/// let payload: ControllerInputPayload = serde_json::from_str(json)?;
/// # assert_eq!(payload, ControllerInputPayload::data(1, "Hi", TurnId::new_user_turn(1)));
/// # assert_eq!(serde_json::to_string(&payload)?, json);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControllerInputPayload {
    /// Routes the message to its session.
    pub session_id: i64,
    /// What the user wrote.
    pub content: String,
    /// The position of the message in the conversation.
    pub turn_id: TurnId,
    /// Data of the application, which the agent does not see. Omitted from the JSON if there is
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<HashMap<String, Value>>,
}

impl ControllerInputPayload {
    /// A message without metadata.
    pub fn data(session_id: i64, content: impl Into<String>, turn_id: TurnId) -> Self {
        Self {
            session_id,
            content: content.into(),
            turn_id,
            metadata: None,
        }
    }
}

/// The position of a message in its conversation: its author, and its number among theirs.
///
/// ```
/// # use claw_server::TurnId;
/// # let turns = [
/// // User's first message
/// TurnId::new_user_turn(1)
/// # ,
///
/// // User's second message
/// TurnId::new_user_turn(2)
/// # ,
///
/// // Assistant's response (used internally)
/// TurnId::new_assistant_turn(1)
/// # ];
/// # assert_eq!(
/// #     serde_json::to_string(&turns)?,
/// #     r#"[{"role":"User","sequence":1},{"role":"User","sequence":2},{"role":"Assistant","sequence":1}]"#
/// # );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TurnId {
    /// The author of the message.
    pub role: Role,
    /// Counts the messages of this role, from one. A user's client increments it for each message;
    /// the agent assigns its own.
    pub sequence: u64,
}

impl TurnId {
    /// A message of the user.
    pub fn new_user_turn(sequence: u64) -> Self {
        Self {
            role: Role::User,
            sequence,
        }
    }

    /// A response of the agent.
    pub fn new_assistant_turn(sequence: u64) -> Self {
        Self {
            role: Role::Assistant,
            sequence,
        }
    }
}

open_enum! {
    /// The author of a message.
    pub enum Role {
        /// The user, or a program acting for them.
        User,
        /// The agent.
        Assistant,
    }
}
