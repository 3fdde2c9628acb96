//! Plans and their approval.

use rusty_claw_protocol::tool::ExitPlanModeInput;

use super::lanes::Asks;
use super::results::ToolResult;
use super::update_sink::UpdateSink;
use crate::event::{Lane, ProgressSource, ProgressUpdate, WorkKind};
use crate::ui_message::TaskStatus;

fn plan(lane: Lane) -> ProgressUpdate {
    ProgressUpdate::new("plan", WorkKind::Plan, ProgressSource::Plan).in_lane(lane)
}

/// A plan awaits approval.
pub(super) fn asked(lane: Lane, asked: &ExitPlanModeInput, sink: &mut UpdateSink<'_>) {
    let lines = asked.plan.iter().flat_map(|plan| plan.lines());
    let title = lines.map(|line| line.trim_start_matches('#').trim());
    let title = title.filter(|line| !line.is_empty()).take(1);
    let update = plan(lane).state(TaskStatus::Paused);
    sink.take_all(match title.last() {
        Some(title) => Some(update.label(title)),
        None => Some(update),
    });
}

/// Planning began, or a plan was approved or rejected.
pub(super) fn answered(
    lane: Lane,
    asks: &Asks,
    result: &ToolResult<'_>,
    sink: &mut UpdateSink<'_>,
) {
    let update = match (asks, result.is_error) {
        (Asks::EnterPlan, false) => plan(lane),
        (Asks::ExitPlan, false) => plan(lane).state(TaskStatus::Completed),
        (Asks::ExitPlan, true) => plan(lane).detail(result.text.to_text()),
        _ => return,
    };
    sink.take(update, None);
}
