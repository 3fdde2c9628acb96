//! Details of an API message beside its content.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;
use crate::unknown::Unknown;

/// The API's sandbox for a message.
#[wire_type]
pub struct Container {
    /// Its id, for reuse by a later request.
    pub id: Str,
    /// When it expires, ISO 8601.
    pub expires_at: Str,
    /// The skills in it.
    pub skills: Option<Vec<ContainerSkill>>,
}

/// A skill in a sandbox.
#[wire_type]
pub struct ContainerSkill {
    /// The owner of the skill: `anthropic` or `custom`.
    #[wire(name = "type")]
    pub kind: Str,
    /// Its id.
    pub skill_id: Str,
    /// Its version.
    pub version: Str,
}

/// Details about a refusal.
#[wire_type]
pub struct RefusalDetails {
    /// Always `refusal`.
    #[wire(name = "type")]
    pub kind: Str,
    /// The category of the refusal.
    pub category: Option<RefusalCategory>,
    /// The explanation.
    pub explanation: Option<String>,
    /// A token that makes the same request to another model cheaper.
    pub fallback_credit_token: Option<Str>,
    /// Whether that token also covers the output so far.
    pub fallback_has_prefill_claim: Option<bool>,
    /// The model recommended instead.
    pub recommended_model: Option<Str>,
}

open_enum! {
    /// The category of a refusal.
    pub enum RefusalCategory {
        /// Cyber attacks.
        Cyber = "cyber",
        /// Dangerous biology.
        Bio = "bio",
        /// Development of frontier models.
        FrontierLlm = "frontier_llm",
        /// Extraction of hidden reasoning.
        ReasoningExtraction = "reasoning_extraction",
        /// Other harm.
        GeneralHarms = "general_harms",
    }
}

/// Diagnostics of a request.
#[wire_type]
pub struct Diagnostics {
    /// Why the cache missed.
    pub cache_miss_reason: Option<CacheMissReason>,
}

/// Why the cache missed.
#[wire_type]
pub struct CacheMissReason {
    /// The difference from the previous request.
    #[wire(name = "type")]
    pub kind: CacheMissKind,
    /// Number of tokens that were not cached.
    pub cache_missed_input_tokens: Option<u64>,
}

open_enum! {
    /// The difference from the previous request.
    pub enum CacheMissKind {
        /// The model.
        ModelChanged = "model_changed",
        /// The system prompt.
        SystemChanged = "system_changed",
        /// The tools.
        ToolsChanged = "tools_changed",
        /// The messages.
        MessagesChanged = "messages_changed",
        /// There is no previous request.
        PreviousMessageNotFound = "previous_message_not_found",
        /// Unknown.
        Unavailable = "unavailable",
    }
}

/// Context edits by the API.
#[wire_type]
pub struct ContextManagement {
    /// The edits.
    pub applied_edits: Vec<AppliedEdit>,
}

/// An edit of the context.
#[wire_type(tag = "type")]
pub enum AppliedEdit {
    /// Old tool calls were removed.
    #[wire(name = "clear_tool_uses_20250919")]
    ClearToolUses {
        /// Number of tokens saved.
        cleared_input_tokens: u64,
        /// Number of calls removed.
        cleared_tool_uses: u64,
    },
    /// Old reasoning was removed.
    #[wire(name = "clear_thinking_20251015")]
    ClearThinking {
        /// Number of tokens saved.
        cleared_input_tokens: u64,
        /// Number of turns whose reasoning was removed.
        cleared_thinking_turns: u64,
    },
    /// An unrecognized edit.
    Unknown(Unknown),
}

/// A change that the API made to a request.
#[wire_type]
pub struct InputTransformation {
    /// The kind of change.
    #[wire(name = "type")]
    pub kind: InputTransformationKind,
    /// The position in the request.
    pub path: Str,
    /// The reason.
    pub reason: ThinkingMismatch,
}

open_enum! {
    /// How the API treated reasoning that does not match the request.
    pub enum InputTransformationKind {
        /// It was dropped.
        ThinkingDropped = "thinking_dropped",
        /// It was used nevertheless.
        ThinkingMismatchAllowed = "thinking_mismatch_allowed",
    }
}

open_enum! {
    /// Why reasoning does not match a request.
    pub enum ThinkingMismatch {
        /// It is by another model.
        ModelBindingMismatch = "model_binding_mismatch",
        /// It followed other messages.
        PrefixBindingMismatch = "prefix_binding_mismatch",
        /// It belongs to another organisation.
        OrganizationBindingMismatch = "organization_binding_mismatch",
        /// It belongs to another end user.
        EndUserBindingMismatch = "end_user_binding_mismatch",
    }
}
