//! Turn control: interrupts, mode, model, thinking, side questions.

use rusty_claw_macros::wire_type;

use crate::json::Json;
use crate::open_enum::open_enum;
use crate::permission::PermissionMode;
use crate::text::Str;

/// Interrupts the running turn.
#[wire_type]
pub struct Interrupt {
    /// Whether to cancel queued prompts too.
    pub cancel_queued: Option<bool>,
}

/// The state after an interrupt.
#[wire_type]
pub struct InterruptResponse {
    /// The ids of prompts that are still queued and will run.
    pub still_queued: Vec<Str>,
    /// The ids of cancelled prompts, if the request asked for that.
    pub cancelled: Option<Vec<Str>>,
    /// The ids of prompts that were returned to their sender.
    pub put_back: Option<Vec<Str>>,
    /// The outcome for a prompt that was to run at once: `stopped`, `delivering`,
    /// `nothing_waiting`.
    pub send_now: Option<Str>,
    /// The outcome for the turn: `stopped`, `idle`, `spared`.
    pub turn: Option<Str>,
}

/// Changes the permission mode.
#[wire_type]
pub struct SetPermissionMode {
    /// The new mode.
    pub mode: PermissionMode,
}

/// The current permission mode.
#[wire_type]
pub struct SetPermissionModeResponse {
    /// The mode.
    pub mode: Option<PermissionMode>,
}

/// Changes the model, from the next turn on.
#[wire_type]
pub struct SetModel {
    /// Its name or alias; the default model if absent.
    pub model: Option<Str>,
}

/// The current model. The CLI tests it with a request of its own before it responds, and rejects a
/// model that does not reply.
#[wire_type]
pub struct SetModelResponse {
    /// The model.
    pub model: Option<Str>,
}

/// Changes the thinking budget and how much of the thinking is shown.
#[wire_type]
pub struct SetMaxThinkingTokens {
    /// The budget; `None` keeps it, see [`SetMaxThinkingTokens::reset`].
    pub max_thinking_tokens: Option<u64>,
    /// What is shown; `None` keeps it.
    pub thinking_display: Option<ThinkingDisplay>,
}

impl SetMaxThinkingTokens {
    /// Restores the session's own budget. On the wire this is an explicit `null`, which differs
    /// from an absent member.
    pub fn reset() -> Self {
        let mut request = Self::default();
        request.extra.insert("max_thinking_tokens", Json::NULL);
        request
    }
}

open_enum! {
    /// How the model's thinking is shown.
    pub enum ThinkingDisplay {
        /// A summary.
        Summarized = "summarized",
        /// Not shown.
        Omitted = "omitted",
        /// A short title per section.
        Highlights = "highlights",
    }
}

/// Cancels a queued prompt.
#[wire_type]
pub struct CancelAsyncMessage {
    /// The prompt's id.
    pub message_uuid: Str,
}

/// Whether the prompt was cancelled.
#[wire_type]
pub struct CancelAsyncMessageResponse {
    /// `false` if it is already running or unknown.
    pub cancelled: bool,
}

/// Asks the model a question that does not become part of the conversation.
#[wire_type]
pub struct SideQuestion {
    /// The question.
    pub question: String,
    /// Earlier side questions and answers, as context.
    pub history: Option<Vec<Json>>,
}

/// The answer to a side question.
#[wire_type]
pub struct SideQuestionResponse {
    /// The answer; `None` if there is no conversation yet.
    pub response: Option<String>,
    /// Whether the CLI wrote the text itself.
    pub synthetic: Option<bool>,
    /// Set if another model answered.
    pub refusal_fallback: Option<RefusalFallback>,
}

/// A fallback to another model after a refusal.
#[wire_type]
pub struct RefusalFallback {
    /// The model that refused.
    pub original_model: Str,
    /// The model that answered.
    pub fallback_model: Str,
    /// The message for the user.
    pub content: String,
}
