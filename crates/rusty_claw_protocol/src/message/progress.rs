//! What is said beside the conversation while tools run and turns end.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::text::Str;

/// A tool is still running.
///
/// On a heartbeat `tool_use_id` is an id of its own, and `parent_tool_use_id` the call.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ToolProgressMessage {
    /// The call, or the id of the heartbeat.
    pub tool_use_id: Str,
    /// The tool.
    pub tool_name: Str,
    /// The call that this belongs to.
    pub parent_tool_use_id: Option<Str>,
    /// How long it has been running.
    pub elapsed_time_seconds: f64,
    /// The task that runs it.
    pub task_id: Option<Str>,
    /// Whether this only says that the tool is alive.
    pub heartbeat: Option<bool>,
    /// The kind of subagent that runs it.
    pub subagent_type: Option<Str>,
    /// A subagent waits to ask the API again.
    pub subagent_retry: Option<Box<SubagentRetry>>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A subagent waits to ask the API again.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SubagentRetry {
    /// The subagent.
    pub agent_id: Str,
    /// Which attempt failed, from 1.
    pub attempt: u64,
    /// How many more are made at most.
    pub max_retries: u64,
    /// How long it waits.
    pub retry_delay_ms: u64,
    /// The HTTP status; none when the API was not reached.
    pub error_status: Option<u64>,
    /// What kind of failure.
    pub error_category: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A few words about a batch of tool calls.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ToolUseSummaryMessage {
    /// The words.
    pub summary: String,
    /// The calls they are about.
    pub preceding_tool_use_ids: Vec<Str>,
    /// When it was made, ISO 8601.
    pub timestamp: Option<Str>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// What the user might want to say next.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PromptSuggestionMessage {
    /// The prompt.
    pub suggestion: String,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// How a sign-in goes.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct AuthStatusMessage {
    /// Whether one is under way.
    #[wire(name = "isAuthenticating")]
    pub is_authenticating: bool,
    /// What it has printed.
    pub output: Vec<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}
