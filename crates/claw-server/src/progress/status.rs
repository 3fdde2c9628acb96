//! Status messages of the CLI: hooks, compaction, limits, retries.

use rusty_claw_protocol::messages::{
    ApiRetryMessage, CompactResult, HookOutcome, RateLimitInfo, RateLimitStatus, SessionActivity,
    StatusMessage, SystemMessage,
};

use super::update_sink::UpdateSink;
use crate::event::{Amount, ProgressSource, ProgressUpdate, Regression, WorkKind};
use crate::ui_message::TaskStatus;

pub(super) const RETRY: &str = "retry";

/// A hook began, continues, or ended.
pub(super) fn hook(message: &SystemMessage, sink: &mut UpdateSink<'_>) {
    let hook = |id: &str, name: &str| {
        ProgressUpdate::new(format!("hook/{id}"), WorkKind::Hook, ProgressSource::Hook).label(name)
    };
    let update = match message {
        SystemMessage::HookStarted(said) => hook(&said.hook_id, &said.hook_name),
        SystemMessage::HookProgress(said) => {
            hook(&said.hook_id, &said.hook_name).detail(last_line(&said.output))
        }
        SystemMessage::HookResponse(said) => hook(&said.hook_id, &said.hook_name)
            .detail(last_line(&said.output))
            .state(match &said.outcome {
                HookOutcome::Success => TaskStatus::Completed,
                HookOutcome::Error => TaskStatus::Failed,
                HookOutcome::Cancelled => TaskStatus::Stopped,
                other => TaskStatus::from(other.as_str()),
            }),
        _ => return,
    };
    sink.take(update, None);
}

/// The event of a hook, with which its name begins (`PreToolUse:Bash`).
pub(super) fn hook_event(hook: &ProgressUpdate) -> Option<&str> {
    hook.label.as_deref()?.split(':').next()
}

fn last_line(output: &str) -> &str {
    output.trim_end().lines().next_back().unwrap_or_default()
}

fn compaction() -> ProgressUpdate {
    ProgressUpdate::new(
        "compaction",
        WorkKind::Compaction,
        ProgressSource::Compaction,
    )
}

/// Compaction began or ended.
pub(super) fn status(said: &StatusMessage, sink: &mut UpdateSink<'_>) {
    if said.status == Some(SessionActivity::Compacting) {
        sink.take(compaction(), None);
    }
    let state = match &said.compact_result {
        Some(CompactResult::Success) => TaskStatus::Completed,
        Some(CompactResult::Failed) => TaskStatus::Failed,
        _ => return,
    };
    let mut update = compaction().state(state);
    if let Some(error) = &said.compact_error {
        update = update.detail(error);
    }
    sink.take(update, None);
}

pub(super) fn compacted(tokens: Option<(u64, Option<u64>)>, sink: &mut UpdateSink<'_>) {
    let update = compaction().state(TaskStatus::Completed);
    sink.take(
        match tokens {
            Some((before, Some(after))) => update.detail(format!("{before} tokens to {after}")),
            Some((before, None)) => update.detail(format!("{before} tokens")),
            None => update,
        },
        None,
    );
}

pub(super) fn retry(said: &ApiRetryMessage, sink: &mut UpdateSink<'_>) {
    let status = said.error_status.map(|status| format!("{status} "));
    let mut update = ProgressUpdate::new(RETRY, WorkKind::Retry, ProgressSource::Retry)
        .detail(format!(
            "{}{}",
            status.unwrap_or_default(),
            said.error.as_str()
        ))
        .counted(said.attempt, said.max_retries);
    // The number of attempts is not a measure of progress.
    update.percent = None;
    sink.take(update, None);
}

pub(super) fn limit(info: &RateLimitInfo, sink: &mut UpdateSink<'_>) {
    let name = info.rate_limit_type.as_ref();
    let name = name.map_or("account", |name| name.as_str());
    let mut update = ProgressUpdate::new(
        format!("limit/{name}"),
        WorkKind::Limit,
        ProgressSource::RateLimit,
    )
    .label(name)
    .detail(info.status.as_str());
    let used = info.utilization;
    update.percent = used.and_then(|used| Amount::rounded((used * 100.0).min(100.0)));
    // With paid overage, work continues.
    if info.status == RateLimitStatus::Rejected && info.is_using_overage != Some(true) {
        update.state = TaskStatus::Paused;
    }
    sink.take(update, Some(Regression::Renewed));
}
