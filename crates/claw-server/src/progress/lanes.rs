//! Lanes of calls and tasks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::limits::OPEN;
use crate::event::{Lane, WorkKind};

/// Running subagents, calls and tasks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Lanes {
    /// Running subagents, by the calls that started them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    agents: BTreeMap<String, Lane>,
    /// Calls without a result.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    calls: BTreeMap<String, Call>,
    /// Running tasks.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    tasks: BTreeMap<String, Task>,
    /// The number of calls and tasks that began; orders them by age.
    #[serde(default)]
    count: u64,
    /// The CLI reports subagents itself, so mentions in text are ignored.
    #[serde(default)]
    pub(super) has_agents: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Call {
    /// The call that started the calling subagent; `None` for the agent itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) parent: Option<String>,
    pub(super) asks: Asks,
    #[serde(default)]
    began: u64,
}

/// The purpose of a call, as far as its result reports progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Asks {
    /// Runs a command, or reads the output of one.
    Output {
        /// The subject of the output.
        subject: String,
        /// Whether the output is complete.
        #[serde(default)]
        is_all: bool,
    },
    /// Adds an item to the list.
    CreateTask { text: String, active: String },
    /// Changes an item of the list.
    UpdateTask {
        id: String,
        text: Option<String>,
        active: Option<String>,
        /// The CLI's name of the new state.
        state: Option<String>,
    },
    /// Reads the list.
    ListTasks,
    /// Starts planning.
    EnterPlan,
    /// Requests approval of a plan.
    ExitPlan,
    /// Anything else.
    Other,
}

/// A running task.
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
    /// The lane of a message, by the call that started its author.
    pub(super) fn of_parent(&self, parent: Option<&str>) -> Lane {
        let Some(parent) = parent else {
            return Lane::main();
        };
        let known = self.agents.get(parent).cloned();
        known.unwrap_or_else(|| Lane::subagent(parent))
    }

    /// The lane in which a call was made; the agent's own if the call is unknown.
    pub(super) fn of_call(&self, id: &str) -> Lane {
        let parent = self.calls.get(id).and_then(|call| call.parent.as_deref());
        self.of_parent(parent)
    }

    /// The lane of the work that a call started: the subagent's, if it started one.
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
        // A task that was restarted by another call no longer belongs to the first one.
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

    /// Marks a task as running in the background.
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

    /// Whether a subject has a task.
    pub(super) fn has_task(&self, lane: &Lane, subject: &str) -> bool {
        self.tasks
            .values()
            .any(|task| task.subject == subject && task.lane.id() == lane.id())
    }

    /// Removes an ended task. Returns its lane if it was a subagent.
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

    /// Removes the agent's own calls at the end of its turn. Tasks are kept: the CLI may still
    /// report their end.
    pub(super) fn turn_ended(&mut self) {
        self.calls.retain(|_, call| call.parent.is_some());
    }

    /// Removes everything, because the process ended.
    pub(super) fn process_ended(&mut self) {
        let has_agents = self.has_agents;
        *self = Self::default();
        self.has_agents = has_agents;
    }
}
