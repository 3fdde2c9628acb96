//! Which subagents run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::task::TaskNews;

/// How many are kept. Nobody may tell the end of a subagent, for as long as its process lives.
pub(in super::super) const KEPT: usize = 1024;

/// The subagents that run, by their tasks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Agents(BTreeMap<String, Agent>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Agent {
    /// What kind of subagent it is; only some of its news say so.
    name: String,
    /// The last event that told of it.
    heard: u64,
}

impl Agents {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A task has news, in the event of this sequence; its name, when it is a subagent.
    pub(super) fn heard(&mut self, task: &TaskNews<'_>, sequence: u64) -> Option<String> {
        let name = match task.subagent_type {
            Some(name) => name.to_owned(),
            None => self.0.get(task.task_id)?.name.clone(),
        };
        if task.is_end {
            self.0.remove(task.task_id);
        } else {
            let agent = Agent {
                name: name.clone(),
                heard: sequence,
            };
            self.0.insert(task.task_id.to_owned(), agent);
        }
        Some(name)
    }

    /// Takes out the subagent that is followed no longer, when there are more than are kept: the
    /// one that was silent for longest.
    pub(super) fn crowded_out(&mut self) -> Option<(String, String)> {
        if self.0.len() <= KEPT {
            return None;
        }
        let silent = self.0.iter().min_by_key(|(_, agent)| agent.heard);
        let id = silent.map(|(id, _)| id.clone())?;
        let agent = self.0.remove(&id)?;
        Some((id, agent.name))
    }

    /// Takes out all of them, with their names.
    pub(super) fn take(&mut self) -> impl Iterator<Item = (String, String)> + use<> {
        let agents = std::mem::take(&mut self.0);
        agents.into_iter().map(|(id, agent)| (id, agent.name))
    }
}
