//! Small types of messages that are not in the specification.

use rusty_claw_protocol::messages::TaskState;
use serde::{Deserialize, Serialize};

use crate::event::Interaction;
use crate::open_enum::open_enum;

open_enum! {
    /// The state of a task or a subagent.
    pub enum TaskStatus {
        /// It is running.
        Running,
        /// It is waiting.
        Paused,
        /// It ended successfully.
        Completed,
        /// It ended with a failure.
        Failed,
        /// It was stopped.
        Stopped,
        /// It may still run, but is no longer tracked: too many others run.
        Unfollowed,
    }
}

impl TaskStatus {
    /// Converts the CLI's state of a task.
    pub(crate) fn of(state: &TaskState) -> Self {
        match state {
            TaskState::Pending | TaskState::Running => Self::Running,
            TaskState::Paused => Self::Paused,
            TaskState::Completed => Self::Completed,
            TaskState::Failed => Self::Failed,
            TaskState::Killed => Self::Stopped,
            other => Self::from(other.as_str()),
        }
    }
}

open_enum! {
    /// The state of a to-do item.
    pub enum TodoStatus {
        /// Not started.
        Pending,
        /// In progress.
        InProgress,
        /// Done.
        Completed,
    }
}

/// An item of the agent's to-do list.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TodoItem {
    /// What is to be done.
    pub text: String,
    /// The state of the item.
    pub status: TodoStatus,
}

open_enum! {
    /// The state of a session, in [`UiMessage::SessionState`](crate::UiMessage::SessionState).
    pub enum SessionPhase {
        /// Its process is starting.
        Starting,
        /// It accepts inputs.
        Ready,
        /// A turn is running.
        Running,
        /// It waits for an answer.
        WaitingForUser,
        /// It is idle.
        Idle,
        /// It has no process; the next input starts one.
        Asleep,
        /// It has no process, and waits for an answer.
        Parked,
        /// Its process ended unexpectedly.
        Lost,
        /// It accepts no more inputs.
        Closed,
    }
}

open_enum! {
    /// The state of an input.
    pub enum InputState {
        /// It is stored, and is delivered at most once.
        Accepted,
        /// The agent received it.
        Delivered,
        /// Its turn ended.
        Processed,
        /// It will not be processed.
        Failed,
        /// The process was lost: it is unknown whether it was processed.
        Indeterminate,
    }
}

open_enum! {
    /// How an interaction was resolved.
    pub enum Resolution {
        /// A person or a rule answered it.
        Answered,
        /// It was not answered in time and was denied.
        Expired,
        /// The agent no longer waits.
        Withdrawn,
    }
}

open_enum! {
    /// The outcome of a resolved interaction.
    pub enum InteractionOutcome {
        /// The tool may run, or the plan was approved.
        Allowed,
        /// Denied by a person or a rule, declined, or answered in a way that cannot be read, which
        /// the CLI treats as a denial.
        Denied,
        /// Questions, a form or a dialog were answered.
        Answered,
        /// It was not answered in time and was denied.
        Expired,
        /// The agent no longer waits, so it was neither allowed nor denied.
        Withdrawn,
    }
}

open_enum! {
    /// How a tool failed.
    pub enum ToolFailure {
        /// It reported an error, or was not allowed to run.
        Error,
        /// It has no result: its turn was stopped, or its process was lost.
        NoResult,
    }
}

/// The index of a request in a
/// [`UiMessage::BatchPermissionRequired`](crate::UiMessage::BatchPermissionRequired).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BatchPlace {
    /// The id of the batch.
    pub batch_id: String,
    /// The index of the request, starting at 0.
    pub index: u32,
}

impl BatchPlace {
    /// The index of an interaction in its group, if it has one.
    pub(crate) fn of(interaction: &Interaction) -> Option<Self> {
        Some(Self {
            batch_id: interaction.group.clone()?,
            index: interaction.group_index?,
        })
    }
}
