//! Hooks that the CLI runs itself.

use rusty_claw_macros::wire_type;

use crate::hook::HookEvent;
use crate::open_enum::open_enum;
use crate::text::Str;

/// A hook started. Callbacks of the host are not reported this way.
#[wire_type]
pub struct HookStartedMessage {
    /// The id of the run, repeated on other lines about it.
    pub hook_id: Str,
    /// The event and its matcher, such as `PreToolUse:Bash`.
    pub hook_name: Str,
    /// The event.
    pub hook_event: HookEvent,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// A hook is still running; its output so far.
#[wire_type]
pub struct HookProgressMessage {
    /// The id of the run.
    pub hook_id: Str,
    /// The event and its matcher.
    pub hook_name: Str,
    /// The event.
    pub hook_event: HookEvent,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Both, interleaved.
    pub output: String,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// A hook ended.
#[wire_type]
pub struct HookResponseMessage {
    /// The id of the run.
    pub hook_id: Str,
    /// The event and its matcher.
    pub hook_name: Str,
    /// The event.
    pub hook_event: HookEvent,
    /// Both streams, interleaved.
    pub output: String,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Its exit code; `None` if it did not exit by itself.
    pub exit_code: Option<i64>,
    /// The outcome.
    pub outcome: HookOutcome,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

open_enum! {
    /// The outcome of a hook.
    pub enum HookOutcome {
        /// It succeeded.
        Success = "success",
        /// It failed; the meaning depends on the exit code.
        Error = "error",
        /// It was cancelled.
        Cancelled = "cancelled",
    }
}
