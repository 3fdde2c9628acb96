//! Percentiles of times.

use std::fmt;
use std::time::Duration;

/// Times in milliseconds. All zero if there are none.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Percentiles {
    /// How many there are.
    pub count: usize,
    /// The time that half of them do not exceed.
    pub p50: f64,
    /// The time that 99 % of them do not exceed.
    pub p99: f64,
    /// The longest time.
    pub max: f64,
}

impl Percentiles {
    /// The percentiles of some times.
    pub fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        let count = times.len();
        let at = |share: f64| {
            let index = (count as f64 * share) as usize;
            let time = times.get(index.min(count.saturating_sub(1)));
            time.copied().unwrap_or_default()
        };
        Self {
            count,
            p50: at(0.5),
            p99: at(0.99),
            max: at(1.0),
        }
    }
}

impl fmt::Display for Percentiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            count,
            p50,
            p99,
            max,
        } = self;
        write!(
            f,
            "p50 {p50:.2} / p99 {p99:.2} / max {max:.1} ms ({count} samples)"
        )
    }
}

/// A time in milliseconds.
pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The time in nanoseconds of a clock that all processes of this machine share.
pub fn monotonic_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    Duration::try_from(now).map_or(0, |now| now.as_nanos() as u64)
}
