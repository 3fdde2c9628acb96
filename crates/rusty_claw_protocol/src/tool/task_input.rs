//! Inputs of the todo and task tools.

use rusty_claw_macros::wire_type;

use crate::json::Json;
use crate::open_enum::open_enum;
use crate::text::Str;

/// Writes the todo list.
#[wire_type]
pub struct TodoWriteInput {
    /// The whole list.
    pub todos: Vec<TodoItem>,
}

/// A todo item.
#[wire_type(rename_all = "camelCase")]
pub struct TodoItem {
    /// Its text.
    pub content: String,
    /// Its status.
    pub status: TaskStatus,
    /// Its text while in progress.
    pub active_form: String,
}

open_enum! {
    /// The status of a todo item or a task.
    pub enum TaskStatus {
        /// Not started.
        Pending = "pending",
        /// In progress.
        InProgress = "in_progress",
        /// Completed.
        Completed = "completed",
        /// Deleted.
        Deleted = "deleted",
    }
}

/// Creates a task.
#[wire_type(rename_all = "camelCase")]
pub struct TaskCreateInput {
    /// A one-line summary.
    pub subject: String,
    /// The full description.
    pub description: String,
    /// Its text while in progress.
    pub active_form: Option<String>,
    /// Arbitrary metadata by the model.
    pub metadata: Option<Json>,
}

/// Reads a task.
#[wire_type(rename_all = "camelCase")]
pub struct TaskGetInput {
    /// The task's id.
    pub task_id: Str,
}

/// Updates a task.
#[wire_type(rename_all = "camelCase")]
pub struct TaskUpdateInput {
    /// The task's id.
    pub task_id: Str,
    /// A one-line summary.
    pub subject: Option<String>,
    /// The full description.
    pub description: Option<String>,
    /// Its text while in progress.
    pub active_form: Option<String>,
    /// The new status.
    pub status: Option<TaskStatus>,
    /// Tasks that it blocks.
    pub add_blocks: Option<Vec<Str>>,
    /// Tasks that block it.
    pub add_blocked_by: Option<Vec<Str>>,
    /// Its owner.
    pub owner: Option<Str>,
    /// Arbitrary metadata by the model.
    pub metadata: Option<Json>,
}
