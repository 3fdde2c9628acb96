//! Outputs of the tools that keep a list of things to do.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::text::Str;
use crate::tool::{TaskStatus, TodoItem};

/// The list of things to do was written.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct TodoWriteOutput {
    /// The list before.
    pub old_todos: Vec<TodoItem>,
    /// The list now.
    pub new_todos: Vec<TodoItem>,
    /// What no field holds.
    pub extra: Extra,
}

/// A task was put on the list.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TaskCreateOutput {
    /// The task.
    pub task: TaskReference,
    /// What no field holds.
    pub extra: Extra,
}

/// A task, by what it is called.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TaskReference {
    /// The task.
    pub id: Str,
    /// What, in a line.
    pub subject: String,
    /// What, in full.
    pub description: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// A task.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TaskGetOutput {
    /// The task; absent when there is none.
    pub task: Option<TaskDetails>,
    /// What no field holds.
    pub extra: Extra,
}

/// All about a task.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct TaskDetails {
    /// The task.
    pub id: Str,
    /// What, in a line.
    pub subject: String,
    /// What, in full.
    pub description: String,
    /// How far it is.
    pub status: TaskStatus,
    /// Tasks that wait for it.
    pub blocks: Vec<Str>,
    /// Tasks that it waits for.
    pub blocked_by: Vec<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// The tasks on the list.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TaskListOutput {
    /// The tasks.
    pub tasks: Vec<TaskEntry>,
    /// What no field holds.
    pub extra: Extra,
}

/// A task on the list.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct TaskEntry {
    /// The task.
    pub id: Str,
    /// What, in a line.
    pub subject: String,
    /// How far it is.
    pub status: TaskStatus,
    /// Who does it.
    pub owner: Option<Str>,
    /// Tasks that it waits for.
    pub blocked_by: Vec<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// A task was changed.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct TaskUpdateOutput {
    /// Whether it was.
    pub success: bool,
    /// The task.
    pub task_id: Str,
    /// What was changed.
    pub updated_fields: Vec<Str>,
    /// Why it was not.
    pub error: Option<String>,
    /// How far it was and is.
    pub status_change: Option<TaskStatusChange>,
    /// What no field holds.
    pub extra: Extra,
}

/// A step of a task.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TaskStatusChange {
    /// How far it was.
    pub from: TaskStatus,
    /// How far it is.
    pub to: TaskStatus,
    /// What no field holds.
    pub extra: Extra,
}
