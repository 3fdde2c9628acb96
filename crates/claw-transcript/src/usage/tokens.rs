//! Counts of tokens.

use std::ops::{Add, AddAssign};

use serde::Serialize;

/// Tokens used by one or more messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Tokens {
    /// Output, thinking included.
    pub output: u64,
    /// Input that was neither read from the cache nor written to it.
    pub input: u64,
    /// Input written to the cache for five minutes, or for an unknown time.
    pub cache_write_5m: u64,
    /// Input written to the cache for an hour.
    pub cache_write_1h: u64,
    /// Input read from the cache.
    pub cache_read: u64,
    /// Web searches, which are charged individually.
    pub web_searches: u64,
}

impl Tokens {
    /// All input that was written to the cache.
    pub fn cache_write(&self) -> u64 {
        self.cache_write_5m.saturating_add(self.cache_write_1h)
    }

    /// All input, cached or not.
    pub fn prompt(&self) -> u64 {
        self.input
            .saturating_add(self.cache_write())
            .saturating_add(self.cache_read)
    }

    /// All input and output.
    pub fn total(&self) -> u64 {
        self.prompt().saturating_add(self.output)
    }

    /// The counts that are charged by token: input, output, cache writes for five minutes and for
    /// an hour, cache reads.
    pub(crate) fn charged(&self) -> [u64; 5] {
        [
            self.input,
            self.output,
            self.cache_write_5m,
            self.cache_write_1h,
            self.cache_read,
        ]
    }

    /// Combines each count with that of `other`.
    pub(crate) fn combine(self, other: Self, op: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            output: op(self.output, other.output),
            input: op(self.input, other.input),
            cache_write_5m: op(self.cache_write_5m, other.cache_write_5m),
            cache_write_1h: op(self.cache_write_1h, other.cache_write_1h),
            cache_read: op(self.cache_read, other.cache_read),
            web_searches: op(self.web_searches, other.web_searches),
        }
    }
}

impl Add for Tokens {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.combine(other, u64::saturating_add)
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
