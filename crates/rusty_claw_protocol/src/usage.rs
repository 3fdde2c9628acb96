//! Tokens.

use rusty_claw_macros::Wire;

use crate::extra::Extra;

/// Tokens spent.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
pub struct UsageInfo {
    /// Tokens read that were in no cache.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// What no field holds.
    pub extra: Extra,
}
