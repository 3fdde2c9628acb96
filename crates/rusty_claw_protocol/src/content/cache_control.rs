//! Cache breakpoints.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::unknown::Unknown;

/// A cache breakpoint: the API caches the prompt up to the block that carries it.
#[wire_type(tag = "type")]
pub enum CacheControl {
    /// A short-lived entry.
    Ephemeral {
        /// The time to live.
        ttl: Option<CacheTtl>,
    },
    /// An unrecognized kind.
    Unknown(Unknown),
}

open_enum! {
    /// Time to live of a cached prompt after its last use.
    pub enum CacheTtl {
        /// Five minutes.
        FiveMinutes = "5m",
        /// One hour.
        OneHour = "1h",
    }
}
