//! How far something is.

use serde::{Deserialize, Serialize};

use super::amount::Amount;
use crate::open_names::open_names;
use crate::ui_message::{TaskStatus, TodoItem};

open_names! {
    /// Who says how far something is. The structured sources come first; the last two read texts
    /// that were written for people, and are asked only where none of the others counts.
    pub enum ProgressSource {
        /// The CLI's `task_*` messages: subagents, shells, workflows.
        TaskEvent,
        /// The CLI's `tool_progress`: a tool still runs.
        ToolProgress,
        /// The CLI's list of what runs behind the conversation.
        BackgroundTask,
        /// The list that the agent keeps for itself.
        Todo,
        /// The tools that begin and end planning.
        Plan,
        /// A hook that the CLI runs.
        Hook,
        /// The history is being summarised.
        Compaction,
        /// How much of the account's limit is used.
        RateLimit,
        /// The API failed, and is asked again.
        Retry,
        /// What the agent says.
        Prose,
        /// What a command printed.
        ToolOutput,
    }
}

open_names! {
    /// What is worked on.
    pub enum WorkKind {
        /// A run of tests.
        TestRun,
        /// A list of things to do.
        Checklist,
        /// Steps that differ from each other.
        Step,
        /// A subagent.
        Subagent,
        /// A number of like things.
        Count,
        /// A share of something.
        Percent,
        /// A command.
        Shell,
        /// A workflow of several subagents.
        Workflow,
        /// A task of another kind, or several.
        Task,
        /// A call of a tool.
        Tool,
        /// A plan that is made or waits to be agreed to.
        Plan,
        /// A hook.
        Hook,
        /// The summary of the history.
        Compaction,
        /// A limit of the account: here a share is what is used up.
        Limit,
        /// Another attempt to reach the API.
        Retry,
    }
}

open_names! {
    /// Why something is less far than it was.
    pub enum Regression {
        /// There is more to do than was known.
        ListGrew,
        /// What is done was taken from the list.
        ListShrank,
        /// Another list took its place.
        ListReplaced,
        /// Something that was done is to be done again.
        Reopened,
        /// It began again, with as much to do as before.
        Restarted,
        /// It was over, and another run of it began.
        NewRun,
        /// It failed and is tried again.
        Retried,
        /// Another source says it now.
        SourceChanged,
        /// The turn in which it was so far is over.
        TurnEnded,
        /// A limit has room again.
        Renewed,
        /// The source itself says less than before.
        Corrected,
    }
}

/// Whose work it is: the agent's own, or that of a subagent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Lane {
    /// The call that started the subagent, by which its messages name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// Its task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// What kind of subagent it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Lane {
    /// The agent's own lane.
    pub fn main() -> Self {
        Self::default()
    }

    /// The lane of a subagent, by the call that started it.
    pub fn subagent(tool_use_id: impl Into<String>) -> Self {
        Self {
            tool_use_id: Some(tool_use_id.into()),
            ..Self::default()
        }
    }

    /// Whether it is the agent's own.
    pub fn is_main(&self) -> bool {
        self.tool_use_id.is_none() && self.task_id.is_none()
    }

    /// By what lanes are told apart: `main`, the call, or the task where no call is known.
    pub fn id(&self) -> &str {
        let id = self.tool_use_id.as_deref().or(self.task_id.as_deref());
        id.unwrap_or("main")
    }
}

/// How far something is now. A later update with the same lane and subject takes its place.
///
/// Nothing goes back without a word: an update that is less far than the one before it has a
/// [`regression`](Self::regression).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProgressUpdate {
    /// Whose work it is.
    #[serde(default, skip_serializing_if = "Lane::is_main")]
    pub lane: Lane,
    /// What is worked on: a key that stays the same, unique in its lane.
    pub subject: String,
    /// What kind of work it is.
    pub kind: WorkKind,
    /// Where it is.
    pub state: TaskStatus,
    /// What it is, in words for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What it does now, or what came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// How much is done. For "test 5 of 20" it is 5, although the fifth is not finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<Amount>,
    /// How much there is, as far as is known now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Amount>,
    /// The share that is done, from 0 to 100: as it was said, or from the two numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<Amount>,
    /// How many tools were used for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_uses: Option<u64>,
    /// For how long it runs, or ran, as the source says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_ms: Option<u64>,
    /// The points of the list, when it is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<TodoItem>,
    /// How many points of the list are not among the items, when it is a long one. The numbers
    /// count them, too.
    #[serde(default, skip_serializing_if = "is_none")]
    pub left_out: u64,
    /// Who says so.
    pub source: ProgressSource,
    /// How sure that is, from 0 to 1; 1 for what the CLI says itself.
    pub confidence: Amount,
    /// How much is done in a minute, when two events are a basis to say so; in hundredths of the
    /// whole where only a share is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_minute: Option<Amount>,
    /// How long the rest takes at that rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<u64>,
    /// Why it is less far than it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regression: Option<Regression>,
}

impl ProgressUpdate {
    /// Something of the agent itself that runs, as a structured source says.
    pub fn new(subject: impl Into<String>, kind: WorkKind, source: ProgressSource) -> Self {
        Self {
            lane: Lane::main(),
            subject: subject.into(),
            kind,
            state: TaskStatus::Running,
            label: None,
            detail: None,
            done: None,
            total: None,
            percent: None,
            tool_uses: None,
            elapsed_ms: None,
            items: Vec::new(),
            left_out: 0,
            source,
            confidence: Amount::ONE,
            per_minute: None,
            left_ms: None,
            regression: None,
        }
    }

    /// In a lane.
    #[must_use]
    pub fn in_lane(mut self, lane: Lane) -> Self {
        self.lane = lane;
        self
    }

    /// In a state.
    #[must_use]
    pub fn state(mut self, state: TaskStatus) -> Self {
        self.state = state;
        self
    }

    /// What it is.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into()).filter(|label| !label.is_empty());
        self
    }

    /// What it does now, or what came of it.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into()).filter(|detail| !detail.is_empty());
        self
    }

    /// So many of so many, and the share that follows.
    #[must_use]
    pub fn counted(mut self, done: impl Into<Amount>, total: impl Into<Amount>) -> Self {
        let (done, total) = (done.into(), total.into());
        self.done = Some(done);
        self.total = Some(total);
        self.percent = done.percent_of(total);
        self
    }

    /// Whether nothing more is to come of it.
    pub fn is_over(&self) -> bool {
        is_over(&self.state)
    }
}

pub(crate) fn is_none(number: &u64) -> bool {
    *number == 0
}

/// Whether nothing more comes behind a state. Of one that is new, more may come.
pub(crate) fn is_over(state: &TaskStatus) -> bool {
    matches!(
        state,
        TaskStatus::Completed | TaskStatus::Failed | TaskStatus::Stopped
    )
}
