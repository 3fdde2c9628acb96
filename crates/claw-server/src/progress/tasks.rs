//! Task messages of the CLI.

use rusty_claw_protocol::messages::{
    BackgroundTask, SystemMessage, TaskOutcome, TaskProgressMessage, TaskStartedMessage, TaskState,
    TaskType, TaskUsage, WorkflowAgentState, WorkflowProgress,
};
use rusty_claw_protocol::{Json, Str};
use serde::{Deserialize, Serialize};

use super::lanes::{Lanes, Task};
use super::limits::shortened;
use super::lists::Lists;
use super::results::output_subject;
use super::status::RETRY;
use super::update_sink::UpdateSink;
use crate::event::{Lane, ProgressSource, ProgressUpdate, Regression, WorkKind};
use crate::ui_message::TaskStatus;

pub(super) fn call_subject(id: &str) -> String {
    format!("call/{id}")
}

pub(super) fn task(
    lanes: &mut Lanes,
    lists: &mut Lists,
    message: &SystemMessage,
    sink: &mut UpdateSink<'_>,
) {
    match message {
        SystemMessage::TaskStarted(started) => {
            let task = began(lanes, started);
            let update = of_task(&task).label(&started.description);
            lanes.task_began(&started.task_id, task);
            sink.take(update, None);
        }
        SystemMessage::TaskProgress(said) => {
            let (task, is_new) = match lanes.task(&said.task_id) {
                Some(task) => (task.clone(), false),
                None => (joined(lanes, said), true),
            };
            sink.take(progressed(&task, said), retried(said));
            if is_new {
                lanes.task_began(&said.task_id, task);
            }
        }
        SystemMessage::TaskUpdated(said) => {
            if said.patch.is_backgrounded == Some(true) {
                lanes.in_background(&said.task_id);
            }
            let Some(state) = &said.patch.status else {
                return;
            };
            let task = task_or_new(lanes, &said.task_id, None);
            let mut update = of_task(&task).state(TaskStatus::of(state));
            if let Some(description) = &said.patch.description {
                update = update.label(description);
            }
            if let Some(error) = &said.patch.error {
                update = update.detail(error);
            }
            sink.take(update, None);
        }
        SystemMessage::TaskNotification(said) => {
            let task = task_or_new(lanes, &said.task_id, said.tool_use_id.as_ref());
            let state = match &said.status {
                TaskOutcome::Completed => TaskStatus::Completed,
                TaskOutcome::Failed => TaskStatus::Failed,
                TaskOutcome::Stopped => TaskStatus::Stopped,
                other => TaskStatus::from(other.as_str()),
            };
            let update = of_task(&task).state(state).detail(&said.summary);
            sink.take(used(update, said.usage.as_ref()), None);
            if let Some(lane) = lanes.task_ended(&said.task_id) {
                // It makes no more API requests, whatever its outcome.
                sink.end(&lane, RETRY, TaskStatus::Stopped);
                lists.lane_ended(&lane);
                sink.subjects.settle_lane(lane.id());
            }
            let printed = output_subject(&said.task_id);
            sink.subjects.settle_subject(&printed);
        }
        SystemMessage::Unknown(unknown) if unknown.name.starts_with("task_") => {
            sink.take_all(new_kind(lanes, &unknown.raw));
        }
        _ => {}
    }
}

fn began(lanes: &Lanes, started: &TaskStartedMessage) -> Task {
    let kind = match &started.task_type {
        Some(TaskType::LocalAgent) => WorkKind::Subagent,
        Some(TaskType::LocalBash) => WorkKind::Shell,
        Some(TaskType::LocalWorkflow) => WorkKind::Workflow,
        _ if started.subagent_type.is_some() => WorkKind::Subagent,
        _ => WorkKind::Task,
    };
    let text = |text: &Str| text.as_str().to_owned();
    Task {
        lane: match (&kind, &started.tool_use_id) {
            (WorkKind::Subagent, call) => Lane {
                tool_use_id: call.as_ref().map(text),
                task_id: Some(text(&started.task_id)),
                name: started.subagent_type.as_ref().map(text).map(shortened),
            },
            (_, Some(call)) => lanes.of_call(call),
            (_, None) => Lane::main(),
        },
        subject: subject(&started.task_id, started.tool_use_id.as_deref()),
        kind,
        in_turn: started.is_backgrounded == Some(false),
        began: 0,
    }
}

