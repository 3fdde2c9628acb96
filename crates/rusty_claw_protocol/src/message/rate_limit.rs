//! The plan's limits.

use std::fmt;

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;

/// The plan's limits changed. Prints as its JSON.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
pub struct RateLimitEvent {
    /// The limits.
    pub rate_limit_info: Option<Json>,
    /// The line's id.
    pub uuid: Option<Str>,
    /// The session.
    pub session_id: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

impl fmt::Display for RateLimitEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}
