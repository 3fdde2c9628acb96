//! Counts of tokens.

use std::ops::{Add, AddAssign};

use serde::Serialize;

/// What one message, or many, used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Tokens {
    /// Output, thinking included.
    pub output: u64,
    /// Input that came from no cache and went into none.
    pub input: u64,
    /// Input written to the cache for five minutes. Writes that do not say for how long are here.
    pub cache_write_5m: u64,
    /// Input written to the cache for an hour.
    pub cache_write_1h: u64,
    /// Input read from the cache.
    pub cache_read: u64,
    /// Searches of the web, which are paid by the piece.
    pub web_searches: u64,
}

impl Tokens {
    /// All input that was written to the cache.
    pub fn cache_write(&self) -> u64 {
        self.cache_write_5m.saturating_add(self.cache_write_1h)
    }

    /// All input, from wherever it came.
    pub fn prompt(&self) -> u64 {
        self.input
            .saturating_add(self.cache_write())
            .saturating_add(self.cache_read)
    }

    /// All input and output.
    pub fn total(&self) -> u64 {
        self.prompt().saturating_add(self.output)
    }

    /// Whether there is nothing to pay for.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// Each count apart.
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
