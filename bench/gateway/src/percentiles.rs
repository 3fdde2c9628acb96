//! Percentiles of latencies.

use std::fmt;

/// Latencies, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Percentiles {
    pub(crate) count: usize,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) max: f64,
}

impl Percentiles {
    /// All zero if there are no values.
    pub(crate) fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let count = values.len();
        let at = |share: f64| {
            let index = (count as f64 * share) as usize;
            let value = values.get(index.min(count.saturating_sub(1)));
            value.copied().unwrap_or_default()
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
        write!(
            f,
            "p50 {:.2} / p99 {:.2} / max {:.1} ms ({} samples)",
            self.p50, self.p99, self.max, self.count
        )
    }
}

/// The monotonic time in nanoseconds, which other processes of this machine see too.
pub(crate) fn monotonic_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    std::time::Duration::try_from(now).map_or(0, |now| now.as_nanos() as u64)
}
