//! Progress of tools and side results of turns.

use rusty_claw_macros::wire_type;

use crate::text::Str;

/// A tool is still running.
///
/// On a heartbeat `tool_use_id` is an id of its own, and `parent_tool_use_id` is the call.
#[wire_type]
pub struct ToolProgressMessage {
    /// The id of the call or of the heartbeat.
    pub tool_use_id: Str,
    /// The tool's name.
    pub tool_name: Str,
    /// The call that this belongs to.
    pub parent_tool_use_id: Option<Str>,
    /// How long it has been running.
    pub elapsed_time_seconds: f64,
    /// The task that runs it.
    pub task_id: Option<Str>,
    /// Whether this is only a heartbeat.
    pub heartbeat: Option<bool>,
    /// The type of the subagent that runs it.
    pub subagent_type: Option<Str>,
    /// Set if a subagent waits before it retries an API request.
    pub subagent_retry: Option<Box<SubagentRetry>>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// A subagent waits before it retries an API request.
#[wire_type]
pub struct SubagentRetry {
    /// The subagent's id.
    pub agent_id: Str,
    /// Number of the failed attempt, from 1.
    pub attempt: u64,
    /// The maximum number of retries.
    pub max_retries: u64,
    /// How long it waits.
    pub retry_delay_ms: u64,
    /// The HTTP status; `None` if the API was not reached.
    pub error_status: Option<u64>,
    /// The category of the error.
    pub error_category: Str,
}

/// A summary of a batch of tool calls.
#[wire_type]
pub struct ToolUseSummaryMessage {
    /// The summary.
    pub summary: String,
    /// The summarized calls.
    pub preceding_tool_use_ids: Vec<Str>,
    /// When it was created, ISO 8601.
    pub timestamp: Option<Str>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// A suggestion for the next prompt.
#[wire_type]
pub struct PromptSuggestionMessage {
    /// The suggested prompt.
    pub suggestion: String,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// The progress of a sign-in.
#[wire_type]
pub struct AuthStatusMessage {
    /// Whether a sign-in is in progress.
    #[wire(name = "isAuthenticating")]
    pub is_authenticating: bool,
    /// Its output.
    pub output: Vec<String>,
    /// The error.
    pub error: Option<String>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}
