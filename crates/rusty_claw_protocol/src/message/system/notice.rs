//! Text for the user, and small facts about the running turn.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::hook::HookEvent;
use crate::open_enum::open_enum;
use crate::text::Str;

/// Text for the user that belongs to the conversation.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct InformationalMessage {
    /// The text.
    pub content: String,
    /// How much it matters.
    pub level: NoticeLevel,
    /// The tool call it is about.
    pub tool_use_id: Option<Str>,
    /// Whether the turn ends here.
    pub prevent_continuation: Option<bool>,
    /// What it is about, for programs.
    pub tag: Option<Str>,
    /// What hooks made of a prompt.
    pub prompt_submit_outcome: Option<PromptSubmitOutcome>,
    /// Another model runs than the one that was asked for.
    pub model_restriction: Option<ModelRestriction>,
    /// A hook gave no answer.
    pub hook_no_verdict: Option<HookNoVerdict>,
    /// As in the session file: not part of the conversation.
    #[wire(name = "isMeta")]
    pub is_meta: Option<bool>,
    /// When it was made, ISO 8601.
    pub timestamp: Option<Str>,
    /// The line's id, the same as in the session file.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// How much a text for the user matters.
    pub enum NoticeLevel {
        /// Good to know.
        Info = "info",
        /// Worth a look.
        Notice = "notice",
        /// Something the user could do.
        Suggestion = "suggestion",
        /// Something is wrong.
        Warning = "warning",
    }
}

/// What hooks made of a prompt.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PromptSubmitOutcome {
    /// What happened to it.
    pub kind: Option<PromptSubmitKind>,
    /// Why there was no answer from a hook.
    pub no_verdict_kind: Option<Str>,
    /// Whether the prompt is in the conversation.
    pub prompt_kept: bool,
    /// What the hook said.
    pub reason: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What happened to a prompt.
    pub enum PromptSubmitKind {
        /// A hook refused it.
        BlockedByHook = "blocked_by_hook",
        /// A hook ended the turn.
        StoppedByHook = "stopped_by_hook",
        /// A hook removed it.
        DroppedByHook = "dropped_by_hook",
        /// It did not get to the model.
        NotPassedOn = "not_passed_on",
        /// A hook gave no answer.
        NoVerdict = "no_verdict",
    }
}

/// Another model runs than the one that was asked for.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ModelRestriction {
    /// The model that was asked for.
    pub requested_model: Str,
    /// The model that runs.
    pub effective_model: Str,
    /// When that was noticed: `start`, `switch`, `resume`.
    pub at: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// A hook gave no answer.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct HookNoVerdict {
    /// The event.
    pub hook_event: HookEvent,
    /// The tool call it was about.
    pub tool_use_id: Str,
    /// Whether it took too long.
    pub timed_out: bool,
    /// The plugin it came from.
    pub plugin_id: Option<Str>,
    /// Where that plugin is.
    pub plugin_root: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// Text for the user that is shown for a moment only.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct NotificationMessage {
    /// What it is about; a later one with the same key takes its place.
    pub key: Str,
    /// The text.
    pub text: String,
    /// How much it matters.
    pub priority: NotificationPriority,
    /// The colour to show it in.
    pub color: Option<Str>,
    /// How long to show it.
    pub timeout_ms: Option<u64>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// How much a short notice matters.
    pub enum NotificationPriority {
        /// It can wait.
        Low = "low",
        /// In its turn.
        Medium = "medium",
        /// Before the others.
        High = "high",
        /// At once.
        Immediate = "immediate",
    }
}

/// What a slash command printed.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct LocalCommandOutputMessage {
    /// The text.
    pub content: String,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A tool call was refused without asking anybody.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PermissionDeniedMessage {
    /// The tool.
    pub tool_name: Str,
    /// The call.
    pub tool_use_id: Str,
    /// The subagent that made it.
    pub agent_id: Option<Str>,
    /// What kind of thing decided.
    pub decision_reason_type: Option<Str>,
    /// Why, for programs.
    pub decision_reason_code: Option<Str>,
    /// Why.
    pub decision_reason: Option<String>,
    /// What the model was told.
    pub message: String,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// How much the model has thought so far. An estimate, while thinking streams.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ThinkingTokensMessage {
    /// All so far.
    pub estimated_tokens: u64,
    /// Since the last such line.
    pub estimated_tokens_delta: u64,
    /// The prompt that is being answered.
    pub user_message_uuid: Option<Str>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A question of an MCP server that was answered elsewhere is settled.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ElicitationCompleteMessage {
    /// The server.
    pub mcp_server_name: Str,
    /// The question.
    pub elicitation_id: Str,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}
