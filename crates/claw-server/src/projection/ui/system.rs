//! Other messages of the CLI, as text.

use rusty_claw_protocol::messages::{
    Message, RateLimitInfo, SessionState, SystemMessage, ToolProgressMessage,
};

use super::super::task::TaskNews;
use crate::progress::call_of;
use crate::ui_message::{SessionPhase, UiMessage};

/// Maximum length of unrecognized text, in characters.
pub(in super::super) const SHOWN: usize = 200;

/// Converts a message for the user or the operator, or drops it.
pub(super) fn message(message: &Message, session_id: i64, messages: &mut Vec<UiMessage>) {
    let display = |content: &str| UiMessage::Display {
        content: content.to_owned(),
        session_id,
    };
    let told = |message: String| UiMessage::System {
        message,
        session_id: Some(session_id),
    };
    messages.push(match message {
        Message::System(SystemMessage::LocalCommandOutput(said)) => display(&said.content),
        Message::System(SystemMessage::Informational(said)) => display(&said.content),
        Message::System(SystemMessage::Notification(said)) => display(&said.text),
        Message::System(SystemMessage::SessionStateChanged(said)) => UiMessage::SessionState {
            state: match &said.state {
                SessionState::Idle => SessionPhase::Idle,
                SessionState::Running => SessionPhase::Running,
                SessionState::RequiresAction => SessionPhase::WaitingForUser,
                other => SessionPhase::from(other.as_str()),
            },
            detail: None,
            session_id,
        },
        Message::System(system) => {
            if let Some(task) = TaskNews::of(system) {
                messages.push(task_progress(&task, session_id));
                return;
            }
            if let Some(message) = trouble(system) {
                messages.push(UiMessage::Error {
                    message,
                    session_id: Some(session_id),
                });
                return;
            }
            match words(system).filter(|words| !words.is_empty()) {
                Some(words) => told(words),
                None => return,
            }
        }
        Message::ToolProgress(said) => match tool_progress(said, session_id) {
            Some(message) => message,
            None => return,
        },
        Message::RateLimitEvent(said) => limit(&said.rate_limit_info, session_id),
        Message::ToolUseSummary(said) => told(said.summary.clone()),
        Message::PromptSuggestion(said) => told(format!("suggestion: {}", said.suggestion)),
        Message::AuthStatus(said) => match &said.error {
            Some(error) => UiMessage::Error {
                message: error.clone(),
                session_id: Some(session_id),
            },
            None => told(format!("authentication: {}", said.output.join(" "))),
        },
        Message::ConversationReset(_) => told("the conversation was cleared".to_owned()),
        Message::ActiveGoal(said) => told(match &said.value {
            Some(goal) => format!("goal: {}", goal.condition),
            None => "no goal".to_owned(),
        }),
        Message::Unknown(unknown) => told(format!("new: {}", shortened(&unknown.name))),
        Message::CompactSystem(_) => told("compacted".to_owned()),
        // Receipts have their own events; the rest is not in a log.
        _ => return,
    });
}

/// The progress of a call; `None` if the line names no call.
fn tool_progress(said: &ToolProgressMessage, session_id: i64) -> Option<UiMessage> {
    Some(UiMessage::ToolProgress {
        tool_use_id: call_of(said)?.as_str().to_owned(),
        tool_name: said.tool_name.as_str().to_owned(),
        // Casts saturate, and NaN becomes 0.
        elapsed_ms: (said.elapsed_time_seconds * 1000.0) as u64,
        session_id,
    })
}

fn task_progress(task: &TaskNews<'_>, session_id: i64) -> UiMessage {
    let text = |text: &str| text.to_owned();
    UiMessage::TaskProgress {
        task_id: task.task_id.to_owned(),
        tool_use_id: task.tool_use_id.map(text),
        status: task.status.clone(),
        description: task.description.to_owned(),
        subagent_type: task.subagent_type.map(text),
        tool_uses: task.usage.map(|usage| usage.tool_uses),
        total_tokens: task.usage.map(|usage| usage.total_tokens),
        duration_ms: task.usage.map(|usage| usage.duration_ms),
        last_tool: task.last_tool.map(text),
        session_id,
    }
}

