//! Clocks.

use std::time::{Duration, UNIX_EPOCH};

use tokio::time::Instant;

/// Counts milliseconds since it was created. Timers use it because the wall clock may be set back,
/// which would delay an interaction by as much.
#[derive(Debug, Clone, Copy)]
pub(super) struct SteadyClock(Instant);

impl SteadyClock {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn now_ms(self) -> i64 {
        i64::try_from(self.0.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    pub(super) fn at(self, ms: i64) -> Instant {
        self.0 + Duration::from_millis(u64::try_from(ms).unwrap_or(0))
    }
}

/// Returns the instant at which the wall clock reaches `at_ms`. A past time returns the present.
pub(super) fn deadline(at_ms: i64) -> Option<Instant> {
    let left = u64::try_from(at_ms.saturating_sub(now_ms())).unwrap_or(0);
    Instant::now().checked_add(Duration::from_millis(left))
}

/// Returns the wall clock time, in milliseconds since 1970. It may go back, so no timer depends on
/// it.
pub(super) fn now_ms() -> i64 {
    let since = rusty_claw::runtime::wall_clock().duration_since(UNIX_EPOCH);
    let millis = since.map(|since| since.as_millis()).unwrap_or_default();
    i64::try_from(millis).unwrap_or(i64::MAX)
}
