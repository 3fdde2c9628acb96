//! The members of the vendor's message union and how a stdout line shows which one it is.

use std::collections::BTreeSet;

use super::{frame, json_text};

/// Union member and the kind that names it on the wire.
pub(super) const MEMBERS: [(&str, &str); 41] = [
    ("SDKAssistantMessage", "assistant"),
    ("SDKUserMessage", "user"),
    ("SDKUserMessageReplay", "user (replay)"),
    ("SDKResultSuccess", "result/success"),
    ("SDKResultError", "result/error"),
    ("SDKSystemMessage", "system/init"),
    ("SDKPartialAssistantMessage", "stream_event"),
    ("SDKCompactBoundaryMessage", "system/compact_boundary"),
    ("SDKStatusMessage", "system/status"),
    ("SDKAPIRetryMessage", "system/api_retry"),
    (
        "SDKControlRequestProgressMessage",
        "system/control_request_progress",
    ),
    (
        "SDKModelRefusalFallbackMessage",
        "system/model_refusal_fallback",
    ),
    (
        "SDKModelRefusalNoFallbackMessage",
        "system/model_refusal_no_fallback",
    ),
    (
        "SDKLocalCommandOutputMessage",
        "system/local_command_output",
    ),
    ("SDKHookStartedMessage", "system/hook_started"),
    ("SDKHookProgressMessage", "system/hook_progress"),
    ("SDKHookResponseMessage", "system/hook_response"),
    ("SDKPluginInstallMessage", "system/plugin_install"),
    ("SDKToolProgressMessage", "tool_progress"),
    ("SDKAuthStatusMessage", "auth_status"),
    ("SDKTaskNotificationMessage", "system/task_notification"),
    ("SDKTaskStartedMessage", "system/task_started"),
    ("SDKTaskUpdatedMessage", "system/task_updated"),
    ("SDKTaskProgressMessage", "system/task_progress"),
    (
        "SDKBackgroundTasksChangedMessage",
        "system/background_tasks_changed",
    ),
    ("SDKThinkingTokensMessage", "system/thinking_tokens"),
    (
        "SDKSessionStateChangedMessage",
        "system/session_state_changed",
    ),
    (
        "SDKWorkerShuttingDownMessage",
        "system/worker_shutting_down",
    ),
    ("SDKCommandsChangedMessage", "system/commands_changed"),
    ("SDKNotificationMessage", "system/notification"),
    ("SDKFilesPersistedEvent", "system/files_persisted"),
    ("SDKToolUseSummaryMessage", "tool_use_summary"),
    ("SDKMemoryRecallMessage", "system/memory_recall"),
    ("SDKRateLimitEvent", "rate_limit_event"),
    (
        "SDKElicitationCompleteMessage",
        "system/elicitation_complete",
    ),
    ("SDKPermissionDeniedMessage", "system/permission_denied"),
    ("SDKPromptSuggestionMessage", "prompt_suggestion"),
    ("SDKMirrorErrorMessage", "system/mirror_error"),
    ("SDKInformationalMessage", "system/informational"),
    ("SDKConversationResetMessage", "conversation_reset"),
    ("SDKSessionWritesLostMessage", "system/session_writes_lost"),
];

/// The union members that these lines show.
pub(super) fn seen<'a>(lines: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'static str> {
    lines.into_iter().filter_map(member).collect()
}

fn member(line: &str) -> Option<&'static str> {
    let mut kind = frame::kind(line);
    if kind == "user" && is_replay(line) {
        kind = "user (replay)".to_owned();
    } else if kind.starts_with("result/error") {
        kind = "result/error".to_owned();
    } else if kind.starts_with("stream_event/") {
        kind = "stream_event".to_owned();
    }
    MEMBERS
        .iter()
        .find(|(_, wire)| *wire == kind)
        .map(|(name, _)| *name)
}

fn is_replay(line: &str) -> bool {
    let mut replay = false;
    json_text::visit(line, &mut |v| {
        replay |= v.path == "isReplay" && v.text == "true";
    });
    replay
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_told_apart() {
        let lines = [
            r#"{"type":"user","isReplay":true}"#,
            r#"{"type":"result","subtype":"error_max_turns"}"#,
            r#"{"type":"stream_event","event":{"type":"message_stop"}}"#,
            r#"{"type":"system","subtype":"never_heard_of"}"#,
        ];
        let seen: Vec<_> = seen(lines).into_iter().collect();
        assert_eq!(
            seen,
            [
                "SDKPartialAssistantMessage",
                "SDKResultError",
                "SDKUserMessageReplay"
            ]
        );
    }
}
