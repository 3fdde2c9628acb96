//! Steering a turn: stop it, change mode, model or thinking, ask beside it.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::permission::PermissionMode;
use crate::text::Str;

/// Stops the running turn.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct Interrupt {
    /// Whether prompts that wait are dropped too.
    pub cancel_queued: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// What an interrupt left behind.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct InterruptResponse {
    /// Prompts that still wait and will run, by their ids.
    pub still_queued: Vec<Str>,
    /// Prompts that were dropped, when the request asked for that.
    pub cancelled: Option<Vec<Str>>,
    /// Prompts that went back to whoever sent them.
    pub put_back: Option<Vec<Str>>,
    /// What became of a prompt that was to run at once: `stopped`, `delivering`,
    /// `nothing_waiting`.
    pub send_now: Option<Str>,
    /// What became of the turn: `stopped`, `idle`, `spared`.
    pub turn: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Changes how tool calls are decided.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SetPermissionMode {
    /// The new mode.
    pub mode: PermissionMode,
    /// What no field holds.
    pub extra: Extra,
}

/// The mode that now holds.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SetPermissionModeResponse {
    /// The mode.
    pub mode: Option<PermissionMode>,
    /// What no field holds.
    pub extra: Extra,
}

/// Changes the model, from the next turn on.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SetModel {
    /// Its name or alias; the default one when absent.
    pub model: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// The model that now holds. The CLI tries it with a request of its own before it answers, and
/// refuses one that does not reply.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SetModelResponse {
    /// The model.
    pub model: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Changes how much the model may think, and how much of it is shown.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SetMaxThinkingTokens {
    /// The budget; `None` leaves it alone, see [`SetMaxThinkingTokens::reset`].
    pub max_thinking_tokens: Option<u64>,
    /// What is shown; `None` leaves it alone.
    pub thinking_display: Option<ThinkingDisplay>,
    /// What no field holds.
    pub extra: Extra,
}

impl SetMaxThinkingTokens {
    /// Back to the session's own budget. The wire says so with an explicit `null`, which is not
    /// the same as leaving the member out.
    pub fn reset() -> Self {
        let mut request = Self::default();
        request.extra.insert("max_thinking_tokens", Json::NULL);
        request
    }
}

open_enum! {
    /// What of the model's thinking is shown.
    pub enum ThinkingDisplay {
        /// A summary.
        Summarized = "summarized",
        /// Nothing.
        Omitted = "omitted",
        /// One short title for each stretch.
        Highlights = "highlights",
    }
}

/// Drops one prompt that waits.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct CancelAsyncMessage {
    /// The prompt's id.
    pub message_uuid: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// Whether the prompt was dropped.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct CancelAsyncMessageResponse {
    /// `false` when it runs already or nobody knows it.
    pub cancelled: bool,
    /// What no field holds.
    pub extra: Extra,
}

/// Asks the model something beside the conversation, without becoming part of it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SideQuestion {
    /// The question.
    pub question: String,
    /// Earlier side questions and answers, so that this one can refer to them.
    pub history: Option<Vec<Json>>,
    /// What no field holds.
    pub extra: Extra,
}

/// The answer to a side question.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SideQuestionResponse {
    /// The text; `None` when there is nothing to ask about yet.
    pub response: Option<String>,
    /// Whether the CLI made the text up itself.
    pub synthetic: Option<bool>,
    /// Set when another model had to answer.
    pub refusal_fallback: Option<RefusalFallback>,
    /// What no field holds.
    pub extra: Extra,
}

/// Another model answered in place of one that refused.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct RefusalFallback {
    /// The model that refused.
    pub original_model: Str,
    /// The model that answered.
    pub fallback_model: Str,
    /// What a person is told about it.
    pub content: String,
    /// What no field holds.
    pub extra: Extra,
}
