//! The members of lines that are known.

use std::sync::LazyLock;

use super::ids;

macro_rules! members {
    (kept { $($kept:ident = $kept_name:literal,)* } known { $($known:literal,)* }) => {
        /// A member whose value the checks look at.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Member {
            $($kept,)*
        }

        /// How many there are.
        pub(super) const KEPT: usize = [$($kept_name,)*].len();

        /// What a name stands for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Named {
            /// Looked at.
            Kept(Member),
            /// Only known to exist.
            Known,
            /// New.
            Unknown,
        }

        impl Member {
            pub(super) fn name(self) -> &'static str {
                match self {
                    $(Self::$kept => $kept_name,)*
                }
            }
        }

        /// All names that are known.
        const NAMES: &[(&str, Named)] = &[
            $(($kept_name, Named::Kept(Member::$kept)),)*
            $(($known, Named::Known),)*
        ];
    };
}

/// Twice as many places as names at the least, so that most names are alone in theirs.
pub(super) const PLACES: usize = 512;

/// The names by their hash, each in the first free place from there on. There are twenty names in a
/// line: comparing each with two hundred would take as long as reading the line.
static BY_HASH: LazyLock<[Option<(&str, Named)>; PLACES]> = LazyLock::new(|| {
    let mut places = [None; PLACES];
    for known in NAMES {
        let mut at = place_of(known.0);
        while places[at].is_some() {
            at = (at + 1) % PLACES;
        }
        places[at] = Some(*known);
    }
    places
});

fn place_of(name: &str) -> usize {
    (ids::number(name) >> 32) as usize % PLACES
}

impl Named {
    #[cfg(test)]
    pub(super) fn of(name: &str) -> Self {
        Self::find(name).0
    }

    /// The member of this name, and the index in the table where the search ended. For a known
    /// name, the index is its own.
    pub(super) fn find(name: &str) -> (Self, usize) {
        let places = &*BY_HASH;
        let mut at = place_of(name);
        while let Some((known, named)) = places[at] {
            if known == name {
                return (named, at);
            }
            at = (at + 1) % PLACES;
        }
        (Self::Unknown, at)
    }
}

members! {
    kept {
        Type = "type",
        Uuid = "uuid",
        Parent = "parentUuid",
        LogicalParent = "logicalParentUuid",
        Timestamp = "timestamp",
        Session = "sessionId",
        StreamSession = "session_id",
        Sidechain = "isSidechain",
        Agent = "agentId",
        Version = "version",
        Subtype = "subtype",
        UserType = "userType",
        Message = "message",
        Content = "content",
        ToolName = "toolName",
        ToolArguments = "toolArguments",
        Metadata = "metadata",
        CompactMetadata = "compactMetadata",
        Attachment = "attachment",
        ForkedFrom = "forkedFrom",
        RequestRef = "requestRef",
        QuerySource = "querySource",
        Id = "id",
        Base = "base",
        ShapeHash = "shapeHash",
        Shape = "shape",
        Hash = "hash",
        Meta = "isMeta",
        Error = "isError",
        Aborted = "isAborted",
        AbortedMidStream = "isAbortedMidStream",
        Deleted = "isDeleted",
        ApiError = "isApiErrorMessage",
        Interrupted = "interruptedMessageId",
        Command = "command",
        Operation = "operation",
        Mode = "mode",
        PermissionMode = "permissionMode",
        CustomTitle = "customTitle",
        AiTitle = "aiTitle",
        AgentName = "agentName",
        Tag = "tag",
        Summary = "summary",
        Leaf = "leafUuid",
        MessageId = "messageId",
        Snapshot = "snapshot",
    }
    known {
        "agentColor", "agentSetting", "apiBlockIndex", "apiError", "apiErrorStatus",
        "apiErrorType", "apiRefusalCategory", "apiRefusalExplanation", "atis",
        "attributionAgent", "attributionMcpServer", "attributionMcpTool", "attributionPlugin",
        "attributionSkill", "backup", "cacheControl", "commandName", "commandOutcome",
        "commandRun", "commandUuid", "contextUsage", "continuedInSessionId", "cwd", "data",
        "deliveryId", "direction", "effort", "entrypoint", "error", "errorDetails",
        "failedResponseHadNoToolCall", "fallbackModel", "gitBranch", "hasOutput",
        "hasUnknownModelCost", "holdsPersonsWords", "hookAdditionalContext", "hookCount",
        "hookErrors", "hookInfos", "imagePasteIds", "interruptedByShutdown",
        "isCompactSummary", "isReplay", "isSnapshotUpdate", "isSynthetic",
        "isVisibleInTranscriptOnly", "keep", "key", "label", "lastPrompt", "level", "madeBy",
        "maxRetries", "mcpCallNotReadOnly", "mcpMeta", "mergedSendUuids", "modelUsage",
        "origin", "originalModel", "params", "parentToolUseID", "parent_tool_use_id",
        "perTurnEffort", "permissionDecision", "planContent", "prNumber", "prRepository",
        "prUrl", "preventContinuation", "preventedContinuation", "promptCacheRequested",
        "promptId", "promptSource", "promptSubmitEnding", "queueSkipAttachments",
        "queueSkipSlashCommands", "queueTranscriptOnly", "reason", "refusedMessageId",
        "refusedUserMessageUuid", "refusingModel", "relocatedCwd", "remoteControlDeviceReport",
        "rendered", "renderedBesideToolResult", "renderedRole", "replacements",
        "requestDigest", "requestId", "requestedModel", "result", "retractedMessageUuids",
        "retryAttempt", "retryInMs", "sandboxed", "scope", "serverClassifierRequest",
        "sessionKind", "sessions", "slug", "snapshotMessageId", "source",
        "sourceToolAssistantUUID", "sourceToolUseID", "startTime", "stopReason", "submitUuid",
        "summarizedTurnPromptUuids", "supersedesUuids", "tail", "teamName", "thinkingDisplay",
        "thinkingDurationMs", "thinkingMetadata", "todos", "toolDenialKind",
        "toolDenialUnanswered", "toolEndsTurn", "toolInputStreamMs", "toolUseID",
        "toolUseResult", "tool_use_result", "tools", "totalAPIDuration",
        "totalAPIDurationWithoutRetries", "totalCostUSD", "totalDuration", "totalLinesAdded",
        "totalLinesRemoved", "totalToolDuration", "trackingPath", "trigger",
        "turnAttributionKey", "turnCompanion", "turnOrigin", "turnPosition",
        "cause", "durationMs", "messageCount", "microcompactMetadata", "worktreeSession",
    }
}

