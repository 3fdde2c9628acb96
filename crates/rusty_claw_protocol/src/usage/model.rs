//! Tokens and costs by model.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;

/// Tokens and costs of one model.
#[wire_type(rename_all = "camelCase")]
pub struct ModelUsage {
    /// Uncached input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Thinking tokens.
    pub thinking_tokens: Option<u64>,
    /// Input tokens read from the cache.
    pub cache_read_input_tokens: u64,
    /// Input tokens written to the cache.
    pub cache_creation_input_tokens: u64,
    /// Those with a TTL of five minutes.
    pub cache_creation_ephemeral_5m_input_tokens: Option<u64>,
    /// Those with a TTL of one hour.
    pub cache_creation_ephemeral_1h_input_tokens: Option<u64>,
    /// Web searches.
    pub web_search_requests: u64,
    /// The cost in US dollars.
    #[wire(name = "costUSD")]
    pub cost_usd: f64,
    /// The size of the context window in tokens.
    pub context_window: u64,
    /// The maximum number of output tokens.
    pub max_output_tokens: u64,
    /// The model's name without date and provider.
    pub canonical_model: Option<Str>,
    /// The provider that runs it.
    pub provider: Option<Str>,
    /// The prices that were applied.
    pub cost_basis: Option<CostBasis>,
}

open_enum! {
    /// The prices behind a cost.
    pub enum CostBasis {
        /// The public price list.
        List = "list",
        /// Prices set by the organisation.
        Managed = "managed",
        /// Unknown.
        Unspecified = "unknown",
    }
}
