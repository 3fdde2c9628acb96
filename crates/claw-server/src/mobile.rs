//! Flat messages for phones.

mod activity;
mod request;

use rusty_claw_protocol::Json;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::unknown_message::UnknownMessage;

pub use activity::{
    ErrorMessage, FailedInput, MissingEvents, MobileSessionState, Operation, OperationState,
    ResponseRetracted, SessionProject, SubAgentProgress, ToolOperation, TurnComplete,
};
pub use request::{InteractionRequest, MobilePermissionRequest, QuestionRequest, RequestResolved};

/// A message for the mobile client: a flat object with a `type` and members in camel case.
///
/// ```
/// use claw_server::{ClaudeResponse, MobileMessage};
///
/// let message = MobileMessage::ClaudeResponse(ClaudeResponse {
///     content: "I'll run the test suite now. Running test 5 of 20...".to_string(),
///     conversation_id: "sess_123".to_string(),
/// });
/// let json = serde_json::to_string_pretty(&message)?;
/// assert_eq!(json, r#"{
///   "type": "claude_response",
///   "content": "I'll run the test suite now. Running test 5 of 20...",
///   "conversationId": "sess_123"
/// }"#);
/// assert_eq!(serde_json::from_str::<MobileMessage>(&json)?, message);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MobileMessage {
    /// Text of the agent.
    ClaudeResponse(ClaudeResponse),
    /// Text of the agent was retracted.
    ResponseRetracted(ResponseRetracted),
    /// Progress of the agent.
    ProgressUpdate(ProgressUpdateMessage),
    /// Progress of a subagent.
    SubAgentProgress(SubAgentProgress),
    /// A tool began or ended.
    ToolOperation(ToolOperation),
    /// A tool call waits for permission, and the agent with it.
    PermissionRequest(MobilePermissionRequest),
    /// The agent waits for answers to its questions.
    QuestionRequest(QuestionRequest),
    /// An MCP server or a dialog waits for an answer.
    InteractionRequest(InteractionRequest),
    /// A request was resolved.
    RequestResolved(RequestResolved),
    /// A turn has ended.
    TurnComplete(TurnComplete),
    /// The project of the conversation.
    SessionProject(SessionProject),
    /// The state of the session changed.
    SessionState(MobileSessionState),
    /// An input did not reach the agent, or it is unknown whether it did.
    InputFailed(FailedInput),
    /// An error occurred.
    Error(ErrorMessage),
    /// Events of the log are missing.
    Gap(MissingEvents),
    /// An unrecognized message, kept unchanged.
    Unknown(UnknownMessage),
}

/// Text of the agent. It is also serialized with its `type` on its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "claude_response", rename_all = "camelCase")]
pub struct ClaudeResponse {
    /// The text.
    pub content: String,
    /// The conversation: the phone's name of the session.
    pub conversation_id: String,
}

/// Progress of the agent. It is also serialized with its `type` on its own.
///
/// ```
/// use claw_server::{MobileMessage, ProgressUpdateMessage};
///
/// let message = MobileMessage::ProgressUpdate(ProgressUpdateMessage {
///     current_step: "Running tests".to_string(),
///     completed_steps: 5,
///     total_steps: 20,
///     percentage: 25.0,
/// });
/// let json = serde_json::to_string_pretty(&message)?;
/// assert_eq!(json, r#"{
///   "type": "progress_update",
///   "currentStep": "Running tests",
///   "completedSteps": 5,
///   "totalSteps": 20,
///   "percentage": 25.0
/// }"#);
/// assert_eq!(serde_json::from_str::<MobileMessage>(&json)?, message);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "progress_update", rename_all = "camelCase")]
pub struct ProgressUpdateMessage {
    /// What the agent is doing, for display.
    pub current_step: String,
    /// The number of completed steps.
    pub completed_steps: u64,
    /// The number of steps, as far as known.
    pub total_steps: u64,
    /// The percentage done, from 0 to 100. Must be finite, because JSON has no other numbers.
    pub percentage: f64,
}

/// Generates names, serialization and parsing from one list of variants.
macro_rules! messages {
    ($($name:literal => $variant:ident,)+) => {
        const NAMES: &[&str] = &[$($name),+];

        impl MobileMessage {
            /// The message's `type`.
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$variant(_) => $name,)+
                    Self::Unknown(unknown) => &unknown.name,
                }
            }

            fn known(name: &str, raw: &Json) -> Option<Self> {
                match name {
                    $($name => raw.parse().ok().map(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl Serialize for MobileMessage {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(message) => message.serialize(serializer),)+
                    Self::Unknown(message) => message.serialize(serializer),
                }
            }
        }
    };
}

messages! {
    "claude_response" => ClaudeResponse,
    "claude_response_retracted" => ResponseRetracted,
    "progress_update" => ProgressUpdate,
    "sub_agent_progress" => SubAgentProgress,
    "tool_operation" => ToolOperation,
    "permission_request" => PermissionRequest,
    "question_request" => QuestionRequest,
    "interaction_request" => InteractionRequest,
    "request_resolved" => RequestResolved,
    "turn_complete" => TurnComplete,
    "session_project" => SessionProject,
    "session_state" => SessionState,
    "input_failed" => InputFailed,
    "error" => Error,
    "gap" => Gap,
}

/// Accepts every object; an unrecognized one becomes `Unknown`.
impl<'de> Deserialize<'de> for MobileMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Json::deserialize(deserializer)?;
        if !raw.is_object() {
            return Err(D::Error::custom(format_args!(
                "a mobile message is an object with a `type`, not {raw}"
            )));
        }
        let name = raw.get("type").and_then(|name| name.to_text());
        let typed = name.as_deref().and_then(|name| Self::known(name, &raw));
        Ok(typed.unwrap_or_else(|| {
            Self::Unknown(UnknownMessage::keep(name.unwrap_or_default(), NAMES, raw))
        }))
    }
}
