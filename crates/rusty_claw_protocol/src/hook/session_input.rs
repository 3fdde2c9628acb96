//! Events of a session.

use rusty_claw_macros::wire_type;

use crate::hook::HookCommon;
use crate::open_enum::open_enum;
use crate::text::Str;

/// Project setup or maintenance.
#[wire_type]
pub struct SetupInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// Setup or maintenance.
    pub trigger: SetupTrigger,
}

open_enum! {
    /// Why the setup hook runs.
    pub enum SetupTrigger {
        /// Setup of a project.
        Init = "init",
        /// Maintenance of a project.
        Maintenance = "maintenance",
    }
}

/// A session starts, resumes or restarts.
#[wire_type]
pub struct SessionStartInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The kind of start.
    pub source: SessionStartSource,
    /// Its model.
    pub model: Option<Str>,
    /// Its title.
    pub session_title: Option<String>,
    /// Seconds since the model's last response.
    pub seconds_since_last_response: Option<f64>,
    /// Number of tokens in the conversation.
    pub context_tokens: Option<u64>,
    /// Whether the cached conversation has probably expired.
    pub prompt_cache_likely_expired: Option<bool>,
    /// Estimated cost of filling the cache again, in US dollars.
    pub estimated_cache_write_usd: Option<f64>,
}

open_enum! {
    /// The kind of a session's start.
    pub enum SessionStartSource {
        /// A new session.
        Startup = "startup",
        /// It was resumed from its file.
        Resume = "resume",
        /// The conversation was cleared.
        Clear = "clear",
        /// The conversation was compacted.
        Compact = "compact",
        /// It was forked from another session.
        Fork = "fork",
    }
}

/// A session ends.
#[wire_type]
pub struct SessionEndInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The reason.
    pub reason: SessionEndReason,
}

open_enum! {
    /// Why a session ended.
    pub enum SessionEndReason {
        /// The conversation was cleared.
        Clear = "clear",
        /// Another session was resumed.
        Resume = "resume",
        /// The user signed out.
        Logout = "logout",
        /// The user exited at the prompt.
        PromptInputExit = "prompt_input_exit",
        /// Anything else.
        Other = "other",
    }
}

/// The conversation is about to be compacted.
#[wire_type]
pub struct PreCompactInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The trigger.
    pub trigger: CompactTrigger,
    /// The user's instructions for the summary.
    pub custom_instructions: Option<String>,
}

/// The conversation was compacted.
#[wire_type]
pub struct PostCompactInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The trigger.
    pub trigger: CompactTrigger,
    /// The summary.
    pub compact_summary: String,
}

open_enum! {
    /// The trigger of a compaction.
    pub enum CompactTrigger {
        /// The user.
        Manual = "manual",
        /// The CLI, because the context was nearly full.
        Auto = "auto",
    }
}
