//! What the API says about a message beside its content.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::unknown::Unknown;

/// The sandbox that the API used for a message.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct Container {
    /// By which a later request can use it again.
    pub id: Str,
    /// When it goes away, ISO 8601.
    pub expires_at: Str,
    /// The skills in it.
    pub skills: Option<Vec<ContainerSkill>>,
    /// What no field holds.
    pub extra: Extra,
}

/// A skill in a sandbox.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ContainerSkill {
    /// Whose skill it is: `anthropic` or `custom`.
    #[wire(name = "type")]
    pub kind: Str,
    /// Its id.
    pub skill_id: Str,
    /// Its version.
    pub version: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// More about why the model declined to answer.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct RefusalDetails {
    /// Always `refusal`.
    #[wire(name = "type")]
    pub kind: Str,
    /// What the refusal is about.
    pub category: Option<RefusalCategory>,
    /// The reason in words.
    pub explanation: Option<String>,
    /// A token that makes the same request to another model cheaper.
    pub fallback_credit_token: Option<Str>,
    /// Whether that token also covers what was written already.
    pub fallback_has_prefill_claim: Option<bool>,
    /// The model that may answer instead.
    pub recommended_model: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What a refusal is about.
    pub enum RefusalCategory {
        /// Attacks on computers.
        Cyber = "cyber",
        /// Dangerous biology.
        Bio = "bio",
        /// Building large models.
        FrontierLlm = "frontier_llm",
        /// Getting at the hidden reasoning.
        ReasoningExtraction = "reasoning_extraction",
        /// Other harm.
        GeneralHarms = "general_harms",
    }
}

/// What the API noticed about a request.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct Diagnostics {
    /// Why the cache did not help.
    pub cache_miss_reason: Option<CacheMissReason>,
    /// What no field holds.
    pub extra: Extra,
}

/// Why the cache did not help.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct CacheMissReason {
    /// What differs from the request before.
    #[wire(name = "type")]
    pub kind: CacheMissKind,
    /// How many tokens had to be read again.
    pub cache_missed_input_tokens: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What differs from the request before.
    pub enum CacheMissKind {
        /// The model.
        ModelChanged = "model_changed",
        /// The system prompt.
        SystemChanged = "system_changed",
        /// The tools.
        ToolsChanged = "tools_changed",
        /// The messages.
        MessagesChanged = "messages_changed",
        /// There is no request before.
        PreviousMessageNotFound = "previous_message_not_found",
        /// Nobody knows.
        Unavailable = "unavailable",
    }
}

/// What the API removed from the context by itself.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ContextManagement {
    /// Its edits.
    pub applied_edits: Vec<AppliedEdit>,
    /// What no field holds.
    pub extra: Extra,
}

/// One edit of the context.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum AppliedEdit {
    /// Old tool calls were removed.
    #[wire(name = "clear_tool_uses_20250919")]
    ClearToolUses {
        /// How many tokens that saved.
        cleared_input_tokens: u64,
        /// How many calls.
        cleared_tool_uses: u64,
        /// What no field holds.
        extra: Extra,
    },
    /// Old reasoning was removed.
    #[wire(name = "clear_thinking_20251015")]
    ClearThinking {
        /// How many tokens that saved.
        cleared_input_tokens: u64,
        /// The reasoning of how many turns.
        cleared_thinking_turns: u64,
        /// What no field holds.
        extra: Extra,
    },
    /// An edit that is new to this library.
    Unknown(Unknown),
}

/// Something the API changed in a request.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct InputTransformation {
    /// What was done.
    #[wire(name = "type")]
    pub kind: InputTransformationKind,
    /// Where in the request.
    pub path: Str,
    /// Why.
    pub reason: ThinkingMismatch,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What the API did to reasoning that does not belong to the request.
    pub enum InputTransformationKind {
        /// It was left out.
        ThinkingDropped = "thinking_dropped",
        /// It was used all the same.
        ThinkingMismatchAllowed = "thinking_mismatch_allowed",
    }
}

open_enum! {
    /// Why reasoning does not belong to a request.
    pub enum ThinkingMismatch {
        /// Another model made it.
        ModelBindingMismatch = "model_binding_mismatch",
        /// It followed other messages.
        PrefixBindingMismatch = "prefix_binding_mismatch",
        /// It was made for another organisation.
        OrganizationBindingMismatch = "organization_binding_mismatch",
        /// It was made for another end user.
        EndUserBindingMismatch = "end_user_binding_mismatch",
    }
}
