//! Whose calls and whose tasks they are.

use std::collections::BTreeMap;

use rusty_claw_protocol::tool::TaskStatus as PointState;
use serde::{Deserialize, Serialize};

use super::limits::OPEN;
use crate::event::{Lane, WorkKind};

/// The subagents, the calls and the tasks that run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Lanes {
    /// The subagents that run, by the calls that started them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    agents: BTreeMap<String, Lane>,
    /// The calls that have no result.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    calls: BTreeMap<String, Call>,
    /// The tasks that run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    tasks: BTreeMap<String, Task>,
    /// How many calls and tasks began, which tells what is oldest.
    #[serde(default)]
    count: u64,
    /// The CLI tells of subagents itself, so what is said of them is not read.
    #[serde(default)]
    pub(super) has_agents: bool,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Call {
    /// The subagent that calls, by the call that started it; nothing for the agent itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) parent: Option<String>,
    pub(super) asks: Asks,
    #[serde(default)]
    began: u64,
}

/// What a call is for, as far as its result says how far the work is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Asks {
    /// To run a command, or to see what one printed.
    Output {
        /// What it prints is about.
        subject: String,
        /// Whether nothing more is printed about it.
        #[serde(default)]
        is_all: bool,
    },
    /// To put a point on the list.
    CreateTask { text: String, active: String },
    /// To change a point of the list.
    UpdateTask {
        id: String,
        text: Option<String>,
        active: Option<String>,
        #[serde(with = "point_state")]
        state: Option<PointState>,
    },
    /// To see the list.
    ListTasks,
    /// To begin planning.
    EnterPlan,
    /// To have a plan agreed to.
    ExitPlan,
    /// Something else.
    Other,
}

mod point_state {
    use rusty_claw_protocol::tool::TaskStatus;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        state: &Option<TaskStatus>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        state.as_ref().map(TaskStatus::as_str).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<TaskStatus>, D::Error> {
        let name = Option::<String>::deserialize(deserializer)?;
        Ok(name.map(|name| TaskStatus::from(name.as_str())))
    }
}

/// A task that runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) lane: Lane,
    pub(super) subject: String,
    pub(super) kind: WorkKind,
    /// Whether the turn waits for it.
    pub(super) in_turn: bool,
    #[serde(default)]
    pub(super) began: u64,
}

impl Lanes {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The lane of a message, by the call that it says started its writer.
    pub(super) fn of_parent(&self, parent: Option<&str>) -> Lane {
        let Some(parent) = parent else {
            return Lane::main();
        };
        let known = self.agents.get(parent).cloned();
        known.unwrap_or_else(|| Lane::subagent(parent))
    }

    /// The lane in which a call was made. Of a call that nobody saw, the agent's own.
    pub(super) fn of_call(&self, id: &str) -> Lane {
        let parent = self.calls.get(id).and_then(|call| call.parent.as_deref());
        self.of_parent(parent)
    }

    /// The lane of the work that a call started: the subagent's, when it started one.
    pub(super) fn of_work(&self, id: &str) -> Lane {
        let agent = self.agents.get(id).cloned();
        agent.unwrap_or_else(|| self.of_call(id))
    }

    pub(super) fn call_began(&mut self, id: &str, parent: Option<&str>, asks: Asks) {
        self.count += 1;
        let call = Call {
            parent: parent.map(str::to_owned),
            asks,
            began: self.count,
        };
        self.calls.insert(id.to_owned(), call);
        if self.calls.len() > OPEN {
            let oldest = self.calls.iter().min_by_key(|(_, call)| call.began);
            if let Some(oldest) = oldest.map(|(id, _)| id.clone()) {
                self.calls.remove(&oldest);
            }
        }
    }

    pub(super) fn call_ended(&mut self, id: &str) -> Option<Call> {
        self.calls.remove(id)
    }

    pub(super) fn task_began(&mut self, id: &str, mut task: Task) {
        self.count += 1;
        task.began = self.count;
        if task.kind == WorkKind::Subagent {
            self.has_agents = true;
            if let Some(call) = &task.lane.tool_use_id {
                self.agents.insert(call.clone(), task.lane.clone());
            }
        }
        let call = task.lane.tool_use_id.clone();
        let before = self.tasks.insert(id.to_owned(), task);
        // A task that began again, for another call, is no longer the first one's.
        let before = before.and_then(|before| before.lane.tool_use_id);
        if before != call
            && let Some(before) = before
        {
            self.agents.remove(&before);
        }
        if self.tasks.len() > OPEN {
            let oldest = self.tasks.iter().min_by_key(|(_, task)| task.began);
            if let Some(oldest) = oldest.map(|(id, _)| id.clone()) {
                self.task_ended(&oldest);
            }
        }
    }

    pub(super) fn task(&self, id: &str) -> Option<&Task> {
        self.tasks.get(id)
    }

    /// No turn waits for it.
    pub(super) fn in_background(&mut self, id: &str) {
        if let Some(task) = self.tasks.get_mut(id) {
            task.in_turn = false;
        }
    }

    /// Whether a turn waits for the task of a subject.
    pub(super) fn is_in_turn(&self, lane: &Lane, subject: &str) -> bool {
        self.tasks
            .values()
            .any(|task| task.in_turn && task.subject == subject && task.lane.id() == lane.id())
    }

    /// Whether a task tells of a subject.
    pub(super) fn has_task(&self, lane: &Lane, subject: &str) -> bool {
        self.tasks
            .values()
            .any(|task| task.subject == subject && task.lane.id() == lane.id())
    }

    /// Nothing more is said of a task. Returns the lane that ends with it, when it has one.
    pub(super) fn task_ended(&mut self, id: &str) -> Option<Lane> {
        let task = self.tasks.remove(id)?;
        if task.kind != WorkKind::Subagent {
            return None;
        }
        if let Some(call) = &task.lane.tool_use_id {
            self.agents.remove(call);
            self.calls
                .retain(|_, open| open.parent.as_ref() != Some(call));
        }
        Some(task.lane)
    }

    /// The turn is over, and with it the calls of the agent itself. Of a task that it waited for
    /// the CLI may still say how it ended.
    pub(super) fn turn_ended(&mut self) {
        self.calls.retain(|_, call| call.parent.is_some());
    }

    /// There is no process, so nothing runs.
    pub(super) fn process_ended(&mut self) {
        let has_agents = self.has_agents;
        *self = Self::default();
        self.has_agents = has_agents;
    }
}
