//! Tokens and money.

mod context;
mod delta;
mod fallback_credit;
mod iteration;
mod model;
mod report;

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;

pub use context::*;
pub use delta::*;
pub use fallback_credit::*;
pub use iteration::*;
pub use model::*;
pub use report::*;

/// Tokens spent on one message or on one turn.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct UsageInfo {
    /// Tokens read that were in no cache.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Tokens read and put into the cache.
    pub cache_creation_input_tokens: Option<u64>,
    /// Tokens read from the cache.
    pub cache_read_input_tokens: Option<u64>,
    /// The tokens put into the cache, by how long they stay there.
    pub cache_creation: Option<CacheCreation>,
    /// What the tools that the API runs were used for.
    pub server_tool_use: Option<ServerToolUsage>,
    /// The priority the request was served with.
    pub service_tier: Option<ServiceTier>,
    /// Where the model ran; empty when nobody asked for a place.
    pub inference_geo: Option<Str>,
    /// How fast the model ran.
    pub speed: Option<Speed>,
    /// The model calls behind one answer, when there were several.
    pub iterations: Option<Vec<IterationUsage>>,
    /// What the written tokens were for.
    pub output_tokens_details: Option<OutputTokensDetails>,
    /// What became of the credit for a refused answer.
    pub fallback_credit: Option<Box<FallbackCreditUsage>>,
    /// What no field holds.
    pub extra: Extra,
}

/// Tokens put into the cache, by how long they stay there.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct CacheCreation {
    /// For five minutes.
    pub ephemeral_5m_input_tokens: u64,
    /// For one hour.
    pub ephemeral_1h_input_tokens: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// How often the tools that the API runs were used.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ServerToolUsage {
    /// Searches of the web.
    pub web_search_requests: u64,
    /// Pages fetched from the web.
    pub web_fetch_requests: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// What the written tokens were for.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct OutputTokensDetails {
    /// For thinking.
    pub thinking_tokens: u64,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// The priority a request was served with.
    pub enum ServiceTier {
        /// As everybody.
        Standard = "standard",
        /// With reserved capacity.
        Priority = "priority",
        /// In a batch, when there was time.
        Batch = "batch",
    }
}

open_enum! {
    /// How fast the model ran.
    pub enum Speed {
        /// As usual.
        Standard = "standard",
        /// Faster, for more money.
        Fast = "fast",
    }
}
