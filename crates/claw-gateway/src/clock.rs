//! The wall clock.

use std::time::UNIX_EPOCH;

/// Returns the time in milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let since = rusty_claw::runtime::wall_clock().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}
