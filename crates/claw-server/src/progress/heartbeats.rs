//! Heartbeats of running tools: the CLI's `tool_progress` messages.

use rusty_claw_protocol::Str;
use rusty_claw_protocol::messages::ToolProgressMessage;

use super::lanes::Lanes;
use super::status::{RETRY, hook_event};
use super::tasks::call_subject;
use super::update_sink::UpdateSink;
use crate::event::{Lane, ProgressSource, ProgressUpdate, Regression, WorkKind};
use crate::ui_message::TaskStatus;

/// The call that a line refers to.
///
/// A heartbeat has its own id, and the call as its parent. So has a line about a subagent's
/// retries, whose own id is that of the calling message; without a parent it names no call.
pub(crate) fn call_of(said: &ToolProgressMessage) -> Option<&Str> {
    let parent = said.parent_tool_use_id.as_ref();
    if is_attempt(said) {
        return parent;
    }
    match parent {
        Some(parent) if said.tool_use_id.contains("-heartbeat-") => Some(parent),
        _ => Some(&said.tool_use_id),
    }
}

/// Whether a line reports that a subagent retries an API request, or no longer has to.
fn is_attempt(said: &ToolProgressMessage) -> bool {
    let has_parent = said.parent_tool_use_id.is_some();
    said.subagent_retry.is_some() || (said.tool_use_id.starts_with("agent_") && has_parent)
}

pub(super) fn heard(lanes: &Lanes, said: &ToolProgressMessage, sink: &mut UpdateSink<'_>) {
    let call = call_of(said).unwrap_or(&said.tool_use_id);
    if is_attempt(said) {
        return attempted(lanes, call, said, sink);
    }
    // Casts saturate, and NaN becomes 0.
    let elapsed_ms = (said.elapsed_time_seconds * 1000.0) as u64;
    if said.tool_use_id.starts_with("hook-") {
        return hooked(lanes.of_call(call), call, said, elapsed_ms, sink);
    }
    let task = said.task_id.as_ref().and_then(|id| lanes.task(id));
    let (lane, subject, kind) = match task {
        Some(task) => (task.lane.clone(), task.subject.clone(), task.kind.clone()),
        None => {
            let (lane, subject) = (lanes.of_work(call), call_subject(call));
            let known = sink.kind_of(&lane, &subject);
            (lane, subject, known.unwrap_or(WorkKind::Tool))
        }
    };
    let mut update = ProgressUpdate::new(subject, kind, ProgressSource::ToolProgress)
        .in_lane(lane)
        .label(said.tool_name.as_str());
    // The label of the task is better.
    if sink.has_label(&update) {
        update.label = None;
    }
    update.elapsed_ms = Some(elapsed_ms);
    sink.take(update, None);
}

/// A subagent retries an API request, or no longer has to.
fn attempted(lanes: &Lanes, call: &Str, said: &ToolProgressMessage, sink: &mut UpdateSink<'_>) {
    let lane = lanes.of_parent(Some(call));
    let Some(retry) = &said.subagent_retry else {
        sink.end(&lane, RETRY, TaskStatus::Completed);
        return;
    };
    let last = sink.subjects.last(lane.id(), RETRY);
    let goes_on = last.is_some_and(|last| !last.is_over());
    let mut update = ProgressUpdate::new(RETRY, WorkKind::Retry, ProgressSource::ToolProgress)
        .in_lane(lane)
        .detail(retry.error_category.as_str())
        .counted(retry.attempt, retry.max_retries);
    // The number of attempts is not a measure of progress.
    update.percent = None;
    sink.take(update, goes_on.then_some(Regression::Retried));
}

/// The hooks of an event still run for a call. If one open hook of that event has its own messages,
/// it is updated; if several have, the heartbeat is ignored.
fn hooked(
    lane: Lane,
    call: &str,
    said: &ToolProgressMessage,
    elapsed_ms: u64,
    sink: &mut UpdateSink<'_>,
) {
    let event = said.tool_name.as_str();
    let is_told = |last: &&ProgressUpdate| {
        last.kind == WorkKind::Hook && !is_of_call(last) && hook_event(last) == Some(event)
    };
    let told: Vec<&ProgressUpdate> = sink.subjects.open().filter(is_told).collect();
    let mut update = match told[..] {
        [hook] => hook.clone(),
        [_, _, ..] => return,
        [] => {
            let subject = format!("hook/{call}/{event}");
            ProgressUpdate::new(subject, WorkKind::Hook, ProgressSource::ToolProgress)
                .in_lane(lane)
                .label(event)
        }
    };
    update.source = ProgressSource::ToolProgress;
    update.elapsed_ms = Some(elapsed_ms);
    sink.take(update, None);
}

/// Whether a hook is known only from heartbeats, and thus by its call.
fn is_of_call(hook: &ProgressUpdate) -> bool {
    let name = hook.subject.strip_prefix("hook/");
    name.is_some_and(|name| name.contains('/'))
}

/// Ends the hooks of a call that are known only from heartbeats.
pub(super) fn call_ended(call: &str, sink: &mut UpdateSink<'_>) {
    let is_of = |last: &ProgressUpdate| {
        let rest = last.subject.strip_prefix("hook/");
        let rest = rest.and_then(|rest| rest.strip_prefix(call));
        rest.is_some_and(|rest| rest.starts_with('/'))
    };
    sink.subjects
        .end(sink.at_ms, &TaskStatus::Completed, is_of, sink.updates);
}