/// A task whose start was not seen.
fn joined(lanes: &Lanes, said: &TaskProgressMessage) -> Task {
    let mut started = TaskStartedMessage::default();
    started.task_id = said.task_id.clone();
    started.tool_use_id = said.tool_use_id.clone();
    started.subagent_type = said.subagent_type.clone();
    started.task_type = said
        .workflow_progress
        .as_ref()
        .map(|_| TaskType::LocalWorkflow);
    began(lanes, &started)
}

fn task_or_new(lanes: &Lanes, id: &Str, call: Option<&Str>) -> Task {
    lanes.task(id).cloned().unwrap_or_else(|| {
        let mut started = TaskStartedMessage::default();
        started.task_id = id.clone();
        started.tool_use_id = call.cloned();
        began(lanes, &started)
    })
}

fn subject(task_id: &str, call: Option<&str>) -> String {
    call.map_or_else(|| format!("task/{task_id}"), call_subject)
}

fn of_task(task: &Task) -> ProgressUpdate {
    ProgressUpdate::new(&task.subject, task.kind.clone(), ProgressSource::TaskEvent)
        .in_lane(task.lane.clone())
}

fn progressed(task: &Task, said: &TaskProgressMessage) -> ProgressUpdate {
    let mut update = used(of_task(task).detail(&said.description), Some(&said.usage));
    if said.usage_limit_wait.is_some() {
        update.state = TaskStatus::Paused;
    }
    let agents = said.workflow_progress.iter().flatten();
    let agents = agents.filter_map(|part| match part {
        WorkflowProgress::WorkflowAgent(agent) => Some(agent),
        _ => None,
    });
    let (mut done, mut total) = (0_u32, 0_u32);
    for agent in agents {
        total += 1;
        if matches!(
            agent.state,
            WorkflowAgentState::Done | WorkflowAgentState::Error
        ) {
            done += 1;
        }
    }
    match total {
        0 => update,
        _ => update.counted(done, total),
    }
}

/// The reason if an agent of a workflow is retried.
fn retried(said: &TaskProgressMessage) -> Option<Regression> {
    let mut agents = said.workflow_progress.iter().flatten();
    let again = |part: &WorkflowProgress| {
        matches!(part, WorkflowProgress::WorkflowAgent(agent)
            if agent.attempt > Some(1) && agent.state != WorkflowAgentState::Done)
    };
    agents.any(again).then_some(Regression::Retried)
}

fn used(mut update: ProgressUpdate, usage: Option<&TaskUsage>) -> ProgressUpdate {
    if let Some(usage) = usage {
        update.tool_uses = Some(usage.tool_uses);
        update.elapsed_ms = Some(usage.duration_ms);
    }
    update
}

/// Handles an unrecognized message of the family by its common members.
fn new_kind(lanes: &Lanes, raw: &Json) -> Option<ProgressUpdate> {
    let member = |name: &str| raw.get(name).and_then(|value| value.to_text());
    let id = Str::from(member("task_id")?.as_str());
    let call = member("tool_use_id").map(|call| Str::from(call.as_str()));
    let task = task_or_new(lanes, &id, call.as_ref());
    let mut update = of_task(&task);
    if let Some(state) = member("status") {
        update.state = match TaskState::from(state.as_str()) {
            TaskState::Unknown(_) if state == "stopped" => TaskStatus::Stopped,
            state => TaskStatus::of(&state),
        };
    }
    if let Some(words) = member("summary").or_else(|| member("description")) {
        update = update.detail(words);
    }
    Some(update)
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Background {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tasks: Vec<String>,
    /// The number of tasks that ended since none was running.
    #[serde(default)]
    gone: u64,
}

impl Background {
    pub(super) fn count(&self) -> usize {
        self.tasks.len()
    }

    pub(super) fn changed(
        &mut self,
        lanes: &mut Lanes,
        tasks: &[BackgroundTask],
        sink: &mut UpdateSink<'_>,
    ) {
        let ids: Vec<String> = tasks
            .iter()
            .map(|task| task.task_id.as_str().to_owned())
            .collect();
        let before = std::mem::take(&mut self.tasks);
        let gone = before.iter().filter(|id| !ids.contains(id)).count();
        self.gone += gone as u64;
        self.tasks = ids;
        for id in &self.tasks {
            lanes.in_background(id);
        }
        let total = self.gone + self.tasks.len() as u64;
        if total == 0 {
            return;
        }
        let mut update =
            ProgressUpdate::new("background", WorkKind::Task, ProgressSource::BackgroundTask)
                .counted(self.gone, total);
        match tasks.first() {
            Some(task) => update = update.label(&task.description),
            None => {
                update.state = TaskStatus::Completed;
                self.gone = 0;
            }
        }
        sink.take(update, None);
    }
}
