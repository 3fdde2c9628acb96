//! Inputs of the tools that run commands and look after what runs.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::text::Str;

/// Runs a shell command.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct BashInput {
    /// The command.
    pub command: String,
    /// After how many milliseconds it is stopped.
    pub timeout: Option<u64>,
    /// What it does, in a few words.
    pub description: Option<String>,
    /// Whether the model goes on while it runs.
    pub run_in_background: Option<bool>,
    /// Whether it runs outside the sandbox.
    #[wire(name = "dangerouslyDisableSandbox")]
    pub dangerously_disable_sandbox: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// Reads what a background command has printed; a tool of older versions.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct BashOutputInput {
    /// The command.
    pub bash_id: Str,
    /// Which lines, as a regular expression.
    pub filter: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// Stops a background command; a tool of older versions.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct KillShellInput {
    /// The command.
    pub shell_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// Watches something and tells the model when it changes.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct MonitorInput {
    /// What is watched, in a few words.
    pub description: String,
    /// After how many milliseconds watching ends.
    pub timeout_ms: u64,
    /// A command, each line of whose output is an event.
    pub command: Option<String>,
    /// A socket, each message of which is an event.
    pub ws: Option<MonitorSocket>,
    /// What no field holds.
    pub extra: Extra,
}

/// A socket to watch.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct MonitorSocket {
    /// Where.
    pub url: Str,
    /// Protocols to offer.
    pub protocols: Option<Vec<Str>>,
    /// What no field holds.
    pub extra: Extra,
}

/// Stops what runs in the background.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TaskStopInput {
    /// The task.
    pub task_id: Option<Str>,
    /// The same, as older versions call it.
    pub shell_id: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Reads what a background task has to say; a tool of older versions.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TaskOutputInput {
    /// The task.
    pub task_id: Str,
    /// Whether to wait until it is done.
    pub block: Option<bool>,
    /// For how many milliseconds at most.
    pub timeout: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}
