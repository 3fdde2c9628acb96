//! Inputs of the shell and background tools.

use rusty_claw_macros::wire_type;

use crate::text::Str;

/// Runs a shell command.
#[wire_type]
pub struct BashInput {
    /// The command.
    pub command: String,
    /// The timeout in milliseconds.
    pub timeout: Option<u64>,
    /// A short description.
    pub description: Option<String>,
    /// Whether it runs in the background.
    pub run_in_background: Option<bool>,
    /// Whether it runs outside the sandbox.
    #[wire(name = "dangerouslyDisableSandbox")]
    pub dangerously_disable_sandbox: Option<bool>,
}

/// Reads the output of a background command; a tool of older versions.
#[wire_type]
pub struct BashOutputInput {
    /// The command's id.
    pub bash_id: Str,
    /// A regular expression that filters the lines.
    pub filter: Option<String>,
}

/// Stops a background command; a tool of older versions.
#[wire_type]
pub struct KillShellInput {
    /// The command's id.
    pub shell_id: Str,
}

/// Monitors something and notifies the model of events.
#[wire_type]
pub struct MonitorInput {
    /// A short description.
    pub description: String,
    /// The timeout in milliseconds.
    pub timeout_ms: u64,
    /// A command; every line of its output is an event.
    pub command: Option<String>,
    /// A WebSocket; every message is an event.
    pub ws: Option<MonitorSocket>,
}

/// A WebSocket to monitor.
#[wire_type]
pub struct MonitorSocket {
    /// Its URL.
    pub url: Str,
    /// The protocols to offer.
    pub protocols: Option<Vec<Str>>,
}

/// Stops a background task.
#[wire_type]
pub struct TaskStopInput {
    /// The task's id.
    pub task_id: Option<Str>,
    /// As above; the name in older versions.
    pub shell_id: Option<Str>,
}

/// Reads the output of a background task; a tool of older versions.
#[wire_type]
pub struct TaskOutputInput {
    /// The task's id.
    pub task_id: Str,
    /// Whether to wait until it ends.
    pub block: Option<bool>,
    /// The maximum wait in milliseconds.
    pub timeout: Option<u64>,
}
