//! One row of the table, and the table.

use std::fmt::Write as _;

/// One measured figure.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) bar: &'static str,
    pub(crate) measured: String,
    pub(crate) passed: bool,
    /// A miss that is smaller than the spread of its rounds: measured again, not failed.
    pub(crate) within_spread: bool,
    /// What is behind the number: printed below the table.
    pub(crate) notes: Vec<String>,
}

impl Figure {
    pub(crate) fn new(name: impl Into<String>, bar: &'static str) -> Self {
        Self {
            name: name.into(),
            bar,
            measured: String::new(),
            passed: false,
            within_spread: false,
            notes: Vec::new(),
        }
    }

    #[must_use]
    pub(crate) fn measured(mut self, text: impl Into<String>, passed: bool) -> Self {
        self.measured = text.into();
        self.passed = passed;
        self
    }

    /// Judged by the median of rounds, knowing their spread.
    #[must_use]
    pub(crate) fn judged(mut self, text: impl Into<String>, spread: Spread, bar: Bar) -> Self {
        self.within_spread = bar.holds(spread.best(bar));
        self.measured(text, bar.holds(spread.median))
    }

    #[must_use]
    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds a list under a heading; nothing when the list is empty.
    #[must_use]
    pub(crate) fn list<T: ToString>(
        mut self,
        heading: &str,
        items: impl IntoIterator<Item = T>,
    ) -> Self {
        let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
        if !items.is_empty() {
            self.notes.push(format!("{heading} ({}):", items.len()));
            self.notes
                .extend(items.into_iter().map(|item| format!("  - {item}")));
        }
        self
    }

    fn verdict(&self) -> &'static str {
        if self.passed { "ok" } else { "SHORT" }
    }
}

/// The table in Markdown, then the notes of each figure.
pub(crate) fn render(figures: &[Figure]) -> String {
    let mut out = String::from("| figure | bar | measured | verdict |\n|---|---|---|---|\n");
    for figure in figures {
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            cell(&figure.name),
            cell(figure.bar),
            cell(&figure.measured),
            figure.verdict()
        );
    }
    for figure in figures.iter().filter(|figure| !figure.notes.is_empty()) {
        let _ = writeln!(out, "\n## {}\n", figure.name);
        for note in &figure.notes {
            // A list under a heading, and the rows of a table, are written as they are.
            let bullet = if note.starts_with("  - ") || note.starts_with('|') {
                ""
            } else {
                "- "
            };
            let _ = writeln!(out, "{bullet}{}", note.replace('\n', " "));
        }
    }
    out
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// The side of a number on which a figure is good.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bar {
    AtMost(f64),
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

/// The median, and the smallest and largest value beside it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

impl Spread {
    /// None when there are no values.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
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

    /// The end of the spread that is nearest to what the bar asks for.
    fn best(self, bar: Bar) -> f64 {
        match bar {
            Bar::AtMost(_) => self.min,
            Bar::AtLeast(_) => self.max,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_row_a_verdict_and_notes() {
        let good = Figure::new("one", "0").measured("0", true);
        let bad = Figure::new("two", "≥ 1 | 2")
            .measured("0", false)
            .list("missing", ["a", "b"])
            .list("nothing", [""; 0]);
        let text = render(&[good, bad]);
        assert!(text.contains("| one | 0 | 0 | ok |"), "{text}");
        assert!(text.contains("| two | ≥ 1 \\| 2 | 0 | SHORT |"), "{text}");
        assert!(
            text.contains("## two\n\n- missing (2):\n  - a\n  - b\n"),
            "{text}"
        );
        assert!(
            !text.contains("nothing") && !text.contains("## one"),
            "{text}"
        );
    }

    #[test]
    fn a_miss_within_the_spread_is_told_from_one_that_is_not() {
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
    fn the_median_is_in_the_middle() {
        assert_eq!(
            Spread::of(&[3.0, 1.0, 2.0]),
            Some(Spread {
                median: 2.0,
                min: 1.0,
                max: 3.0
            })
        );
        assert_eq!(
            Spread::of(&[4.0, 1.0]).map(|spread| spread.median),
            Some(2.5)
        );
        assert_eq!(Spread::of(&[]), None);
    }
}
