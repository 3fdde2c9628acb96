//! Activity messages for phones.

use rusty_claw_protocol::Json;
use rusty_claw_protocol::tool::ToolView;
use serde::{Deserialize, Serialize};

use crate::stop_reason::StopReason;
use crate::ui_message::{SessionPhase, TaskStatus};

/// The kind of operation of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Operation {
    /// It reads, lists or searches files.
    FileOperation,
    /// It runs a command.
    Command,
    /// It writes or changes files.
    CodeChange,
    /// Anything else.
    #[serde(other)]
    Other,
}

impl Operation {
    /// The kind and the target of a call: a path, a pattern, a command or the tool's name.
    ///
    /// ```
    /// use claw_server::{Json, Operation};
    ///
    /// let input = Json::from_text(r#"{"command":"cargo test"}"#)?;
    /// assert_eq!(Operation::of("Bash", &input), (Operation::Command, "cargo test".to_string()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(tool_name: &str, input: &Json) -> (Self, String) {
        let (kind, target): (Self, String) = match ToolView::of(tool_name, input) {
            ToolView::Read(read) => (Self::FileOperation, read.file_path.into()),
            ToolView::NotebookRead(read) => (Self::FileOperation, read.notebook_path.into()),
            ToolView::Ls(list) => (Self::FileOperation, list.path.into()),
            ToolView::Glob(glob) => (Self::FileOperation, glob.pattern.into()),
            ToolView::Grep(grep) => (Self::FileOperation, grep.pattern),
            ToolView::Bash(bash) => (Self::Command, bash.command),
            ToolView::Monitor(monitor) => (Self::Command, monitor.command.unwrap_or_default()),
            ToolView::BashOutput(_) | ToolView::KillShell(_) => (Self::Command, String::new()),
            ToolView::Write(write) => (Self::CodeChange, write.file_path.into()),
            ToolView::Edit(edit) => (Self::CodeChange, edit.file_path.into()),
            ToolView::MultiEdit(edit) => (Self::CodeChange, edit.file_path.into()),
            ToolView::NotebookEdit(edit) => (Self::CodeChange, edit.notebook_path.into()),
            _ => (Self::Other, String::new()),
        };
        if target.is_empty() {
            (kind, tool_name.to_owned())
        } else {
            (kind, target)
        }
    }
}

/// Whether a tool began or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OperationState {
    /// It began.
    Started,
    /// It ended; see [`ToolOperation::failed`].
    Completed,
}

/// A tool began or ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "tool_operation", rename_all = "camelCase")]
pub struct ToolOperation {
    /// The id of the call, the same at its start and end.
    pub tool_use_id: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The kind of operation.
    pub operation: Operation,
    /// A path, a pattern, a command or the tool's name, truncated to 500 characters.
    pub target: String,
    /// Whether it began or ended.
    pub state: OperationState,
    /// Whether it failed; missing in JSON if false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// The conversation it belongs to.
    pub conversation_id: String,
}

/// A response was retracted: the model did not continue, and another was asked. Remove it from the
/// screen.
///
/// A `claude_response` has no id, so it is identified by its position: count back from the newest
/// response of the conversation that was not retracted.
///
/// ```
/// use claw_server::MobileMessage;
///
/// let mut shown = Vec::new();
/// for message in [
///     r#"{"type":"claude_response","content":"Hello.","conversationId":"sess_123"}"#,
///     r#"{"type":"claude_response","content":"I cannot help","conversationId":"sess_123"}"#,
///     r#"{"type":"claude_response","content":"Done.","conversationId":"sess_123"}"#,
///     r#"{"type":"claude_response_retracted","responsesAfter":1,"conversationId":"sess_123"}"#,
/// ] {
///     match serde_json::from_str(message)? {
///         MobileMessage::ClaudeResponse(response) => shown.push(response.content),
///         MobileMessage::ResponseRetracted(gone) => {
///             let after = usize::try_from(gone.responses_after)?;
///             if let Some(place) = shown.len().checked_sub(after + 1) {
///                 shown.remove(place);
///             }
///         }
///         _ => {}
///     }
/// }
/// assert_eq!(shown, ["Hello.", "Done."]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename = "claude_response_retracted",
    rename_all = "camelCase"
)]
pub struct ResponseRetracted {
    /// The number of later responses in the conversation that are not retracted; 0 for the newest.
    pub responses_after: u64,
    /// The conversation it belongs to.
    pub conversation_id: String,
}

/// Progress of a subagent. If more than 1,024 run, the one without updates for longest becomes
/// [`TaskStatus::Unfollowed`], and its end may not be reported.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "sub_agent_progress", rename_all = "camelCase")]
pub struct SubAgentProgress {
    /// The id of the subagent.
    pub agent_id: String,
    /// The type of the subagent.
    pub agent_name: String,
    /// The state of the subagent.
    pub status: TaskStatus,
    /// The current activity, or the outcome.
    pub current_step: String,
    /// The number of tool uses, if known.
    pub tool_uses: Option<u64>,
    /// The conversation it belongs to.
    pub conversation_id: String,
}

/// A turn has ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "turn_complete", rename_all = "camelCase")]
pub struct TurnComplete {
    /// The number of the turn, starting at 1.
    pub turn: u64,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// The conversation it belongs to.
    pub conversation_id: String,
}

/// The project of a conversation: the folder that its session works in.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "session_project", rename_all = "camelCase")]
pub struct SessionProject {
    /// The id of the project, as in [`Project::id`](crate::Project::id).
    pub project_id: String,
    /// The name of the project, for display.
    pub project_name: String,
    /// The conversation.
    pub conversation_id: String,
}

/// The state of the session.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "session_state", rename_all = "camelCase")]
pub struct MobileSessionState {
    /// The state.
    pub state: SessionPhase,
    /// The reason, for display.
    pub detail: Option<String>,
    /// The conversation.
    pub conversation_id: String,
}

/// A stored input did not reach the agent, or it is unknown whether it did.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "input_failed", rename_all = "camelCase")]
pub struct FailedInput {
    /// The id of the input.
    pub input_id: String,
    /// Why it failed.
    pub reason: String,
    /// Whether the agent may have seen it. Sending it again may duplicate it.
    pub indeterminate: bool,
    /// The conversation it belongs to.
    pub conversation_id: String,
}

/// An error occurred.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "error", rename_all = "camelCase")]
pub struct ErrorMessage {
    /// The error message.
    pub message: String,
    /// The conversation it belongs to.
    pub conversation_id: String,
}

/// Events are missing from the log. They are not reported, and work that began in them may never
/// end. To recover, read the session from the start.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "gap", rename_all = "camelCase")]
pub struct MissingEvents {
    /// The first missing sequence number.
    pub from: u64,
    /// The last missing sequence number.
    pub to: u64,
    /// The conversation they belong to.
    pub conversation_id: String,
}
