//! How far the subagents are.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::{
    Fact, Lifecycle, LifecycleState, ProgressSource, ProgressUpdate, SessionEvent, WorkKind,
};
use crate::state_version::{StateVersion, put_away};
use crate::ui_message::TaskStatus;

/// How many subagents that are over are shown.
pub(super) const SHOWN: usize = 64;

/// How many are shown that run as far as is known: of one whose end nobody told, that is for ever.
pub(super) const RUNNING: usize = 512;

/// Where a subagent is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SubAgentStatus {
    /// By what it is told apart: the call that started it, or its task.
    pub id: String,
    /// Its task, by which it can be stopped.
    pub task_id: Option<String>,
    /// What kind of subagent it is.
    pub name: Option<String>,
    /// What it was asked to do.
    pub description: Option<String>,
    /// Where it is.
    pub state: TaskStatus,
    /// How many tools it has used, where that is known.
    pub tool_uses: Option<u64>,
    /// What it did last, or what came of it.
    pub last_activity: Option<String>,
    /// How far it is, where it counts: its list, or what it says.
    pub progress: Option<ProgressUpdate>,
    /// When it was first heard of, in milliseconds since 1970.
    pub started_at_ms: i64,
    /// When it was last heard of.
    pub updated_at_ms: i64,
    /// When it ended.
    pub ended_at_ms: Option<i64>,
}

/// Follows the subagents of a session, for those who show a line for each of them.
///
/// It reads the events of the session in order, and passes over those it has seen. It is a value,
/// and can be put away and taken up again like a projection.
///
/// ```
/// use claw_server::{Output, SessionLedger, SubAgentProgressMonitor, TaskStatus};
///
/// let mut ledger = SessionLedger::new(1);
/// let mut output = Output::default();
/// ledger.line(5, r#"{"type":"system","subtype":"task_started","task_id":"a1","tool_use_id":"toolu_1",
///     "description":"count files","subagent_type":"Explore","task_type":"local_agent"}"#, &mut output);
///
/// let mut monitor = SubAgentProgressMonitor::default();
/// output.events.iter().for_each(|event| monitor.event(event));
/// let agents = monitor.snapshot();
/// assert_eq!(agents[0].name.as_deref(), Some("Explore"));
/// assert_eq!(agents[0].state, TaskStatus::Running);
/// assert_eq!(agents[0].started_at_ms, 5);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct SubAgentProgressMonitor {
    #[serde(rename = "v")]
    version: StateVersion<1>,
    sequence: u64,
    agents: BTreeMap<String, SubAgentStatus>,
}

put_away!(SubAgentProgressMonitor);

impl SubAgentProgressMonitor {
    /// Takes in an event of the session.
    pub fn event(&mut self, event: &SessionEvent) {
        if event.sequence <= self.sequence {
            return;
        }
        self.sequence = event.sequence;
        match &event.fact {
            Fact::Progress(update) if !update.lane.is_main() => self.update(event.at_ms, update),
            Fact::Lifecycle(lifecycle) => self.lifecycle(event.at_ms, lifecycle),
            _ => {}
        }
    }

    /// All subagents, in the order in which they were first heard of; of those that are over, the
    /// last 64, and of those that run, the last 512 that were heard of.
    pub fn snapshot(&self) -> Vec<SubAgentStatus> {
        let mut agents: Vec<SubAgentStatus> = self.agents.values().cloned().collect();
        agents.sort_by(|a, b| (a.started_at_ms, &a.id).cmp(&(b.started_at_ms, &b.id)));
        agents
    }

    /// How many subagents run.
    pub fn running(&self) -> usize {
        let runs = |agent: &&SubAgentStatus| agent.ended_at_ms.is_none();
        self.agents.values().filter(runs).count()
    }

    fn update(&mut self, at_ms: i64, update: &ProgressUpdate) {
        let id = update.lane.id();
        let agent = self
            .agents
            .entry(id.to_owned())
            .or_insert_with(|| SubAgentStatus {
                id: id.to_owned(),
                task_id: None,
                name: None,
                description: None,
                state: TaskStatus::Running,
                tool_uses: None,
                last_activity: None,
                progress: None,
                started_at_ms: at_ms,
                updated_at_ms: at_ms,
                ended_at_ms: None,
            });
        agent.updated_at_ms = at_ms;
        let known = |now: &Option<String>, before: Option<String>| now.clone().or(before);
        agent.task_id = known(&update.lane.task_id, agent.task_id.take());
        agent.name = known(&update.lane.name, agent.name.take());
        let is_itself = update.kind == WorkKind::Subagent
            && matches!(
                update.source,
                ProgressSource::TaskEvent | ProgressSource::ToolProgress
            );
        if is_itself {
            if agent.ended_at_ms.is_some() && !update.is_over() {
                // It was taken up again.
                agent.started_at_ms = at_ms;
                agent.progress = None;
            }
            agent.description = known(&update.label, agent.description.take());
            agent.last_activity = known(&update.detail, agent.last_activity.take());
            agent.tool_uses = update.tool_uses.or(agent.tool_uses);
            agent.state = update.state.clone();
            agent.ended_at_ms = match update.is_over() {
                true => agent.ended_at_ms.or(Some(at_ms)),
                false => None,
            };
        } else {
            agent.last_activity = known(&update.detail, None)
                .or_else(|| update.label.clone())
                .or(agent.last_activity.take());
            if update.percent.is_some() {
                agent.progress = Some(update.clone());
            }
        }
        self.forget();
    }

    fn lifecycle(&mut self, at_ms: i64, lifecycle: &Lifecycle) {
        if lifecycle.state == LifecycleState::Ready {
            return;
        }
        // There is no process, so no subagent runs.
        for agent in self.agents.values_mut() {
            if agent.ended_at_ms.is_none() {
                agent.state = TaskStatus::Stopped;
                agent.ended_at_ms = Some(at_ms);
            }
        }
    }

    /// Lets go of the one that was not heard of for longest, where there are too many.
    fn forget(&mut self) {
        for (is_over, most) in [(true, SHOWN), (false, RUNNING)] {
            let such = || {
                let agents = self.agents.iter();
                agents.filter(move |(_, agent)| agent.ended_at_ms.is_some() == is_over)
            };
            if such().count() > most
                && let Some((id, _)) = such().min_by_key(|(_, agent)| agent.updated_at_ms)
            {
                let id = id.clone();
                self.agents.remove(&id);
            }
        }
    }
}
