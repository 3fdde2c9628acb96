//! Tokens and money by model.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;

/// What one model was used for and what it cost.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ModelUsage {
    /// Tokens read that were in no cache.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Tokens written for thinking.
    pub thinking_tokens: Option<u64>,
    /// Tokens read from the cache.
    pub cache_read_input_tokens: u64,
    /// Tokens read and put into the cache.
    pub cache_creation_input_tokens: u64,
    /// Those that stay there for five minutes.
    pub cache_creation_ephemeral_5m_input_tokens: Option<u64>,
    /// Those that stay there for one hour.
    pub cache_creation_ephemeral_1h_input_tokens: Option<u64>,
    /// Searches of the web.
    pub web_search_requests: u64,
    /// What it cost.
    #[wire(name = "costUSD")]
    pub cost_usd: f64,
    /// How many tokens fit.
    pub context_window: u64,
    /// How many tokens one answer may have.
    pub max_output_tokens: u64,
    /// The model's name without date or provider.
    pub canonical_model: Option<Str>,
    /// Who runs it.
    pub provider: Option<Str>,
    /// Which prices were used.
    pub cost_basis: Option<CostBasis>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Which prices a cost was worked out with.
    pub enum CostBasis {
        /// The public list.
        List = "list",
        /// Prices that the organisation set.
        Managed = "managed",
        /// Nobody knows.
        Unspecified = "unknown",
    }
}
