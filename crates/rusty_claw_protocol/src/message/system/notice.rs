//! Messages to the user, and small facts about the running turn.

use rusty_claw_macros::wire_type;

use crate::hook::HookEvent;
use crate::open_enum::open_enum;
use crate::text::Str;

/// A message to the user in the conversation.
#[wire_type]
pub struct InformationalMessage {
    /// The text.
    pub content: String,
    /// Its level.
    pub level: NoticeLevel,
    /// The related tool call.
    pub tool_use_id: Option<Str>,
    /// Whether the turn ends here.
    pub prevent_continuation: Option<bool>,
    /// A machine-readable topic.
    pub tag: Option<Str>,
    /// The outcome of the prompt's hooks.
    pub prompt_submit_outcome: Option<PromptSubmitOutcome>,
    /// Set if another model than the requested one is used.
    pub model_restriction: Option<ModelRestriction>,
    /// Set if a hook gave no verdict.
    pub hook_no_verdict: Option<HookNoVerdict>,
    /// Whether it is not part of the conversation, as in the session file.
    #[wire(name = "isMeta")]
    pub is_meta: Option<bool>,
    /// When it was created, ISO 8601.
    pub timestamp: Option<Str>,
    /// The line's id, the same as in the session file.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

open_enum! {
    /// The level of a message to the user.
    pub enum NoticeLevel {
        /// Information.
        Info = "info",
        /// A notice.
        Notice = "notice",
        /// A suggestion.
        Suggestion = "suggestion",
        /// A warning.
        Warning = "warning",
    }
}

/// The outcome of a prompt's hooks.
#[wire_type]
pub struct PromptSubmitOutcome {
    /// The kind of outcome.
    pub kind: Option<PromptSubmitKind>,
    /// Why a hook gave no verdict.
    pub no_verdict_kind: Option<Str>,
    /// Whether the prompt is in the conversation.
    pub prompt_kept: bool,
    /// The hook's reason.
    pub reason: Option<String>,
}

open_enum! {
    /// The outcome of a prompt.
    pub enum PromptSubmitKind {
        /// A hook blocked it.
        BlockedByHook = "blocked_by_hook",
        /// A hook ended the turn.
        StoppedByHook = "stopped_by_hook",
        /// A hook dropped it.
        DroppedByHook = "dropped_by_hook",
        /// It was not passed to the model.
        NotPassedOn = "not_passed_on",
        /// A hook gave no verdict.
        NoVerdict = "no_verdict",
    }
}

/// Another model than the requested one is used.
#[wire_type]
pub struct ModelRestriction {
    /// The requested model.
    pub requested_model: Str,
    /// The model in use.
    pub effective_model: Str,
    /// When it was detected: `start`, `switch`, `resume`.
    pub at: Option<Str>,
}

/// A hook gave no verdict.
#[wire_type]
pub struct HookNoVerdict {
    /// The event.
    pub hook_event: HookEvent,
    /// The related tool call.
    pub tool_use_id: Str,
    /// Whether it timed out.
    pub timed_out: bool,
    /// The id of its plugin.
    pub plugin_id: Option<Str>,
    /// The directory of its plugin.
    pub plugin_root: Option<String>,
}

/// A temporary notification to the user.
#[wire_type]
pub struct NotificationMessage {
    /// Its key; a later notification with the same key replaces it.
    pub key: Str,
    /// The text.
    pub text: String,
    /// Its priority.
    pub priority: NotificationPriority,
    /// The colour to show it in.
    pub color: Option<Str>,
    /// How long to show it.
    pub timeout_ms: Option<u64>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

open_enum! {
    /// The priority of a notification.
    pub enum NotificationPriority {
        /// Low.
        Low = "low",
        /// Medium.
        Medium = "medium",
        /// High.
        High = "high",
        /// Immediate.
        Immediate = "immediate",
    }
}

/// The output of a slash command.
#[wire_type]
pub struct LocalCommandOutputMessage {
    /// The text.
    pub content: String,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// A tool call was denied without asking.
#[wire_type]
pub struct PermissionDeniedMessage {
    /// The tool's name.
    pub tool_name: Str,
    /// The call's id.
    pub tool_use_id: Str,
    /// The subagent that made the call.
    pub agent_id: Option<Str>,
    /// The kind of reason.
    pub decision_reason_type: Option<Str>,
    /// The reason code.
    pub decision_reason_code: Option<Str>,
    /// The reason.
    pub decision_reason: Option<String>,
    /// The message to the model.
    pub message: String,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// The number of thinking tokens so far. An estimate during streaming.
#[wire_type]
pub struct ThinkingTokensMessage {
    /// The total.
    pub estimated_tokens: u64,
    /// The increase since the last such line.
    pub estimated_tokens_delta: u64,
    /// The prompt.
    pub user_message_uuid: Option<Str>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// An elicitation that was answered elsewhere completed.
#[wire_type]
pub struct ElicitationCompleteMessage {
    /// The server's name.
    pub mcp_server_name: Str,
    /// The elicitation's id.
    pub elicitation_id: Str,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}
