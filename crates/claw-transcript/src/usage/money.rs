//! Exact amounts of money.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

use serde::{Serialize, Serializer};

/// An amount of US dollars, exact to a picodollar (10⁻¹² dollars).
///
/// Prices are per million tokens with a few decimals, so every charge is a whole number of
/// picodollars. Unlike sums of floating-point numbers, sums do not depend on the order of files.
/// Serializes as a number of dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Usd(i128);

impl Usd {
    /// Zero dollars.
    pub const ZERO: Self = Self(0);

    /// Creates an amount from picodollars.
    pub const fn from_picos(picos: i128) -> Self {
        Self(picos)
    }

    /// Returns the amount nearest to a number of dollars; `None` if that is not finite or too
    /// large.
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        let picos = (dollars * 1e12).round();
        (picos.abs() < 1e30).then_some(Self(picos as i128))
    }

    /// The amount in picodollars.
    pub const fn picos(self) -> i128 {
        self.0
    }

    /// The amount as a floating-point number, for display.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1e12
    }
}

impl Add for Usd {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Usd {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl AddAssign for Usd {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Usd {
    /// Formats amounts of a dollar and more with two decimals, smaller ones with four.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f
            .precision()
            .unwrap_or(if self.0.abs() < 1_000_000_000_000 {
                4
            } else {
                2
            });
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}${:.decimals$}", self.dollars().abs())
    }
}

impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.dollars())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_read_as_bills_do() {
        let amount = |dollars| Usd::from_dollars(dollars).expect("a number");
        assert_eq!(amount(1617.156).to_string(), "$1617.16");
        assert_eq!(amount(0.0032).to_string(), "$0.0032");
        assert_eq!(amount(-1.5).to_string(), "-$1.50");
        assert_eq!(format!("{:.3}", amount(2.0)), "$2.000");
        assert_eq!(Usd::from_dollars(f64::NAN), None);
        assert_eq!(Usd::from_dollars(f64::INFINITY), None);
    }
}
