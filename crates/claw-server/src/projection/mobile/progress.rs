//! Progress messages for a phone.

use crate::event::{ProgressSource, ProgressUpdate, WorkKind};
use crate::mobile::{MobileMessage, ProgressUpdateMessage, SubAgentProgress};

/// The message for an update of the agent or a subagent, if it is shown on a phone. Task events of
/// subagents have their own messages; limits, hooks and retries are not shown.
pub(super) fn message(update: &ProgressUpdate, conversation_id: &str) -> Option<MobileMessage> {
    let counts = match update.source {
        ProgressSource::Todo | ProgressSource::Prose | ProgressSource::ToolOutput => true,
        ProgressSource::TaskEvent => update.kind == WorkKind::Workflow,
        _ => false,
    };
    if !counts {
        return None;
    }
    let progress = steps(update)?;
    if update.lane.is_main() {
        return Some(MobileMessage::ProgressUpdate(progress));
    }
    let lane = &update.lane;
    Some(MobileMessage::SubAgentProgress(SubAgentProgress {
        agent_id: lane.task_id.as_deref().unwrap_or(lane.id()).to_owned(),
        agent_name: lane.name.clone().unwrap_or_default(),
        status: crate::ui_message::TaskStatus::Running,
        current_step: format!(
            "{} ({} of {})",
            progress.current_step, progress.completed_steps, progress.total_steps
        ),
        tool_uses: None,
        conversation_id: conversation_id.to_owned(),
    }))
}

/// The numbers of an update; `None` if it has none.
fn steps(update: &ProgressUpdate) -> Option<ProgressUpdateMessage> {
    let percentage = update.percent?.get();
    let (completed_steps, total_steps) = match (update.done, update.total) {
        (Some(done), Some(total)) => (whole(done.get()), whole(total.get())),
        _ => (whole(percentage), 100),
    };
    Some(ProgressUpdateMessage {
        current_step: match update.label.as_deref() {
            // The label names what is counted, not the work.
            Some("test" | "tests") if update.kind == WorkKind::TestRun => words(&update.kind),
            Some(label) => label,
            None => words(&update.kind),
        }
        .to_owned(),
        completed_steps,
        total_steps,
        percentage,
    })
}

/// Rounds to a whole number. Casts saturate.
fn whole(amount: f64) -> u64 {
    amount.round() as u64
}

fn words(kind: &WorkKind) -> &'static str {
    match kind {
        WorkKind::TestRun => "Running tests",
        WorkKind::Checklist => "Working through a list",
        WorkKind::Subagent => "Waiting for subagents",
        WorkKind::Workflow => "Running a workflow",
        _ => "Working",
    }
}
