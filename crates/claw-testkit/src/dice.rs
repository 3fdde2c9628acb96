//! Pseudo-random numbers, the same on every machine.

/// SplitMix64, without the platform's mathematics: a corpus is the same on every machine and with
/// every version of a crate.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn wide(&mut self) -> u128 {
        (u128::from(self.number()) << 64) | u128::from(self.number())
    }

    /// A random (version 4) UUID.
    pub(crate) fn uuid(&mut self) -> u128 {
        self.wide() & !(0xf << 76) & !(0x3 << 62) | (0x4 << 76) | (0x2 << 62)
    }

    /// A number from `low` up to but not including `high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        let span = high.saturating_sub(low).max(1) as u64;
        low + (self.number() % span) as usize
    }

    /// Returns `true` so many times out of a thousand.
    pub fn per_mille(&mut self, times: u64) -> bool {
        self.number() % 1000 < times
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
        (self.number() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A UUID as text.
pub(crate) fn uuid_text(uuid: u128) -> String {
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        uuid >> 96,
        (uuid >> 80) & 0xffff,
        (uuid >> 64) & 0xffff,
        (uuid >> 48) & 0xffff,
        uuid & 0xffff_ffff_ffff
    )
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
