//! Tokens and costs.

mod context;
mod delta;
mod fallback_credit;
mod iteration;
mod model;
mod report;

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;

pub use context::*;
pub use delta::*;
pub use fallback_credit::*;
pub use iteration::*;
pub use model::*;
pub use report::*;

/// Tokens used by a message or a turn.
#[wire_type]
pub struct UsageInfo {
    /// Uncached input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Input tokens written to the cache.
    pub cache_creation_input_tokens: Option<u64>,
    /// Input tokens read from the cache.
    pub cache_read_input_tokens: Option<u64>,
    /// Tokens written to the cache, by time to live.
    pub cache_creation: Option<CacheCreation>,
    /// Use of server tools.
    pub server_tool_use: Option<ServerToolUsage>,
    /// The priority of the request.
    pub service_tier: Option<ServiceTier>,
    /// Where the model ran; empty if no region was requested.
    pub inference_geo: Option<Str>,
    /// How fast the model ran.
    pub speed: Option<Speed>,
    /// The model calls of this response, if there were several.
    pub iterations: Option<Vec<IterationUsage>>,
    /// Breakdown of the output tokens.
    pub output_tokens_details: Option<OutputTokensDetails>,
    /// Status of the credit for a refused answer.
    pub fallback_credit: Option<Box<FallbackCreditUsage>>,
}

/// Tokens written to the cache, by time to live.
#[wire_type]
pub struct CacheCreation {
    /// With a TTL of five minutes.
    pub ephemeral_5m_input_tokens: u64,
    /// With a TTL of one hour.
    pub ephemeral_1h_input_tokens: u64,
}

/// Number of calls of server tools.
#[wire_type]
pub struct ServerToolUsage {
    /// Web searches.
    pub web_search_requests: u64,
    /// Web pages fetched.
    pub web_fetch_requests: u64,
}

/// Breakdown of the output tokens.
#[wire_type]
pub struct OutputTokensDetails {
    /// Thinking tokens.
    pub thinking_tokens: u64,
}

open_enum! {
    /// The priority of a request.
    pub enum ServiceTier {
        /// Standard.
        Standard = "standard",
        /// Reserved capacity.
        Priority = "priority",
        /// Batch processing.
        Batch = "batch",
    }
}

open_enum! {
    /// How fast the model ran.
    pub enum Speed {
        /// Standard.
        Standard = "standard",
        /// Faster, at a higher price.
        Fast = "fast",
    }
}
