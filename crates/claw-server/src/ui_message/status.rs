//! Small types of the events that the document does not have.

use rusty_claw_protocol::messages::TaskState;
use serde::{Deserialize, Serialize};

use crate::event::AskedPrompt;
use crate::open_names::open_names;

open_names! {
    /// Where a task or a subagent is.
    pub enum TaskStatus {
        /// It works.
        Running,
        /// It waits for something.
        Paused,
        /// It is done.
        Completed,
        /// It is done, and not well.
        Failed,
        /// Somebody stopped it.
        Stopped,
        /// It may run on, and nobody here follows it: too many others run.
        Unfollowed,
    }
}

impl TaskStatus {
    /// Where it is when the CLI says so.
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

open_names! {
    /// Where a point of the agent's list is.
    pub enum TodoStatus {
        /// Not begun.
        Pending,
        /// The agent is at it.
        InProgress,
        /// Done.
        Completed,
    }
}

/// A point of the list that an agent keeps for itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TodoItem {
    /// What is to be done.
    pub text: String,
    /// Where it is.
    pub status: TodoStatus,
}

open_names! {
    /// What a session is doing, in [`UiMessage::SessionState`](crate::UiMessage::SessionState).
    pub enum SessionPhase {
        /// A process is being started for it.
        Starting,
        /// It takes inputs.
        Ready,
        /// It works on a turn.
        Running,
        /// It waits for a person.
        WaitingForUser,
        /// It has nothing to do.
        Idle,
        /// It has no process; the next input starts one.
        Asleep,
        /// Its process ended without being asked to.
        Lost,
        /// It takes no more inputs.
        Closed,
    }
}

open_names! {
    /// What became of an input, as far as is known now.
    pub enum InputState {
        /// It is stored, and will be delivered once.
        Accepted,
        /// The agent has it.
        Delivered,
        /// Its turn came to its end.
        Processed,
        /// It will not be processed.
        Failed,
        /// The process was lost in between: nobody can say whether it was processed.
        Indeterminate,
    }
}

open_names! {
    /// Why a prompt waits no more.
    pub enum Resolution {
        /// Somebody, or a rule, answered it.
        Answered,
        /// Nobody answered in time, which is a no.
        Expired,
        /// The agent does not wait any more.
        Withdrawn,
    }
}

open_names! {
    /// What came of a prompt that waits no more.
    pub enum PromptOutcome {
        /// Yes: the tool may run, the plan is good.
        Allowed,
        /// No, by a person or a rule; also when somebody declined to answer, or when the answer
        /// cannot be read, which the CLI takes as a no.
        Denied,
        /// Questions, a form or a dialog were answered.
        Answered,
        /// Nobody answered in time, which is a no.
        Expired,
        /// The agent does not wait any more, so there is neither a yes nor a no.
        Withdrawn,
    }
}

open_names! {
    /// How a tool failed.
    pub enum ToolFailure {
        /// It says so itself, or it was not allowed to run.
        Error,
        /// It never answered: its turn was stopped, or its process was lost.
        NoResult,
    }
}

/// Which request of a
/// [`UiMessage::BatchPermissionRequired`](crate::UiMessage::BatchPermissionRequired) is meant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BatchPlace {
    /// The batch.
    pub batch_id: String,
    /// Which of its requests, from 0 on.
    pub index: u32,
}

impl BatchPlace {
    /// Where a prompt stands, when it was asked with others.
    pub(crate) fn of(prompt: &AskedPrompt) -> Option<Self> {
        Some(Self {
            batch_id: prompt.group.clone()?,
            index: prompt.group_index?,
        })
    }
}
