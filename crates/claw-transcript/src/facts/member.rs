//! The members that lines are known to have.

use std::sync::LazyLock;

use crate::id_hash;

macro_rules! members {
    (kept { $($kept:ident = $kept_name:literal,)* } known { $($known:literal,)* }) => {
        /// A member whose value is kept.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Member {
            $($kept,)*
        }

        /// The number of kept members.
        pub(crate) const KEPT: usize = [$($kept_name,)*].len();

        /// The meaning of a name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Named {
            /// Its value is kept.
            Kept(Member),
            /// Known; its value is not kept.
            Known,
            /// Not known.
            Unknown,
        }

        impl Member {
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$kept => $kept_name,)*
                }
            }
        }

        /// All known names.
        const NAMES: &[(&str, Named)] = &[
            $(($kept_name, Named::Kept(Member::$kept)),)*
            $(($known, Named::Known),)*
        ];
    };
}

/// Size of the table: at least twice the number of names, so that few names share a slot.
pub(crate) const SLOTS: usize = 512;

/// The names by hash, with linear probing. A line has twenty names: comparing each with two hundred
/// would take as long as reading the line.
static BY_HASH: LazyLock<[Option<(&str, Named)>; SLOTS]> = LazyLock::new(|| {
    let mut slots = [None; SLOTS];
    for known in NAMES {
        let mut at = slot_of(known.0);
        while slots[at].is_some() {
            at = (at + 1) % SLOTS;
        }
        slots[at] = Some(*known);
    }
    slots
});

fn slot_of(name: &str) -> usize {
    (id_hash::hash(name) >> 32) as usize % SLOTS
}

impl Named {
    #[cfg(test)]
    pub(crate) fn of(name: &str) -> Self {
        Self::find(name).0
    }

    /// The member of this name, and the index in the table where the search ended. For a known
    /// name, the index is its own.
    pub(crate) fn find(name: &str) -> (Self, usize) {
        let slots = &*BY_HASH;
        let mut at = slot_of(name);
        while let Some((known, named)) = slots[at] {
            if known == name {
                return (named, at);
            }
            at = (at + 1) % SLOTS;
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
        RequestId = "requestId",
        Cwd = "cwd",
        GitBranch = "gitBranch",
        AgentType = "attributionAgent",
        CompactSummary = "isCompactSummary",
        ToolUseResult = "toolUseResult",
        StreamToolUseResult = "tool_use_result",
        BlockIndex = "apiBlockIndex",
        Team = "teamName",
        Origin = "origin",
        PromptId = "promptId",
        PromptSource = "promptSource",
        TotalCost = "totalCostUSD",
        StartTime = "startTime",
        ModelUsage = "modelUsage",
        SourceAssistant = "sourceToolAssistantUUID",
    }
    known {
        "agentColor", "agentSetting", "apiError", "apiErrorStatus",
        "apiErrorType", "apiRefusalCategory", "apiRefusalExplanation", "atis",
        "attributionMcpServer", "attributionMcpTool", "attributionPlugin",
        "attributionSkill", "backup", "cacheControl", "commandName", "commandOutcome",
        "commandRun", "commandUuid", "contextUsage", "continuedInSessionId", "data",
        "deliveryId", "direction", "effort", "entrypoint", "error", "errorDetails",
        "failedResponseHadNoToolCall", "fallbackModel", "hasOutput",
        "hasUnknownModelCost", "holdsPersonsWords", "hookAdditionalContext", "hookCount",
        "hookErrors", "hookInfos", "imagePasteIds", "interruptedByShutdown",
        "isReplay", "isSnapshotUpdate", "isSynthetic",
        "isVisibleInTranscriptOnly", "keep", "key", "label", "lastPrompt", "level", "madeBy",
        "maxRetries", "mcpCallNotReadOnly", "mcpMeta", "mergedSendUuids",
        "originalModel", "params", "parentToolUseID", "parent_tool_use_id",
        "perTurnEffort", "permissionDecision", "planContent", "prNumber", "prRepository",
        "prUrl", "preventContinuation", "preventedContinuation", "promptCacheRequested",
        "promptSubmitEnding", "queueSkipAttachments",
        "queueSkipSlashCommands", "queueTranscriptOnly", "reason", "refusedMessageId",
        "refusedUserMessageUuid", "refusingModel", "relocatedCwd", "remoteControlDeviceReport",
        "rendered", "renderedBesideToolResult", "renderedRole", "replacements",
        "requestDigest", "requestedModel", "result", "retractedMessageUuids",
        "retryAttempt", "retryInMs", "sandboxed", "scope", "serverClassifierRequest",
        "sessionKind", "sessions", "slug", "snapshotMessageId", "source",
        "sourceToolUseID", "stopReason", "submitUuid",
        "summarizedTurnPromptUuids", "supersedesUuids", "tail", "thinkingDisplay",
        "thinkingDurationMs", "thinkingMetadata", "todos", "toolDenialKind",
        "toolDenialUnanswered", "toolEndsTurn", "toolInputStreamMs", "toolUseID",
        "tools", "totalAPIDuration",
        "totalAPIDurationWithoutRetries", "totalDuration", "totalLinesAdded",
        "totalLinesRemoved", "totalToolDuration", "trackingPath", "trigger",
        "turnAttributionKey", "turnCompanion", "turnOrigin", "turnPosition",
        "cause", "durationMs", "messageCount", "microcompactMetadata", "worktreeSession",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_no_other() {
        assert!(NAMES.len() * 2 <= SLOTS, "{} names", NAMES.len());
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
