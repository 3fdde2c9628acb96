//! Interleaved rounds of contenders.

use anyhow::{Context, Result};
use claw_testkit::figure::Spread;

/// What each contender took, round by round.
#[derive(Debug)]
pub struct Rounds(Vec<(&'static str, Vec<f64>)>);

impl Rounds {
    /// Measures every contender once in each round. A slow moment of the machine affects all of
    /// them alike. Each round begins with another one, so that none always follows the same one.
    ///
    /// # Errors
    /// Returns the first error of `measure`, which is called with the index of a name.
    pub fn measure(
        rounds: usize,
        names: &[&'static str],
        mut measure: impl FnMut(usize) -> Result<f64>,
    ) -> Result<Self> {
        let mut all: Vec<_> = names.iter().map(|name| (*name, Vec::new())).collect();
        for round in 0..rounds {
            for step in 0..names.len() {
                let at = (round + step) % names.len();
                all[at].1.push(measure(at)?);
            }
        }
        Ok(Self(all))
    }

    /// The values of a contender.
    ///
    /// # Errors
    /// Returns an error if it was not measured.
    pub fn spread(&self, name: &str) -> Result<Spread> {
        spread(self.of(name)?)
    }

    /// How many times as much the second one took, within each round.
    ///
    /// # Errors
    /// Returns an error if one of them was not measured.
    pub fn ratio(&self, name: &str, other: &str) -> Result<Spread> {
        let pairs = self.of(name)?.iter().zip(self.of(other)?);
        spread(&pairs.map(|(one, other)| other / one).collect::<Vec<_>>())
    }

    /// How much more the second one took, within each round.
    ///
    /// # Errors
    /// Returns an error if one of them was not measured.
    pub fn difference(&self, name: &str, other: &str) -> Result<Spread> {
        let pairs = self.of(name)?.iter().zip(self.of(other)?);
        spread(&pairs.map(|(one, other)| other - one).collect::<Vec<_>>())
    }

    /// The medians of all contenders.
    pub fn shown(&self, words: impl Fn(f64) -> String) -> String {
        let median = |values: &[f64]| Spread::of(values).map_or(f64::NAN, |spread| spread.median);
        let each = self.0.iter();
        let shown = each.map(|(name, values)| format!("{name} {}", words(median(values))));
        shown.collect::<Vec<_>>().join(", ")
    }

    fn of(&self, name: &str) -> Result<&[f64]> {
        let found = self.0.iter().find(|(known, _)| *known == name);
        let (_, values) = found.with_context(|| format!("{name} was not measured"))?;
        Ok(values)
    }
}

/// The spread of some values.
///
/// # Errors
/// Returns an error if there are none.
pub fn spread(values: &[f64]) -> Result<Spread> {
    Spread::of(values).context("no rounds")
}

/// A ratio in words.
pub fn times(Spread { median, min, max }: Spread) -> String {
    format!("{median:.2}× ({min:.2}–{max:.2})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_within_a_round() {
        let mut values = [4.0, 1.0, 3.0, 9.0, 8.0, 2.0].into_iter();
        let next = |_| values.next().context("a value");
        let rounds = Rounds::measure(3, &["slow", "fast"], next).unwrap();
        assert_eq!(rounds.of("slow").unwrap(), [4.0, 9.0, 8.0]);
        let ratio = rounds.ratio("fast", "slow").unwrap();
        assert_eq!((ratio.median, ratio.min, ratio.max), (4.0, 3.0, 4.0));
        let more = rounds.difference("fast", "slow").unwrap();
        assert_eq!((more.median, more.min, more.max), (6.0, 3.0, 6.0));
        assert!(rounds.ratio("slow", "nobody").is_err());
    }
}
