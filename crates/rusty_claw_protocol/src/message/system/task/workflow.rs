//! Progress of workflows.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;
use crate::unknown::Unknown;

/// Progress within a workflow. Tagged by `type`.
#[wire_type(tag = "type")]
pub enum WorkflowProgress {
    /// Progress of a subagent.
    WorkflowAgent(Box<WorkflowAgent>),
    /// A phase started.
    WorkflowPhase(Box<WorkflowPhase>),
    /// An unrecognized kind.
    Unknown(Unknown),
}

/// A subagent of a workflow.
#[wire_type(rename_all = "camelCase")]
pub struct WorkflowAgent {
    /// Its index in the workflow.
    pub index: u64,
    /// Its label.
    pub label: String,
    /// Its state.
    pub state: WorkflowAgentState,
    /// The index of its phase.
    pub phase_index: Option<u64>,
    /// The title of its phase.
    pub phase_title: Option<String>,
    /// The subagent's id.
    pub agent_id: Option<Str>,
    /// The kind of subagent.
    pub agent_type: Option<Str>,
    /// Where it works, if not in the session's directory: `worktree`, `remote`.
    pub isolation: Option<Str>,
    /// Its model.
    pub model: Option<Str>,
    /// The attempt, from 1.
    pub attempt: Option<u64>,
    /// When it was queued, milliseconds since 1970.
    pub queued_at: Option<u64>,
    /// When it started, milliseconds since 1970.
    pub started_at: Option<u64>,
    /// When it last made progress, milliseconds since 1970.
    pub last_progress_at: Option<u64>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// Number of tokens used.
    pub tokens: Option<u64>,
    /// Number of tool calls.
    pub tool_calls: Option<u64>,
    /// The beginning of its prompt.
    pub prompt_preview: Option<String>,
    /// Whether the CLI added text around the prompt.
    pub prompt_framed: Option<bool>,
    /// The beginning of its result.
    pub result_preview: Option<String>,
    /// Whether the result is from an earlier run.
    pub cached: Option<bool>,
    /// Whether it was blocked.
    pub blocked: Option<bool>,
    /// The error.
    pub error: Option<String>,
}

open_enum! {
    /// The state of a subagent in a workflow.
    pub enum WorkflowAgentState {
        /// It started.
        Start = "start",
        /// It is running.
        Progress = "progress",
        /// It is done.
        Done = "done",
        /// It failed.
        Error = "error",
    }
}

/// A phase of a workflow.
#[wire_type]
pub struct WorkflowPhase {
    /// Its index.
    pub index: u64,
    /// Its title.
    pub title: String,
    /// The kind of phase.
    pub kind: Option<Str>,
}
