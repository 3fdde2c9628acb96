//! Figures that tests and benches measure, and the records that `cargo xtask prove` reads.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Names the folder for records. `cargo xtask prove` sets it.
pub const FIGURES: &str = "CLAW_FIGURES";
/// Asks for all rounds and full sizes, if set. `cargo xtask prove` sets it.
pub const FULL: &str = "CLAW_FULL";

/// One measured figure: a row of a proof page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    /// What is measured.
    pub name: String,
    /// What the figure must reach.
    pub bar: String,
    /// The measured value.
    pub measured: String,
    /// Whether the value reaches the bar.
    pub passed: bool,
    /// Whether a miss is smaller than the spread of the rounds. Such a figure is measured again.
    pub within_spread: bool,
    /// Details, printed below the table.
    pub notes: Vec<String>,
}

impl Figure {
    /// A figure that is not measured yet.
    pub fn new(name: impl Into<String>, bar: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            bar: bar.into(),
            measured: String::new(),
            passed: false,
            within_spread: false,
            notes: Vec::new(),
        }
    }

    /// Sets the value and the verdict.
    #[must_use]
    pub fn measured(mut self, text: impl Into<String>, passed: bool) -> Self {
        self.measured = text.into();
        self.passed = passed;
        self
    }

    /// Sets the value; the median of the rounds decides the verdict.
    #[must_use]
    pub fn judged(mut self, text: impl Into<String>, spread: Spread, bar: Bar) -> Self {
        self.within_spread = bar.holds(spread.best(bar));
        self.measured(text, bar.holds(spread.median))
    }

    /// Removes the verdict from a figure of a quick run that depends on the speed of the machine:
    /// such a run shows that the measurement works, in an unoptimised build and beside other
    /// programs.
    #[must_use]
    pub fn timed(mut self) -> Self {
        self.passed |= quick();
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds a list under a heading, if the list is not empty.
    #[must_use]
    pub fn list<T: ToString>(mut self, heading: &str, items: impl IntoIterator<Item = T>) -> Self {
        let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
        if !items.is_empty() {
            self.notes.push(format!("{heading} ({}):", items.len()));
            self.notes
                .extend(items.into_iter().map(|item| format!("  - {item}")));
        }
        self
    }
}

/// The side of a number on which a figure passes.
#[derive(Debug, Clone, Copy)]
pub enum Bar {
    /// Passes up to this number.
    AtMost(f64),
    /// Passes from this number on.
    AtLeast(f64),
}

impl Bar {
    fn holds(self, value: f64) -> bool {
        match self {
            Self::AtMost(bar) => value <= bar,
            Self::AtLeast(bar) => value >= bar,
        }
    }
}

/// The median, the smallest and the largest of several values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
}

impl Spread {
    /// Returns `None` if there are no values.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let middle = sorted.len() / 2;
        let upper = *sorted.get(middle)?;
        let median = if sorted.len().is_multiple_of(2) {
            (*sorted.get(middle.checked_sub(1)?)? + upper) / 2.0
        } else {
            upper
        };
        Some(Self { median, min, max })
    }

    /// The end of the spread that is nearest to the bar.
    fn best(self, bar: Bar) -> f64 {
        match bar {
            Bar::AtMost(_) => self.min,
            Bar::AtLeast(_) => self.max,
        }
    }
}

/// Writes the figures of a group to `$CLAW_FIGURES/<group>.json`, if that variable is set.
///
/// # Panics
/// If there are no figures, if one does not pass, or if the record cannot be written.
pub fn record(group: &str, figures: Vec<Figure>) {
    assert!(!figures.is_empty(), "{group} has no figures");
    if let Some(folder) = std::env::var_os(FIGURES) {
        let path = PathBuf::from(folder).join(format!("{group}.json"));
        let written = serde_json::to_vec(&figures)
            .map_err(std::io::Error::from)
            .and_then(|text| std::fs::write(&path, text));
        if let Err(error) = written {
            panic!("cannot write {}: {error}", path.display());
        }
    }
    assert_reached(group, figures);
}

fn assert_reached(group: &str, figures: Vec<Figure>) {
    let short: Vec<String> = figures
        .into_iter()
        .filter(|figure| !figure.passed)
        .map(|figure| {
            let Figure {
                name,
                bar,
                measured,
                notes,
                ..
            } = figure;
            format!("{name}: {measured} (bar: {bar})\n{}", notes.join("\n"))
        })
        .collect();
    assert!(
        short.is_empty(),
        "figures of {group} fall short:\n{}",
        short.join("\n")
    );
}

/// Whether fewer rounds and smaller sizes are enough.
pub fn quick() -> bool {
    std::env::var_os(FULL).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn miss_within_the_spread_is_marked() {
        let spread = Spread {
            median: 2.1,
            min: 1.9,
            max: 2.4,
        };
        let figure = |bar| Figure::new("", "").judged("", spread, bar);
        let verdicts = |figure: Figure| (figure.passed, figure.within_spread);
        assert_eq!(verdicts(figure(Bar::AtMost(2.2))), (true, true));
        assert_eq!(verdicts(figure(Bar::AtMost(2.0))), (false, true));
        assert_eq!(verdicts(figure(Bar::AtMost(1.8))), (false, false));
        assert_eq!(verdicts(figure(Bar::AtLeast(2.3))), (false, true));
        assert_eq!(verdicts(figure(Bar::AtLeast(2.5))), (false, false));
    }

    #[test]
    fn median_is_in_the_middle() {
        let spread = Spread::of(&[3.0, 1.0, 2.0]).map(|s| (s.median, s.min, s.max));
        assert_eq!(spread, Some((2.0, 1.0, 3.0)));
        assert_eq!(Spread::of(&[4.0, 1.0]).map(|s| s.median), Some(2.5));
        assert_eq!(Spread::of(&[]), None);
    }

    #[test]
    #[should_panic(expected = "speed: slow (bar: fast)")]
    fn figure_that_falls_short_fails_the_test() {
        let figure = Figure::new("speed", "fast");
        assert_reached("x", vec![figure.measured("slow", false)]);
    }
}
