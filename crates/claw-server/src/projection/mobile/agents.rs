//! Running subagents.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::task::TaskNews;

/// Maximum number of subagents. The end of a subagent may not be reported while its process lives.
pub(in super::super) const KEPT: usize = 1024;

/// Running subagents, by task id.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Agents(BTreeMap<String, Agent>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Agent {
    /// The type of the subagent; only some of its messages contain it.
    name: String,
    /// The sequence number of the last event about it.
    heard: u64,
}

impl Agents {
    /// Records an update of a task. Returns the name if it is a subagent.
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

    /// If there are more than [`KEPT`] subagents, removes the one without updates for longest.
    pub(super) fn crowded_out(&mut self) -> Option<(String, String)> {
        if self.0.len() <= KEPT {
            return None;
        }
        let silent = self.0.iter().min_by_key(|(_, agent)| agent.heard);
        let id = silent.map(|(id, _)| id.clone())?;
        let agent = self.0.remove(&id)?;
        Some((id, agent.name))
    }

    pub(super) fn take(&mut self) -> impl Iterator<Item = (String, String)> + use<> {
        let agents = std::mem::take(&mut self.0);
        agents.into_iter().map(|(id, agent)| (id, agent.name))
    }
}
