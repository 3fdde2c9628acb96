//! Outputs of the todo and task tools.

use rusty_claw_macros::wire_type;

use crate::text::Str;
use crate::tool::{TaskStatus, TodoItem};

/// The todo list was written.
#[wire_type(rename_all = "camelCase")]
pub struct TodoWriteOutput {
    /// The old list.
    pub old_todos: Vec<TodoItem>,
    /// The new list.
    pub new_todos: Vec<TodoItem>,
}

/// A task was created.
#[wire_type]
pub struct TaskCreateOutput {
    /// The task.
    pub task: TaskReference,
}

/// A reference to a task.
#[wire_type]
pub struct TaskReference {
    /// The task's id.
    pub id: Str,
    /// A one-line summary.
    pub subject: String,
    /// The full description.
    pub description: Option<String>,
}

/// A task.
#[wire_type]
pub struct TaskGetOutput {
    /// The task, if it exists.
    pub task: Option<TaskDetails>,
}

/// The details of a task.
#[wire_type(rename_all = "camelCase")]
pub struct TaskDetails {
    /// The task's id.
    pub id: Str,
    /// A one-line summary.
    pub subject: String,
    /// The full description.
    pub description: String,
    /// Its status.
    pub status: TaskStatus,
    /// Tasks that it blocks.
    pub blocks: Vec<Str>,
    /// Tasks that block it.
    pub blocked_by: Vec<Str>,
}

/// All tasks.
#[wire_type]
pub struct TaskListOutput {
    /// The tasks.
    pub tasks: Vec<TaskEntry>,
}

/// A task in the list.
#[wire_type(rename_all = "camelCase")]
pub struct TaskEntry {
    /// The task's id.
    pub id: Str,
    /// A one-line summary.
    pub subject: String,
    /// Its status.
    pub status: TaskStatus,
    /// Its owner.
    pub owner: Option<Str>,
    /// Tasks that block it.
    pub blocked_by: Vec<Str>,
}

/// A task was updated.
#[wire_type(rename_all = "camelCase")]
pub struct TaskUpdateOutput {
    /// Whether it succeeded.
    pub success: bool,
    /// The task's id.
    pub task_id: Str,
    /// The names of the updated fields.
    pub updated_fields: Vec<Str>,
    /// The error.
    pub error: Option<String>,
    /// The change of its status.
    pub status_change: Option<TaskStatusChange>,
}

/// A change of a task's status.
#[wire_type]
pub struct TaskStatusChange {
    /// The old status.
    pub from: TaskStatus,
    /// The new status.
    pub to: TaskStatus,
}
