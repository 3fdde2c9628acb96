//! Tasks: subagents, shells, monitors and workflows, in the foreground and behind it.

mod background;
mod workflow;

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::wire::Map;

pub use background::*;
pub use workflow::*;

/// A task has begun.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TaskStartedMessage {
    /// The task.
    pub task_id: Str,
    /// This run of it.
    pub run_id: Option<Str>,
    /// The tool call that started it.
    pub tool_use_id: Option<Str>,
    /// What it does.
    pub description: String,
    /// The kind of subagent.
    pub subagent_type: Option<Str>,
    /// Whether the turn goes on without waiting for it.
    pub is_backgrounded: Option<bool>,
    /// Whether somebody waits for its end.
    pub awaited: Option<bool>,
    /// How many subagents stand above it.
    pub spawn_depth: Option<u64>,
    /// The task that started it.
    pub parent_task_id: Option<Str>,
    /// What it is.
    pub task_type: Option<TaskType>,
    /// The workflow's name.
    pub workflow_name: Option<Str>,
    /// What the subagent was told, or the workflow's program.
    pub prompt: Option<String>,
    /// Whether it leaves nothing in the session file.
    pub skip_transcript: Option<bool>,
    /// Whether it is housekeeping that nobody need see.
    pub ambient: Option<bool>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What a task is.
    pub enum TaskType {
        /// A subagent.
        LocalAgent = "local_agent",
        /// A shell command, or a monitor.
        LocalBash = "local_bash",
        /// A workflow.
        LocalWorkflow = "local_workflow",
    }
}

/// Something about a task has changed.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TaskUpdatedMessage {
    /// The task.
    pub task_id: Str,
    /// This run of it.
    pub run_id: Option<Str>,
    /// What has changed.
    pub patch: TaskPatch,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// What has changed about a task; the rest is as it was.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TaskPatch {
    /// Its state.
    pub status: Option<TaskState>,
    /// What it does.
    pub description: Option<String>,
    /// When it ended, milliseconds since 1970.
    pub end_time: Option<u64>,
    /// How long it stood still.
    pub total_paused_ms: Option<u64>,
    /// What went wrong.
    pub error: Option<String>,
    /// Whether the turn goes on without waiting for it.
    pub is_backgrounded: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// The state of a task.
    pub enum TaskState {
        /// It has not begun.
        Pending = "pending",
        /// It runs.
        Running = "running",
        /// It is done.
        Completed = "completed",
        /// It went wrong.
        Failed = "failed",
        /// It was stopped.
        Killed = "killed",
        /// It stands still.
        Paused = "paused",
    }
}

/// How far a task is.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TaskProgressMessage {
    /// The task.
    pub task_id: Str,
    /// This run of it.
    pub run_id: Option<Str>,
    /// The tool call that started it.
    pub tool_use_id: Option<Str>,
    /// What it does now.
    pub description: String,
    /// The kind of subagent.
    pub subagent_type: Option<Str>,
    /// What it has used so far.
    pub usage: TaskUsage,
    /// The tool it called last.
    pub last_tool_name: Option<Str>,
    /// What it has done so far.
    pub summary: Option<String>,
    /// What changed inside a workflow.
    pub workflow_progress: Option<Vec<WorkflowProgress>>,
    /// It waits because a limit of the plan is reached.
    pub usage_limit_wait: Option<UsageLimitWait>,
    /// Whether this was said before.
    pub resent: Option<bool>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// What a task has used.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TaskUsage {
    /// Tokens.
    pub total_tokens: u64,
    /// Tool calls.
    pub tool_uses: u64,
    /// Time.
    pub duration_ms: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// A task waits for a limit of the plan.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct UsageLimitWait {
    /// When the limit is lifted.
    pub resets_at: Option<f64>,
    /// What no field holds.
    pub extra: Extra,
}

/// A task has ended.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TaskNotificationMessage {
    /// The task.
    pub task_id: Str,
    /// This run of it.
    pub run_id: Option<Str>,
    /// The tool call that started it.
    pub tool_use_id: Option<Str>,
    /// How it ended.
    pub status: TaskOutcome,
    /// Why, when it was not its own doing.
    pub reason: Option<TaskEndReason>,
    /// Where its output is; empty when there is none.
    pub output_file: String,
    /// What came of it, in a few words.
    pub summary: String,
    /// What it used.
    pub usage: Option<TaskUsage>,
    /// Resources it points to.
    pub resource_links: Option<Vec<McpResourceLink>>,
    /// What became of a subagent's report on its way to the caller: `send`, `flagged`, `withheld`.
    pub handback: Option<Str>,
    /// The report.
    pub handback_report: Option<HandbackReport>,
    /// Whether it leaves nothing in the session file.
    pub skip_transcript: Option<bool>,
    /// Whether it was housekeeping that nobody need see.
    pub ambient: Option<bool>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// How a task ended.
    pub enum TaskOutcome {
        /// It is done.
        Completed = "completed",
        /// It went wrong.
        Failed = "failed",
        /// It was stopped.
        Stopped = "stopped",
    }
}

open_enum! {
    /// Why a task ended when it was not its own doing.
    pub enum TaskEndReason {
        /// The process that ran it was started anew.
        WorkerRestart = "worker_restart",
    }
}

/// A subagent's report.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct HandbackReport {
    /// The whole report.
    pub text: String,
    /// What to show above it.
    pub warning: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// A resource of an MCP server.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct McpResourceLink {
    /// Its address.
    pub uri: String,
    /// Its name.
    pub name: Str,
    /// Its name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Its media type.
    pub mime_type: Option<Str>,
    /// Its size in bytes.
    pub size: Option<u64>,
    /// What the server says about it, in its own words.
    pub annotations: Option<Map<Json>>,
    /// What no field holds.
    pub extra: Extra,
}
