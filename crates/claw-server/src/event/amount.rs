//! Finite, non-negative numbers that implement [`Eq`].

use std::hash::{Hash, Hasher};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A finite, non-negative number.
///
/// It is never NaN, so that messages containing it can implement [`Eq`]. On the wire it is a
/// number, written without a fraction if it has none.
///
/// ```
/// use claw_server::event::Amount;
///
/// let done = Amount::from(5_u32);
/// assert_eq!(serde_json::to_string(&done)?, "5");
/// assert_eq!(done.percent_of(Amount::from(20_u32)), Amount::new(25.0));
/// assert_eq!(Amount::new(f64::NAN), None);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Amount(f64);

/// The bound below which every whole number is represented exactly: 2^53.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Amount {
    /// Full confidence.
    pub const ONE: Self = Self(1.0);

    /// Returns `None` if the number is negative, infinite or NaN.
    pub fn new(amount: f64) -> Option<Self> {
        // Normalizes -0.0, which is equal to 0.0 but hashes and prints differently.
        (amount.is_finite() && amount >= 0.0).then_some(Self(amount + 0.0))
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }

    /// The percentage of `whole`, at most 100; `None` if `whole` is zero.
    pub fn percent_of(self, whole: Self) -> Option<Self> {
        if whole.0 == 0.0 {
            return None;
        }
        // Multiply first, so that 5 of 20 is exactly 25.
        Self::new((self.0 * 100.0 / whole.0).min(100.0))
    }

    /// Rounds a computed number to two decimal places.
    pub(crate) fn rounded(amount: f64) -> Option<Self> {
        Self::new((amount * 100.0).round() / 100.0)
    }
}

impl Eq for Amount {}

impl Hash for Amount {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl From<u32> for Amount {
    fn from(amount: u32) -> Self {
        Self(f64::from(amount))
    }
}

/// Counts above 2^53 are rounded.
impl From<u64> for Amount {
    fn from(amount: u64) -> Self {
        Self(amount as f64)
    }
}

impl From<usize> for Amount {
    fn from(amount: usize) -> Self {
        Self(amount as f64)
    }
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && self.0 < EXACT {
            serializer.serialize_u64(self.0 as u64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let amount = f64::deserialize(deserializer)?;
        Self::new(amount)
            .ok_or_else(|| D::Error::custom(format_args!("{amount} is no amount of anything")))
    }
}
