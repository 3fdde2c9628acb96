//! Tokens as the stream counts them.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::usage::{FallbackCreditUsage, IterationUsage, OutputTokensDetails, ServerToolUsage};

/// Tokens of a message that is still being written. Totals so far, not differences.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct MessageDeltaUsage {
    /// Tokens written.
    pub output_tokens: u64,
    /// Tokens read that were in no cache.
    pub input_tokens: Option<u64>,
    /// Tokens read and put into the cache.
    pub cache_creation_input_tokens: Option<u64>,
    /// Tokens read from the cache.
    pub cache_read_input_tokens: Option<u64>,
    /// What the tools that the API runs were used for.
    pub server_tool_use: Option<ServerToolUsage>,
    /// The model calls behind one answer, when there were several.
    pub iterations: Option<Vec<IterationUsage>>,
    /// What the written tokens were for.
    pub output_tokens_details: Option<OutputTokensDetails>,
    /// What became of the credit for a refused answer.
    pub fallback_credit: Option<Box<FallbackCreditUsage>>,
    /// What no field holds.
    pub extra: Extra,
}
