//! What the CLI says about hooks that it runs itself.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::hook::HookEvent;
use crate::open_enum::open_enum;
use crate::text::Str;

/// A hook has begun. Host callbacks are not reported this way.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct HookStartedMessage {
    /// By which the other lines about this run find it.
    pub hook_id: Str,
    /// The event and what it is about, such as `PreToolUse:Bash`.
    pub hook_name: Str,
    /// The event.
    pub hook_event: HookEvent,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A hook is still running; what it has written so far.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct HookProgressMessage {
    /// The run.
    pub hook_id: Str,
    /// The event and what it is about.
    pub hook_name: Str,
    /// The event.
    pub hook_event: HookEvent,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Both, in the order they came.
    pub output: String,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A hook has ended.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct HookResponseMessage {
    /// The run.
    pub hook_id: Str,
    /// The event and what it is about.
    pub hook_name: Str,
    /// The event.
    pub hook_event: HookEvent,
    /// Both streams, in the order they came.
    pub output: String,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Its exit code; none when it did not exit by itself.
    pub exit_code: Option<i64>,
    /// How it ended.
    pub outcome: HookOutcome,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// How a hook ended.
    pub enum HookOutcome {
        /// Well.
        Success = "success",
        /// With a failure; what that means depends on the exit code.
        Error = "error",
        /// It was stopped.
        Cancelled = "cancelled",
    }
}
