//! What waits for the user of a phone.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Operation;
use crate::question::Question;
use crate::ui_message::{PromptOutcome, Resolution};

/// A tool waits for a permission, and the agent with it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "permission_request", rename_all = "camelCase")]
pub struct MobilePermissionRequest {
    /// By this the answer names the request.
    pub request_id: String,
    /// Which tool.
    pub tool_name: String,
    /// What kind of thing it does.
    pub operation: Operation,
    /// What it is about: a path, a command or the tool's name.
    pub target: String,
    /// What happens when it is allowed, in words for a person.
    pub description: String,
    /// When it is denied for want of an answer, in milliseconds since 1970.
    pub expires_at: Option<i64>,
    /// The conversation it belongs to.
    pub conversation_id: String,
}

/// The agent waits for its user to answer questions.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "question_request", rename_all = "camelCase")]
pub struct QuestionRequest {
    /// By this the answer names the request.
    pub request_id: String,
    /// The questions.
    pub questions: Vec<Question>,
    /// When it is declined for want of an answer, in milliseconds since 1970.
    pub expires_at: Option<i64>,
    /// The conversation it belongs to.
    pub conversation_id: String,
}

/// Something that is neither a permission nor a question waits: what a tool server wants to know,
/// or a choice in a dialog. A phone that does not know the kind can still decline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "prompt_request", rename_all = "camelCase")]
pub struct PromptRequest {
    /// By this the answer names the request.
    pub request_id: String,
    /// What is asked for, as the event calls it: `Elicitation`, `Dialog`.
    pub kind: String,
    /// Who asks: the tool server, or the dialog's name.
    pub source: Option<String>,
    /// What is asked, in words for a person.
    pub description: String,
    /// What the CLI asks, as it came: the schema of a form is in it.
    pub request: Value,
    /// When it is declined for want of an answer, in milliseconds since 1970.
    pub expires_at: Option<i64>,
    /// The conversation it belongs to.
    pub conversation_id: String,
}

/// A request waits no more: take it from the screen.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "request_resolved", rename_all = "camelCase")]
pub struct RequestResolved {
    /// The request.
    pub request_id: String,
    /// Why.
    pub resolution: Resolution,
    /// Whether that was a yes or a no; an older server does not say it.
    pub outcome: Option<PromptOutcome>,
    /// The conversation it belongs to.
    pub conversation_id: String,
}
