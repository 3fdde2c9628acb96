//! One row of the table, and the table.

use std::fmt::Write as _;

/// One measured figure.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) bar: &'static str,
    pub(crate) measured: String,
    pub(crate) passed: bool,
    /// What is behind the number: printed below the table.
    pub(crate) notes: Vec<String>,
}

impl Figure {
    pub(crate) fn new(name: &'static str, bar: &'static str) -> Self {
        Self {
            name,
            bar,
            measured: String::new(),
            passed: false,
            notes: Vec::new(),
        }
    }

    #[must_use]
    pub(crate) fn measured(mut self, text: impl Into<String>, passed: bool) -> Self {
        self.measured = text.into();
        self.passed = passed;
        self
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
            cell(figure.name),
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
