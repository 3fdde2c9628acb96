//! Progress of work.

use serde::{Deserialize, Serialize};

use super::amount::Amount;
use crate::open_enum::open_enum;
use crate::ui_message::status::{TaskStatus, TodoItem};

open_enum! {
    /// The source of a progress update. Structured sources come first. The last two are parsed from
    /// text written for people, and are used only in lanes without an active list.
    pub enum ProgressSource {
        /// The CLI's `task_*` messages: subagents, shells, workflows.
        TaskEvent,
        /// The CLI's `tool_progress` messages: heartbeats of running tools.
        ToolProgress,
        /// The CLI's list of background tasks.
        BackgroundTask,
        /// The agent's own to-do list.
        Todo,
        /// The tools that enter and exit plan mode.
        Plan,
        /// A hook that the CLI runs.
        Hook,
        /// Compaction of the history.
        Compaction,
        /// Rate limits of the account.
        RateLimit,
        /// Retries of API requests.
        Retry,
        /// Text of the agent.
        Prose,
        /// Output of a command.
        ToolOutput,
    }
}

open_enum! {
    /// The kind of work.
    pub enum WorkKind {
        /// A run of tests.
        TestRun,
        /// A to-do list.
        Checklist,
        /// Distinct steps, such as phases or stages.
        Step,
        /// A subagent.
        Subagent,
        /// A count of similar items.
        Count,
        /// A percentage without a count.
        Percent,
        /// A shell command.
        Shell,
        /// A workflow of several subagents.
        Workflow,
        /// A task of another kind, or all background tasks together.
        Task,
        /// A tool call.
        Tool,
        /// A plan that is being made or awaits approval.
        Plan,
        /// A hook.
        Hook,
        /// Compaction of the history.
        Compaction,
        /// A limit of the account; the percentage is the share used.
        Limit,
        /// A retry of an API request.
        Retry,
    }
}

open_enum! {
    /// Why progress went back.
    pub enum Regression {
        /// The list got longer.
        ListGrew,
        /// Completed items were removed from the list.
        ListShrank,
        /// Another list replaced it.
        ListReplaced,
        /// A completed item was reopened.
        Reopened,
        /// It restarted with the same total.
        Restarted,
        /// It had ended, and a new run began.
        NewRun,
        /// It failed and is retried.
        Retried,
        /// Another source reports it now.
        SourceChanged,
        /// The turn of the earlier update ended.
        TurnEnded,
        /// A limit was renewed.
        Renewed,
        /// The source corrected its numbers.
        Corrected,
    }
}

/// The agent or subagent that does the work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Lane {
    /// The call that started the subagent. Its messages refer to this id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// The task of the subagent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The type of the subagent.
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

    /// Whether it is the agent's own lane.
    pub fn is_main(&self) -> bool {
        self.tool_use_id.is_none() && self.task_id.is_none()
    }

    /// The id of the lane: `main`, the call, or the task if no call is known.
    pub fn id(&self) -> &str {
        let id = self.tool_use_id.as_deref().or(self.task_id.as_deref());
        id.unwrap_or("main")
    }
}

/// The current progress of a subject. A later update with the same lane and subject replaces it.
///
/// Progress never goes back silently: an update that is behind the one before it has a
/// [`regression`](Self::regression).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProgressUpdate {
    /// The agent or subagent that does the work.
    #[serde(default, skip_serializing_if = "Lane::is_main")]
    pub lane: Lane,
    /// A stable key for what is worked on, unique in its lane.
    pub subject: String,
    /// The kind of work.
    pub kind: WorkKind,
    /// The state of the work.
    pub state: TaskStatus,
    /// What it is, for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The current activity, or the outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// How much is done. For "test 5 of 20" it is 5, although the fifth is not finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<Amount>,
    /// The total, as far as known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Amount>,
    /// The percentage done, from 0 to 100: as reported, or computed from `done` and `total`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<Amount>,
    /// The number of tool uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_uses: Option<u64>,
    /// How long it has run, as reported by the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_ms: Option<u64>,
    /// The items, if it is a list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<TodoItem>,
    /// The number of list items that are not in `items`. They are included in `done` and `total`.
    #[serde(default, skip_serializing_if = "crate::is_default::is_default")]
    pub left_out: u64,
    /// The source of the update.
    pub source: ProgressSource,
    /// The confidence, from 0 to 1; 1 for structured sources.
    pub confidence: Amount,
    /// The rate per minute, if two events allow an estimate; in percentage points if only a
    /// percentage is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_minute: Option<Amount>,
    /// The estimated remaining time at that rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<u64>,
    /// Why progress went back, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regression: Option<Regression>,
}

impl ProgressUpdate {
    /// Creates an update of running work in the agent's own lane, with full confidence.
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

    /// Sets the lane.
    #[must_use]
    pub fn in_lane(mut self, lane: Lane) -> Self {
        self.lane = lane;
        self
    }

    /// Sets the state.
    #[must_use]
    pub fn state(mut self, state: TaskStatus) -> Self {
        self.state = state;
        self
    }

    /// Sets the label; an empty text removes it.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into()).filter(|label| !label.is_empty());
        self
    }

    /// Sets the detail; an empty text removes it.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into()).filter(|detail| !detail.is_empty());
        self
    }

    /// Sets `done` and `total`, and computes the percentage.
    #[must_use]
    pub fn counted(mut self, done: impl Into<Amount>, total: impl Into<Amount>) -> Self {
        let (done, total) = (done.into(), total.into());
        self.done = Some(done);
        self.total = Some(total);
        self.percent = done.percent_of(total);
        self
    }

    /// Whether the work has ended.
    pub fn is_over(&self) -> bool {
        is_over(&self.state)
    }
}

/// Whether a state is final. Unrecognized states are not.
pub(crate) fn is_over(state: &TaskStatus) -> bool {
    matches!(
        state,
        TaskStatus::Completed | TaskStatus::Failed | TaskStatus::Stopped
    )
}
