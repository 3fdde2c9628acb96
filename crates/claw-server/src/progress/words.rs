//! What is said and printed, where nothing better counts.

use super::lanes::Lanes;
use super::lists::Lists;
use super::tracker::Taker;
use super::{ProgressKind, ProgressParser, ProgressState, ProseProgress, TextOrigin};
use crate::event::{Amount, Lane, ProgressSource, ProgressUpdate, WorkKind};
use crate::ui_message::TaskStatus;

/// The agent of a lane says something.
pub(super) fn said(lists: &Lists, lanes: &Lanes, lane: Lane, text: &str, taker: &mut Taker<'_>) {
    if lists.counts(&lane, taker.subjects.turns()) {
        return;
    }
    let Some(read) = ProgressParser::new().parse(text, TextOrigin::Prose) else {
        return;
    };
    if read.kind == ProgressKind::Subagent && lanes.has_agents {
        return;
    }
    let kind = kind(read.kind);
    let subject = format!("said/{kind}");
    taker.take(
        update(subject, kind, ProgressSource::Prose, read, lane),
        None,
    );
}

/// A command of a lane printed something.
pub(super) fn printed(
    lists: &Lists,
    lanes: &Lanes,
    lane: Lane,
    subject: String,
    text: &str,
    taker: &mut Taker<'_>,
) {
    if lists.counts(&lane, taker.subjects.turns()) {
        return;
    }
    let Some(read) = ProgressParser::new().parse(text, TextOrigin::ToolOutput) else {
        return;
    };
    if read.kind == ProgressKind::Subagent && lanes.has_agents {
        return;
    }
    let kind = kind(read.kind);
    taker.take(
        update(subject, kind, ProgressSource::ToolOutput, read, lane),
        None,
    );
}

fn kind(kind: ProgressKind) -> WorkKind {
    match kind {
        ProgressKind::TestRun => WorkKind::TestRun,
        ProgressKind::Checklist => WorkKind::Checklist,
        ProgressKind::Step => WorkKind::Step,
        ProgressKind::Subagent => WorkKind::Subagent,
        ProgressKind::Count => WorkKind::Count,
        ProgressKind::Percent => WorkKind::Percent,
        ProgressKind::Other => WorkKind::Task,
    }
}

fn update(
    subject: String,
    kind: WorkKind,
    source: ProgressSource,
    read: ProseProgress,
    lane: Lane,
) -> ProgressUpdate {
    let mut update = ProgressUpdate::new(subject, kind, source).in_lane(lane);
    let amount = |number: Option<f64>| number.and_then(Amount::new);
    update.done = amount(read.done);
    update.total = amount(read.total);
    update.percent = amount(read.percent).or_else(|| {
        let share = update.done?.percent_of(update.total?)?;
        Amount::rounded(share.get())
    });
    update.label = read.label.filter(|label| !label.is_empty());
    update.confidence = Amount::rounded(f64::from(read.confidence).min(1.0)).unwrap_or_default();
    update.state = match read.state {
        ProgressState::Running | ProgressState::Other => TaskStatus::Running,
        ProgressState::Finished => TaskStatus::Completed,
        ProgressState::Failed => TaskStatus::Failed,
    };
    update
}
