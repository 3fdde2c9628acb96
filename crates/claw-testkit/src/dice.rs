//! Pseudo-random numbers, the same on every machine.

/// SplitMix64, without the platform's mathematics.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn wide(&mut self) -> u128 {
        (u128::from(self.next()) << 64) | u128::from(self.next())
    }

    /// A number from `low` up to but not including `high`.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        let span = high.saturating_sub(low).max(1) as u64;
        low + (self.next() % span) as usize
    }

    /// Returns `true` so many times out of a thousand.
    pub(crate) fn per_mille(&mut self, times: u64) -> bool {
        self.next() % 1000 < times
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.between(0, from.len())]
    }

    /// A size around a median, with a long tail, as sizes of texts and files have it.
    pub(crate) fn size(&mut self, median: usize, spread: f64, low: usize, high: usize) -> usize {
        // The sum of twelve numbers is nearly normal.
        let sum: f64 = (0..12).map(|_| self.unit()).sum();
        let size = median as f64 * exponential(spread * (sum - 6.0));
        (size as usize).clamp(low, high)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The exponential function, from additions and multiplications only: libraries differ in the last
/// digit, and a corpus must not.
fn exponential(x: f64) -> f64 {
    let halved = x / 64.0;
    let mut term = 1.0;
    let mut sum = 1.0;
    for n in 1..12 {
        term *= halved / f64::from(n);
        sum += term;
    }
    (0..6).fold(sum, |power, _| power * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_function_is_one() {
        for x in [-7.5, -1.0, 0.0, 0.3, 2.0, 9.0_f64] {
            assert!((exponential(x) / x.exp() - 1.0).abs() < 1e-9, "{x}");
        }
    }

    #[test]
    fn sizes_lie_around_their_median() {
        let mut dice = Dice::new(3);
        let mut sizes: Vec<_> = (0..999).map(|_| dice.size(1000, 1.0, 5, 9000)).collect();
        sizes.sort_unstable();
        assert!((850..1150).contains(&sizes[500]), "{}", sizes[500]);
        assert!(sizes[0] >= 5 && sizes[998] <= 9000);
    }
}
