//! The flat messages that a phone shows.

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
pub use request::{MobilePermissionRequest, PromptRequest, QuestionRequest, RequestResolved};

/// A message for the mobile client: flat, told apart by `type`, members in camel case.
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
    /// What the agent said.
    ClaudeResponse(ClaudeResponse),
    /// What the agent said does not count.
    ResponseRetracted(ResponseRetracted),
    /// How far the agent is.
    ProgressUpdate(ProgressUpdateMessage),
    /// How far a subagent is.
    SubAgentProgress(SubAgentProgress),
    /// A tool began or ended.
    ToolOperation(ToolOperation),
    /// A tool waits for a permission, and the agent with it.
    PermissionRequest(MobilePermissionRequest),
    /// The agent waits for its user to answer questions.
    QuestionRequest(QuestionRequest),
    /// A tool server or a dialog waits for an answer.
    PromptRequest(PromptRequest),
    /// A request waits no more.
    RequestResolved(RequestResolved),
    /// A turn has ended.
    TurnComplete(TurnComplete),
    /// Which project the conversation belongs to.
    SessionProject(SessionProject),
    /// Whether the session has a process.
    SessionState(MobileSessionState),
    /// An input did not reach the agent.
    InputFailed(FailedInput),
    /// Something went wrong.
    Error(ErrorMessage),
    /// Events of the log are missing here.
    Gap(MissingEvents),
    /// A message of a newer server, kept as it came.
    Unknown(UnknownMessage),
}

/// What the agent said. On its own, too, it is written with its `type`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "claude_response", rename_all = "camelCase")]
pub struct ClaudeResponse {
    /// The text.
    pub content: String,
    /// The conversation it belongs to: the name of a session, as the phone knows it.
    pub conversation_id: String,
}

/// How far the agent is. On its own, too, it is written with its `type`.
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
    /// What the agent is doing, in words for a person.
    pub current_step: String,
    /// How many steps are behind it.
    pub completed_steps: u64,
    /// How many steps there are, as far as is known now.
    pub total_steps: u64,
    /// The share that is done, from 0 to 100. Must be finite: JSON has no other numbers.
    pub percentage: f64,
}

/// Says the variants once: their names on the wire, how they are written, and how they are read.
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
    "prompt_request" => PromptRequest,
    "request_resolved" => RequestResolved,
    "turn_complete" => TurnComplete,
    "session_project" => SessionProject,
    "session_state" => SessionState,
    "input_failed" => InputFailed,
    "error" => Error,
    "gap" => Gap,
}

/// Takes every object; one that has no shape we know is `Unknown`.
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
