//! Figures that the median of several rounds decides.

use claw_testkit::figure::{Bar, Figure, Spread};

/// A figure and its verdict. It falls short if no round was completed.
pub(crate) fn judged(
    name: impl Into<String>,
    (bar, limit): (&str, Bar),
    words: impl Fn(f64) -> String,
    rounds: impl Into<Option<Spread>>,
) -> Figure {
    let figure = Figure::new(name, bar);
    match rounds.into() {
        Some(spread) if spread.median.is_finite() => figure
            .judged(with_spread(spread, words), spread, limit)
            .timed(),
        _ => figure.measured("no round was completed", false),
    }
}

/// The median of some rounds in words, with the smallest and the largest value.
pub(crate) fn with_spread(
    Spread { median, min, max }: Spread,
    words: impl Fn(f64) -> String,
) -> String {
    let [median, min, max] = [median, min, max].map(words);
    format!("{median} ({min} to {max})")
}

/// Milliseconds in words.
pub(crate) fn in_ms(ms: f64) -> String {
    format!("{ms:.2} ms")
}

/// A difference of milliseconds in words.
pub(crate) fn more_ms(ms: f64) -> String {
    format!("{ms:+.2} ms")
}

/// A rate of events in words.
pub(crate) fn per_second(rate: f64) -> String {
    format!("{rate:.0} events/s")
}

/// A ratio in words.
pub(crate) fn as_ratio(ratio: f64) -> String {
    format!("{ratio:.2}×")
}
