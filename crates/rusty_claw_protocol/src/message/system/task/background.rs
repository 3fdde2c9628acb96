//! Tasks in the background.

use rusty_claw_macros::wire_type;

use super::TaskType;
use crate::text::Str;

/// The background tasks changed; replaces the whole list.
#[wire_type]
pub struct BackgroundTasksChangedMessage {
    /// All background tasks.
    pub tasks: Vec<BackgroundTask>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// A background task.
#[wire_type]
pub struct BackgroundTask {
    /// The task's id.
    pub task_id: Str,
    /// The id of this run.
    pub run_id: Option<Str>,
    /// The kind of task.
    pub task_type: TaskType,
    /// The kind of subagent.
    pub subagent_type: Option<Str>,
    /// Its description.
    pub description: String,
    /// The task that started it.
    pub parent_task_id: Option<Str>,
    /// Whether it is housekeeping that need not be shown.
    pub ambient: Option<bool>,
    /// Whether something waits for its end.
    pub awaited: Option<bool>,
    /// Whether it runs on another machine.
    pub off_host: Option<bool>,
}