fn limit(info: &RateLimitInfo, session_id: i64) -> UiMessage {
    UiMessage::UsageLimit {
        limit: info
            .rate_limit_type
            .as_ref()
            .map(|limit| limit.as_str().to_owned()),
        status: info.status.as_str().to_owned(),
        used_percent: info.utilization.map(|used| (used * 100.0).round() as u64),
        resets_at_ms: info
            .resets_at
            .and_then(|seconds| i64::try_from(seconds).ok())
            .map(|seconds| seconds.saturating_mul(1000)),
        session_id,
    }
}

/// Errors after which the session may continue.
fn trouble(system: &SystemMessage) -> Option<String> {
    Some(match system {
        SystemMessage::ApiRetry(retry) => {
            let status = retry.error_status.map(|status| format!(" {status}"));
            format!(
                "the API failed:{} {}; attempt {} of {}, the next in {} ms",
                status.unwrap_or_default(),
                retry.error.as_str(),
                retry.attempt,
                retry.max_retries,
                retry.retry_delay_ms
            )
        }
        SystemMessage::SessionWritesLost(lost) => format!(
            "the session could not be written to disk: {}",
            lost.error_code.as_str()
        ),
        SystemMessage::MirrorError(_) => "the session could not be mirrored".to_owned(),
        _ => return None,
    })
}

/// Information for the operator; `None` if there is none.
fn words(system: &SystemMessage) -> Option<String> {
    Some(match system {
        SystemMessage::Init { details, tools, .. } => {
            let model = details.model.as_deref().unwrap_or("unknown");
            let mode = details.permission_mode.as_ref();
            let mode = mode.map_or("unknown", |mode| mode.as_str());
            format!("model {model}, mode {mode}, {} tools", tools.len())
        }
        SystemMessage::CompactBoundary {
            compact_metadata, ..
        } => match compact_metadata.as_deref() {
            Some(metadata) => match metadata.post_tokens {
                Some(after) => format!("compacted {} tokens to {after}", metadata.pre_tokens),
                None => format!("compacted {} tokens", metadata.pre_tokens),
            },
            None => "compacted".to_owned(),
        },
        SystemMessage::Status(status) => {
            if let Some(error) = &status.compact_error {
                format!("not compacted: {error}")
            } else if let Some(mode) = &status.permission_mode {
                format!("mode {}", mode.as_str())
            } else {
                let status = status.status.as_ref().map(|status| status.as_str());
                status.filter(|status| *status != "requesting")?.to_owned()
            }
        }
        SystemMessage::ModelFallback(said) => said.content.clone(),
        SystemMessage::ModelRefusalFallback(said) => said.content.clone(),
        SystemMessage::ModelRefusalNoFallback(said) => said.content.clone(),
        SystemMessage::PermissionDenied(said) => {
            format!("{} was denied: {}", said.tool_name, said.message)
        }
        SystemMessage::HookStarted(hook) => format!("hook {} began", hook.hook_name),
        SystemMessage::HookProgress(hook) => format!("hook {} runs", hook.hook_name),
        SystemMessage::HookResponse(hook) => {
            format!("hook {} ended: {}", hook.hook_name, hook.outcome.as_str())
        }
        SystemMessage::SessionTitleChanged(said) => format!("title: {}", said.title),
        SystemMessage::BackgroundTasksChanged(said) => {
            format!("background tasks: {}", said.tasks.len())
        }
        SystemMessage::WorkerShuttingDown(said) => format!("shutting down: {}", said.reason),
        // An estimate while the model thinks; the message has the final count.
        SystemMessage::ThinkingTokens(_) => return None,
        other => shortened(other.tag()),
    })
}

/// Truncates untrusted text to [`SHOWN`] characters.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
