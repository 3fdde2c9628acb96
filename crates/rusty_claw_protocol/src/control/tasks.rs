//! Background tasks.

use rusty_claw_macros::wire_type;

use crate::text::Str;
use crate::unknown::Unknown;
use crate::wire::Map;

/// Stops a task. Also succeeds for unknown ids.
#[wire_type]
pub struct StopTask {
    /// The task's id.
    pub task_id: Str,
}

/// Moves running tools to the background. Has no effect before a tool's `task_started`.
#[wire_type]
pub struct BackgroundTasks {
    /// The call to move; all if absent.
    pub tool_use_id: Option<Str>,
}

/// Whether anything moved to the background.
#[wire_type]
pub struct BackgroundTasksResponse {
    /// `None` if the CLI does not report it.
    pub backgrounded: Option<bool>,
}

/// Requests the output of a shell task.
#[wire_type]
pub struct GetTaskOutput {
    /// The task's id.
    pub task_id: Str,
}

/// The output of a shell task.
#[wire_type]
pub struct GetTaskOutputResponse {
    /// The text.
    pub output: String,
    /// The total number of bytes.
    pub total_bytes: u64,
    /// Whether the text was truncated.
    pub truncated: bool,
}

/// Starts a shell command as a task. Only cloud sessions serve it.
#[wire_type]
pub struct StartShellTask {
    /// The command.
    pub command: String,
    /// Its arguments.
    pub args: Option<Vec<String>>,
    /// The working directory.
    pub cwd: Option<Str>,
    /// Its environment.
    pub env: Option<Map<String>>,
    /// The timeout.
    pub timeout_ms: Option<u64>,
    /// Its description.
    pub description: Option<String>,
}

/// The outcome of the command. Tagged by `status`.
#[wire_type(tag = "status")]
pub enum StartShellTaskResponse {
    /// It was started.
    Started {
        /// The task's id.
        task_id: Str,
    },
    /// It was denied.
    Denied {
        /// The reason.
        message: String,
    },
    /// An unrecognized outcome.
    Unknown(Unknown),
}
