//! What the agent does, for a phone.

use rusty_claw_protocol::Json;
use rusty_claw_protocol::tool::ToolView;
use serde::{Deserialize, Serialize};

use crate::stop_reason::StopReason;
use crate::ui_message::{SessionPhase, TaskStatus};

/// What kind of thing a tool does, as a phone sorts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Operation {
    /// It looks at files or folders.
    FileOperation,
    /// It runs a command.
    Command,
    /// It writes or changes files.
    CodeChange,
    /// Something else.
    #[serde(other)]
    Other,
}

impl Operation {
    /// The kind of a call, and what it is about: a path, a command or the tool's name.
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
    /// It ended; [`ToolOperation::failed`] says whether it failed.
    Completed,
}

/// A tool began or ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "tool_operation", rename_all = "camelCase")]
pub struct ToolOperation {
    /// The call; its end has the same.
    pub tool_use_id: String,
    /// Which tool.
    pub tool_name: String,
    /// What kind of thing it does.
    pub operation: Operation,
    /// What it is about: a path, a command or the tool's name; the first 500 letters of it.
    pub target: String,
    /// Whether it began or ended.
    pub state: OperationState,
    /// Whether it ended and failed; left out in JSON when not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// The conversation it belongs to.
    pub conversation_id: String,
}

/// A response that was told does not count any more: the model would not go on, and another was
/// asked. Take it from the screen.
///
/// A `claude_response` has no name, so it is named by its place: count back from the newest response
/// of the conversation that still stands.
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
    /// How many responses of the conversation come after it, those not counted that were taken
    /// back before: 0 when it is the newest.
    pub responses_after: u64,
    /// The conversation it belongs to.
    pub conversation_id: String,
}

/// How far a subagent is. Of more than 1,024 that run, the one that was silent for longest is
/// [`TaskStatus::Unfollowed`]: its end may not be told.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "sub_agent_progress", rename_all = "camelCase")]
pub struct SubAgentProgress {
    /// The subagent.
    pub agent_id: String,
    /// What kind of subagent it is.
    pub agent_name: String,
    /// Where it is.
    pub status: TaskStatus,
    /// What it does, or what came of it.
    pub current_step: String,
    /// How many tools it has used, where that is known.
    pub tool_uses: Option<u64>,
    /// The conversation it belongs to.
    pub conversation_id: String,
}

/// A turn has ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "turn_complete", rename_all = "camelCase")]
pub struct TurnComplete {
    /// Which turn, from 1 on.
    pub turn: u64,
    /// Why it ended.
    pub stop_reason: StopReason,
    /// The conversation it belongs to.
    pub conversation_id: String,
}

/// Which project a conversation belongs to: the folder that its session works in.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "session_project", rename_all = "camelCase")]
pub struct SessionProject {
    /// A name that only this project has.
    pub project_id: String,
    /// What people call it.
    pub project_name: String,
    /// The conversation.
    pub conversation_id: String,
}

/// What the session is doing: whether it has a process, and why not.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "session_state", rename_all = "camelCase")]
pub struct MobileSessionState {
    /// What it is doing.
    pub state: SessionPhase,
    /// Why, in words for a person.
    pub detail: Option<String>,
    /// The conversation.
    pub conversation_id: String,
}

/// An input that was stored did not reach the agent, or nobody knows whether it did.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "input_failed", rename_all = "camelCase")]
pub struct FailedInput {
    /// The input.
    pub input_id: String,
    /// Why.
    pub reason: String,
    /// Whether the agent may have seen it all the same. Sending it again may say it twice.
    pub indeterminate: bool,
    /// The conversation it belongs to.
    pub conversation_id: String,
}

/// Something went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "error", rename_all = "camelCase")]
pub struct ErrorMessage {
    /// What happened.
    pub message: String,
    /// The conversation it belongs to.
    pub conversation_id: String,
}

/// Events of the log are missing here: what they said is not told, and what began in them may not
/// end. A phone that wants to be sure reads the session anew.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename = "gap", rename_all = "camelCase")]
pub struct MissingEvents {
    /// The first that is missing.
    pub from: u64,
    /// The last that is missing.
    pub to: u64,
    /// The conversation they belong to.
    pub conversation_id: String,
}
