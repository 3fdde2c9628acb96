//! Requests to the user of a phone.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Operation;
use crate::question::Question;
use crate::ui_message::{InteractionOutcome, Resolution};

/// A tool call waits for permission, and the agent with it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "permission_request", rename_all = "camelCase")]
pub struct MobilePermissionRequest {
    /// The id of the request, for the answer.
    pub request_id: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The kind of operation.
    pub operation: Operation,
    /// A path, a host, a command or the tool's name.
    pub target: String,
    /// What is allowed by it, for display.
    pub description: String,
    /// When it expires and is denied, in milliseconds since the Unix epoch.
    pub expires_at: Option<i64>,
    /// The conversation it belongs to.
    pub conversation_id: String,
}

/// The agent waits for answers to its questions.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "question_request", rename_all = "camelCase")]
pub struct QuestionRequest {
    /// The id of the request, for the answer.
    pub request_id: String,
    /// The questions.
    pub questions: Vec<Question>,
    /// When it expires and is declined, in milliseconds since the Unix epoch.
    pub expires_at: Option<i64>,
    /// The conversation it belongs to.
    pub conversation_id: String,
}

/// An interaction that is neither a permission nor a question: input for an MCP server, or a choice
/// in a dialog. A phone can decline kinds that it does not support.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "interaction_request", rename_all = "camelCase")]
pub struct InteractionRequest {
    /// The id of the request, for the answer.
    pub request_id: String,
    /// The kind, as in the event: `Elicitation`, `Dialog`.
    pub kind: String,
    /// The MCP server, or the name of the dialog.
    pub source: Option<String>,
    /// What is asked for, for display.
    pub description: String,
    /// The CLI's request, unchanged. It contains the schema of a form.
    pub request: Value,
    /// When it expires and is declined, in milliseconds since the Unix epoch.
    pub expires_at: Option<i64>,
    /// The conversation it belongs to.
    pub conversation_id: String,
}

/// A request was resolved. Remove it from the screen.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "request_resolved", rename_all = "camelCase")]
pub struct RequestResolved {
    /// The id of the request.
    pub request_id: String,
    /// Why it was resolved.
    pub resolution: Resolution,
    /// The outcome; missing from older servers.
    pub outcome: Option<InteractionOutcome>,
    /// The conversation it belongs to.
    pub conversation_id: String,
}
