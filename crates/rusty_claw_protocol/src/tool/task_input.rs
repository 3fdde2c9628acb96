//! Inputs of the tools that keep a list of things to do.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::text::Str;

/// Writes the list of things to do.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TodoWriteInput {
    /// The whole list.
    pub todos: Vec<TodoItem>,
    /// What no field holds.
    pub extra: Extra,
}

/// One thing to do.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct TodoItem {
    /// What.
    pub content: String,
    /// How far it is.
    pub status: TaskStatus,
    /// What to call it while it is being done.
    pub active_form: String,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// How far a thing to do is.
    pub enum TaskStatus {
        /// Not begun.
        Pending = "pending",
        /// Being done.
        InProgress = "in_progress",
        /// Done.
        Completed = "completed",
        /// Taken off the list.
        Deleted = "deleted",
    }
}

/// Puts a task on the list.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct TaskCreateInput {
    /// What, in a line.
    pub subject: String,
    /// What, in full.
    pub description: String,
    /// What to call it while it is being done.
    pub active_form: Option<String>,
    /// Whatever the model wants to keep with it.
    pub metadata: Option<Json>,
    /// What no field holds.
    pub extra: Extra,
}

/// Reads a task.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct TaskGetInput {
    /// The task.
    pub task_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// Changes a task.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct TaskUpdateInput {
    /// The task.
    pub task_id: Str,
    /// What, in a line.
    pub subject: Option<String>,
    /// What, in full.
    pub description: Option<String>,
    /// What to call it while it is being done.
    pub active_form: Option<String>,
    /// How far it is.
    pub status: Option<TaskStatus>,
    /// Tasks that must wait for it.
    pub add_blocks: Option<Vec<Str>>,
    /// Tasks that it must wait for.
    pub add_blocked_by: Option<Vec<Str>>,
    /// Who does it.
    pub owner: Option<Str>,
    /// Whatever the model wants to keep with it.
    pub metadata: Option<Json>,
    /// What no field holds.
    pub extra: Extra,
}
