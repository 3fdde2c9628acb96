//! Progress parsed from text and output, in lanes without an active list.

use super::lanes::Lanes;
use super::lists::Lists;
use super::update_sink::UpdateSink;
use super::{ProgressKind, ProgressParser, ProgressState, ProseProgress, TextOrigin};
use crate::event::{Amount, Lane, ProgressSource, ProgressUpdate, WorkKind};
use crate::ui_message::TaskStatus;

/// Parses the text of a lane's agent, or the output of its command, which has a subject.
pub(super) fn read(
    lists: &Lists,
    lanes: &Lanes,
    lane: Lane,
    text: &str,
    output: Option<String>,
    sink: &mut UpdateSink<'_>,
) {
    if !sink.parses || lists.counts(&lane, sink.subjects.turns()) {
        return;
    }
    let (origin, source) = match output {
        None => (TextOrigin::Prose, ProgressSource::Prose),
        Some(_) => (TextOrigin::ToolOutput, ProgressSource::ToolOutput),
    };
    let Some(read) = ProgressParser::new().parse(text, origin) else {
        return;
    };
    if read.kind == ProgressKind::Subagent && lanes.has_agents {
        return;
    }
    let kind = kind(read.kind);
    let subject = output.unwrap_or_else(|| format!("said/{kind}"));
    sink.take(update(subject, kind, source, read, lane), None);
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
