//! Tasks that run behind the conversation.

use rusty_claw_macros::Wire;

use super::TaskType;
use crate::extra::Extra;
use crate::text::Str;

/// These tasks run behind the conversation now; replaces the whole list.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct BackgroundTasksChangedMessage {
    /// All of them.
    pub tasks: Vec<BackgroundTask>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A task that runs behind the conversation.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct BackgroundTask {
    /// The task.
    pub task_id: Str,
    /// This run of it.
    pub run_id: Option<Str>,
    /// What it is.
    pub task_type: TaskType,
    /// The kind of subagent.
    pub subagent_type: Option<Str>,
    /// What it does.
    pub description: String,
    /// The task that started it.
    pub parent_task_id: Option<Str>,
    /// Whether it is housekeeping that nobody need see.
    pub ambient: Option<bool>,
    /// Whether somebody waits for its end.
    pub awaited: Option<bool>,
    /// Whether it runs on another machine.
    pub off_host: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}
