//! What happens inside a workflow.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::unknown::Unknown;

/// What happened inside a workflow. Told apart by `type`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum WorkflowProgress {
    /// One of its subagents moved on.
    WorkflowAgent(Box<WorkflowAgent>),
    /// A phase of it began.
    WorkflowPhase(Box<WorkflowPhase>),
    /// A kind that is new to this library.
    Unknown(Unknown),
}

/// A subagent of a workflow.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct WorkflowAgent {
    /// Its number within the workflow.
    pub index: u64,
    /// What it is called there.
    pub label: String,
    /// How far it is.
    pub state: WorkflowAgentState,
    /// The phase it belongs to.
    pub phase_index: Option<u64>,
    /// That phase's title.
    pub phase_title: Option<String>,
    /// The subagent.
    pub agent_id: Option<Str>,
    /// The kind of subagent.
    pub agent_type: Option<Str>,
    /// Where it works, when not in the session's directory: `worktree`, `remote`.
    pub isolation: Option<Str>,
    /// Its model.
    pub model: Option<Str>,
    /// Which attempt this is, from 1.
    pub attempt: Option<u64>,
    /// When it was asked for, milliseconds since 1970.
    pub queued_at: Option<u64>,
    /// When it began, milliseconds since 1970.
    pub started_at: Option<u64>,
    /// When it last did something, milliseconds since 1970.
    pub last_progress_at: Option<u64>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// Tokens it used.
    pub tokens: Option<u64>,
    /// Tools it called.
    pub tool_calls: Option<u64>,
    /// The beginning of what it was told.
    pub prompt_preview: Option<String>,
    /// Whether the CLI put words of its own around the prompt.
    pub prompt_framed: Option<bool>,
    /// The beginning of what it answered.
    pub result_preview: Option<String>,
    /// Whether the answer is from an earlier run.
    pub cached: Option<bool>,
    /// Whether it was not allowed to run.
    pub blocked: Option<bool>,
    /// What went wrong.
    pub error: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// How far a subagent of a workflow is.
    pub enum WorkflowAgentState {
        /// It has begun.
        Start = "start",
        /// It works.
        Progress = "progress",
        /// It has answered.
        Done = "done",
        /// It went wrong.
        Error = "error",
    }
}

/// A phase of a workflow.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct WorkflowPhase {
    /// Its number.
    pub index: u64,
    /// Its title.
    pub title: String,
    /// What kind of phase.
    pub kind: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}
