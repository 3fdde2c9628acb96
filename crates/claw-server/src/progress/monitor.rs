//! The progress of subagents.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::{
    Fact, Lifecycle, LifecycleState, ProgressSource, ProgressUpdate, SessionEvent, WorkKind,
};
use crate::state_version::{StateVersion, snapshot_serde};
use crate::ui_message::TaskStatus;

/// Maximum number of ended subagents shown.
pub(super) const SHOWN: usize = 64;

/// Maximum number of running subagents shown. One whose end was not reported counts as running.
pub(super) const RUNNING: usize = 512;

/// The status of a subagent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SubAgentStatus {
    /// The id of its lane: the call that started it, or its task.
    pub id: String,
    /// The task id, which is needed to stop it.
    pub task_id: Option<String>,
    /// The type of the subagent.
    pub name: Option<String>,
    /// The description of its work.
    pub description: Option<String>,
    /// The state of the subagent.
    pub state: TaskStatus,
    /// The number of tool uses, if known.
    pub tool_uses: Option<u64>,
    /// The last activity, or the outcome.
    pub last_activity: Option<String>,
    /// The progress of its list or its text, if any.
    pub progress: Option<ProgressUpdate>,
    /// When it was first reported or last resumed, in milliseconds since the Unix epoch.
    pub started_at_ms: i64,
    /// When it was last reported.
    pub updated_at_ms: i64,
    /// When it ended.
    pub ended_at_ms: Option<i64>,
}

/// Tracks the subagents of a session, for clients that show each of them.
///
/// It consumes the events of the session in order and skips those it has seen. Like a projection,
/// it can be serialized and resumed.
///
/// ```
/// use claw_server::{Output, EventBuilder, SubAgentProgressMonitor, TaskStatus};
///
/// let mut builder = EventBuilder::new(1);
/// let mut output = Output::default();
/// builder.line(5, r#"{"type":"system","subtype":"task_started","task_id":"a1","tool_use_id":"toolu_1",
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

snapshot_serde!(SubAgentProgressMonitor);

impl SubAgentProgressMonitor {
    /// Processes an event of the session.
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

    /// The subagents, in the order of their start: the 512 running and the 64 ended ones with the
    /// latest updates.
    pub fn snapshot(&self) -> Vec<SubAgentStatus> {
        let mut agents: Vec<SubAgentStatus> = self.agents.values().cloned().collect();
        agents.sort_by(|a, b| (a.started_at_ms, &a.id).cmp(&(b.started_at_ms, &b.id)));
        agents
    }

    /// The number of running subagents.
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
                // It was resumed.
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
        // Without a process no subagent runs.
        for agent in self.agents.values_mut() {
            if agent.ended_at_ms.is_none() {
                agent.state = TaskStatus::Stopped;
                agent.ended_at_ms = Some(at_ms);
            }
        }
    }

    /// Evicts the least recently updated subagent if there are too many.
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
