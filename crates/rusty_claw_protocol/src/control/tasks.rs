//! Background tasks.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::text::Str;
use crate::unknown::Unknown;
use crate::wire::Map;

/// Stops a task. Succeeds for unknown ids too.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct StopTask {
    /// The task.
    pub task_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// Moves running tools to the background. Before a tool's `task_started` it does nothing.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct BackgroundTasks {
    /// Only this call; all when absent.
    pub tool_use_id: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Whether something moved to the background.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct BackgroundTasksResponse {
    /// Absent when the CLI does not say.
    pub backgrounded: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// Asks for what a shell task has printed.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GetTaskOutput {
    /// The task.
    pub task_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// What a shell task has printed.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GetTaskOutputResponse {
    /// The text.
    pub output: String,
    /// How many bytes there are in all.
    pub total_bytes: u64,
    /// Whether some are not in the text.
    pub truncated: bool,
    /// What no field holds.
    pub extra: Extra,
}

/// Starts a shell command as a task. Only cloud sessions serve it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct StartShellTask {
    /// The command.
    pub command: String,
    /// Its arguments.
    pub args: Option<Vec<String>>,
    /// Where it runs.
    pub cwd: Option<Str>,
    /// Its environment.
    pub env: Option<Map<String>>,
    /// How long it may run.
    pub timeout_ms: Option<u64>,
    /// What it is for.
    pub description: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// What became of the command. Told apart by `status`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "status")]
#[non_exhaustive]
pub enum StartShellTaskResponse {
    /// It runs.
    Started {
        /// The task.
        task_id: Str,
        /// What no field holds.
        extra: Extra,
    },
    /// It may not run.
    Denied {
        /// Why not.
        message: String,
        /// What no field holds.
        extra: Extra,
    },
    /// An outcome that is new to this library.
    Unknown(Unknown),
}
