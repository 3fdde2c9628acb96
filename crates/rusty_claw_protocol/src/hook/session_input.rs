//! Events in the life of a session.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::hook::HookCommon;
use crate::open_enum::open_enum;
use crate::text::Str;

/// The program was started to set a project up, or to look after one.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SetupInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// Which of the two.
    pub trigger: SetupTrigger,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Why the setup hook runs.
    pub enum SetupTrigger {
        /// A project is set up.
        Init = "init",
        /// A project is looked after.
        Maintenance = "maintenance",
    }
}

/// A session starts, or starts over.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SessionStartInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// How it came to be.
    pub source: SessionStartSource,
    /// The model it uses.
    pub model: Option<Str>,
    /// Its title.
    pub session_title: Option<String>,
    /// How long ago the model last answered, in seconds.
    pub seconds_since_last_response: Option<f64>,
    /// How many tokens the conversation holds.
    pub context_tokens: Option<u64>,
    /// Whether the API has probably forgotten its cached copy of the conversation.
    pub prompt_cache_likely_expired: Option<bool>,
    /// What filling that cache again would cost, in US dollars.
    pub estimated_cache_write_usd: Option<f64>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// How a session came to be.
    pub enum SessionStartSource {
        /// It is new.
        Startup = "startup",
        /// It goes on from its file.
        Resume = "resume",
        /// The conversation was cleared.
        Clear = "clear",
        /// The conversation was compacted.
        Compact = "compact",
        /// It branched off another session.
        Fork = "fork",
    }
}

/// A session ends.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SessionEndInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// Why.
    pub reason: SessionEndReason,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Why a session ended.
    pub enum SessionEndReason {
        /// The conversation was cleared.
        Clear = "clear",
        /// Another session took its place.
        Resume = "resume",
        /// The user signed out.
        Logout = "logout",
        /// The user left at the prompt.
        PromptInputExit = "prompt_input_exit",
        /// Anything else.
        Other = "other",
    }
}

/// The conversation is about to be replaced by a summary.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PreCompactInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// Who asked for it.
    pub trigger: CompactTrigger,
    /// What the user wants the summary to heed.
    pub custom_instructions: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// The conversation was replaced by a summary.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PostCompactInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// Who asked for it.
    pub trigger: CompactTrigger,
    /// The summary.
    pub compact_summary: String,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Who asked for a compaction.
    pub enum CompactTrigger {
        /// The user.
        Manual = "manual",
        /// The CLI, because the context was nearly full.
        Auto = "auto",
    }
}
