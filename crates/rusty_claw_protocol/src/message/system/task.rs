//! Tasks: subagents, shells, monitors and workflows, in the foreground and in the background.

mod background;
mod workflow;

use rusty_claw_macros::wire_type;

use crate::json::Json;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::wire::Map;

pub use background::*;
pub use workflow::*;

/// A task started.
#[wire_type]
pub struct TaskStartedMessage {
    /// The task's id.
    pub task_id: Str,
    /// The id of this run.
    pub run_id: Option<Str>,
    /// The tool call that started it.
    pub tool_use_id: Option<Str>,
    /// Its description.
    pub description: String,
    /// The kind of subagent.
    pub subagent_type: Option<Str>,
    /// Whether it runs in the background.
    pub is_backgrounded: Option<bool>,
    /// Whether something waits for its end.
    pub awaited: Option<bool>,
    /// Its nesting depth below subagents.
    pub spawn_depth: Option<u64>,
    /// The task that started it.
    pub parent_task_id: Option<Str>,
    /// The kind of task.
    pub task_type: Option<TaskType>,
    /// The workflow's name.
    pub workflow_name: Option<Str>,
    /// The subagent's prompt, or the workflow's program.
    pub prompt: Option<String>,
    /// Whether it is omitted from the session file.
    pub skip_transcript: Option<bool>,
    /// Whether it is housekeeping that need not be shown.
    pub ambient: Option<bool>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

open_enum! {
    /// The kind of a task.
    pub enum TaskType {
        /// A subagent.
        LocalAgent = "local_agent",
        /// A shell command, or a monitor.
        LocalBash = "local_bash",
        /// A workflow.
        LocalWorkflow = "local_workflow",
    }
}

/// A task changed.
#[wire_type]
pub struct TaskUpdatedMessage {
    /// The task's id.
    pub task_id: Str,
    /// The id of this run.
    pub run_id: Option<Str>,
    /// The changes.
    pub patch: TaskPatch,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// The changes of a task; absent members are unchanged.
#[wire_type]
pub struct TaskPatch {
    /// Its state.
    pub status: Option<TaskState>,
    /// Its description.
    pub description: Option<String>,
    /// When it ended, milliseconds since 1970.
    pub end_time: Option<u64>,
    /// How long it was paused in total.
    pub total_paused_ms: Option<u64>,
    /// The error.
    pub error: Option<String>,
    /// Whether it runs in the background.
    pub is_backgrounded: Option<bool>,
}

open_enum! {
    /// The state of a task.
    pub enum TaskState {
        /// It has not started.
        Pending = "pending",
        /// It is running.
        Running = "running",
        /// It completed.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// It was killed.
        Killed = "killed",
        /// It is paused.
        Paused = "paused",
    }
}

/// The progress of a task.
#[wire_type]
pub struct TaskProgressMessage {
    /// The task's id.
    pub task_id: Str,
    /// The id of this run.
    pub run_id: Option<Str>,
    /// The tool call that started it.
    pub tool_use_id: Option<Str>,
    /// A description of its current activity.
    pub description: String,
    /// The kind of subagent.
    pub subagent_type: Option<Str>,
    /// Its usage so far.
    pub usage: TaskUsage,
    /// The tool it called last.
    pub last_tool_name: Option<Str>,
    /// A summary of its work so far.
    pub summary: Option<String>,
    /// Changes within a workflow.
    pub workflow_progress: Option<Vec<WorkflowProgress>>,
    /// Set if it waits for a limit of the plan to reset.
    pub usage_limit_wait: Option<UsageLimitWait>,
    /// Whether this was sent before.
    pub resent: Option<bool>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// The usage of a task.
#[wire_type]
pub struct TaskUsage {
    /// Number of tokens.
    pub total_tokens: u64,
    /// Number of tool calls.
    pub tool_uses: u64,
    /// The duration.
    pub duration_ms: u64,
}

/// A task waits for a limit of the plan to reset.
#[wire_type]
pub struct UsageLimitWait {
    /// When the limit resets.
    pub resets_at: Option<f64>,
}

/// A task ended.
#[wire_type]
pub struct TaskNotificationMessage {
    /// The task's id.
    pub task_id: Str,
    /// The id of this run.
    pub run_id: Option<Str>,
    /// The tool call that started it.
    pub tool_use_id: Option<Str>,
    /// The outcome.
    pub status: TaskOutcome,
    /// The external reason for its end, if any.
    pub reason: Option<TaskEndReason>,
    /// The file with its output; empty if there is none.
    pub output_file: String,
    /// A short summary.
    pub summary: String,
    /// Its usage.
    pub usage: Option<TaskUsage>,
    /// Resources it refers to.
    pub resource_links: Option<Vec<McpResourceLink>>,
    /// How a subagent's report was passed to the caller: `send`, `flagged`, `withheld`.
    pub handback: Option<Str>,
    /// The report.
    pub handback_report: Option<HandbackReport>,
    /// Whether it is omitted from the session file.
    pub skip_transcript: Option<bool>,
    /// Whether it is housekeeping that need not be shown.
    pub ambient: Option<bool>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

open_enum! {
    /// The outcome of a task.
    pub enum TaskOutcome {
        /// It completed.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// It was stopped.
        Stopped = "stopped",
    }
}

open_enum! {
    /// The external reason for a task's end.
    pub enum TaskEndReason {
        /// The worker process was restarted.
        WorkerRestart = "worker_restart",
    }
}

/// A subagent's report.
#[wire_type]
pub struct HandbackReport {
    /// The whole report.
    pub text: String,
    /// The warning to show above it.
    pub warning: Option<String>,
}

/// A resource of an MCP server.
#[wire_type(rename_all = "camelCase")]
pub struct McpResourceLink {
    /// Its URI.
    pub uri: String,
    /// Its name.
    pub name: Str,
    /// The display name.
    pub title: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// Its media type.
    pub mime_type: Option<Str>,
    /// Its size in bytes.
    pub size: Option<u64>,
    /// Annotations by the server.
    pub annotations: Option<Map<Json>>,
}
