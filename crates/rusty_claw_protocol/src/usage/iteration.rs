//! The model calls of one response.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;
use crate::usage::CacheCreation;

/// Tokens of one of the model calls of a response.
#[wire_type]
pub struct IterationUsage {
    /// The purpose of the call.
    #[wire(name = "type")]
    pub kind: IterationKind,
    /// The model, if it may differ from the message's.
    pub model: Option<Str>,
    /// Uncached input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Input tokens written to the cache.
    pub cache_creation_input_tokens: u64,
    /// Input tokens read from the cache.
    pub cache_read_input_tokens: u64,
    /// Tokens written to the cache, by time to live.
    pub cache_creation: Option<CacheCreation>,
}

open_enum! {
    /// The purpose of a model call.
    pub enum IterationKind {
        /// The answer.
        Message = "message",
        /// A summary of the history.
        Compaction = "compaction",
        /// Advice from another model.
        AdvisorMessage = "advisor_message",
        /// The answer, by the fallback model.
        FallbackMessage = "fallback_message",
    }
}
