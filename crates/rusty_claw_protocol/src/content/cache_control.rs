//! Where the API may cache a prompt.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::unknown::Unknown;

/// Asks the API to cache the prompt up to the block that carries this.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum CacheControl {
    /// For a short time.
    Ephemeral {
        /// How long.
        ttl: Option<CacheTtl>,
        /// What no field holds.
        extra: Extra,
    },
    /// A kind that is new to this library.
    Unknown(Unknown),
}

open_enum! {
    /// How long a cached prompt lives after its last use.
    pub enum CacheTtl {
        /// Five minutes.
        FiveMinutes = "5m",
        /// One hour.
        OneHour = "1h",
    }
}