/// Subtypes of `system` lines on disk.
pub(super) fn is_known_subtype(subtype: &str) -> bool {
    matches!(
        subtype,
        "agents_killed"
            | "api_error"
            | "away_summary"
            | "bridge_status"
            | "compact_boundary"
            | "file_snapshot"
            | "informational"
            | "init"
            | "local_command"
            | "memory_saved"
            | "microcompact_boundary"
            | "model_consent_fallback"
            | "model_fallback"
            | "model_refusal_fallback"
            | "model_refusal_no_fallback"
            | "permission_retry"
            | "scheduled_task_fire"
            | "session_writes_lost"
            | "status"
            | "stop_hook_summary"
            | "thinking"
            | "turn_duration"
    )
}

/// Types of attachments.
pub(super) fn is_known_attachment(kind: &str) -> bool {
    matches!(
        kind,
        "agent_listing_delta"
            | "agent_mention"
            | "already_read_file"
            | "async_hook_response"
            | "at_mention_reference"
            | "auto_mode"
            | "auto_mode_exit"
            | "bash_command"
            | "batching_reminder"
            | "command_permissions"
            | "compact_file_reference"
            | "coordinator_context"
            | "critical_system_reminder"
            | "date"
            | "date_change"
            | "deferred_tools_delta"
            | "deferred_tools_record"
            | "diagnostics"
            | "directory"
            | "dynamic_skill"
            | "edited_image_file"
            | "edited_text_file"
            | "elapsed_time_reminder"
            | "environment"
            | "file"
            | "goal_status"
            | "hook_additional_context"
            | "hook_blocking_error"
            | "hook_cancelled"
            | "hook_error_during_execution"
            | "hook_non_blocking_error"
            | "hook_permission_decision"
            | "hook_stopped_continuation"
            | "hook_success"
            | "hook_system_message"
            | "host_context"
            | "image"
            | "invoked_skills"
            | "max_turns_reached"
            | "mcp_dropped_tools_delta"
            | "mcp_instructions_delta"
            | "mcp_resource"
            | "model"
            | "nested_memory"
            | "new_directories"
            | "opened_file_in_ide"
            | "output_style"
            | "pdf_reference"
            | "plan_file_reference"
            | "plan_mode"
            | "plan_mode_exit"
            | "plan_mode_reentry"
            | "prompt_snapshot"
            | "queued_command"
            | "relevant_memories"
            | "remote_session_change"
            | "selected_lines_in_ide"
            | "session_context"
            | "silent_turn_reminder"
            | "skill_listing"
            | "structured_output"
            | "task_reminder"
            | "task_status"
            | "team_context"
            | "todo_reminder"
            | "total_tokens_reminder"
            | "ultra_effort_exit"
            | "unknown_command_fallback"
            | "withheld_memory"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_no_other() {
        assert!(NAMES.len() * 2 <= PLACES, "{} names", NAMES.len());
        for (index, (name, named)) in NAMES.iter().enumerate() {
            assert_eq!(Named::of(name), *named, "{name}");
            let before = &NAMES[..index];
            assert!(before.iter().all(|(other, _)| other != name), "{name}");
            assert_eq!(Named::of(&format!("{name}s")), Named::Unknown);
        }
        assert_eq!(Named::of(""), Named::Unknown);
        assert_eq!(Named::of("messag"), Named::Unknown);
    }
}
