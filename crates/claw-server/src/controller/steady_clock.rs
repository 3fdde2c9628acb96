//! A clock that only goes forward.

use std::time::Duration;

use tokio::time::Instant;

/// Counts milliseconds from when it was made. What waits, waits by this: the time of day may be
/// set back by an hour, and a person would be asked an hour late.
#[derive(Debug, Clone, Copy)]
pub(super) struct SteadyClock(Instant);

impl SteadyClock {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn now_ms(self) -> i64 {
        i64::try_from(self.0.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    /// When this clock says so.
    pub(super) fn at(self, ms: i64) -> Instant {
        self.0 + Duration::from_millis(u64::try_from(ms).unwrap_or(0))
    }
}
