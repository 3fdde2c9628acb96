//! Token counts in the stream.

use rusty_claw_macros::wire_type;

use crate::usage::{FallbackCreditUsage, IterationUsage, OutputTokensDetails, ServerToolUsage};

/// Tokens of a message in progress. Totals so far, not differences.
#[wire_type]
pub struct MessageDeltaUsage {
    /// Output tokens.
    pub output_tokens: u64,
    /// Uncached input tokens.
    pub input_tokens: Option<u64>,
    /// Input tokens written to the cache.
    pub cache_creation_input_tokens: Option<u64>,
    /// Input tokens read from the cache.
    pub cache_read_input_tokens: Option<u64>,
    /// Use of server tools.
    pub server_tool_use: Option<ServerToolUsage>,
    /// The model calls of this response, if there were several.
    pub iterations: Option<Vec<IterationUsage>>,
    /// Breakdown of the output tokens.
    pub output_tokens_details: Option<OutputTokensDetails>,
    /// Status of the credit for a refused answer.
    pub fallback_credit: Option<Box<FallbackCreditUsage>>,
}
