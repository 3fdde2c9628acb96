//! The model calls behind one answer.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::usage::CacheCreation;

/// Tokens of one of several model calls behind one answer.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct IterationUsage {
    /// What the call was for.
    #[wire(name = "type")]
    pub kind: IterationKind,
    /// The model, where it may differ from the message's.
    pub model: Option<Str>,
    /// Tokens read that were in no cache.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Tokens read and put into the cache.
    pub cache_creation_input_tokens: u64,
    /// Tokens read from the cache.
    pub cache_read_input_tokens: u64,
    /// The tokens put into the cache, by how long they stay there.
    pub cache_creation: Option<CacheCreation>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What one of several model calls was for.
    pub enum IterationKind {
        /// The answer.
        Message = "message",
        /// A summary of the history.
        Compaction = "compaction",
        /// Advice from another model.
        AdvisorMessage = "advisor_message",
        /// The answer, by the model that took over.
        FallbackMessage = "fallback_message",
    }
}
