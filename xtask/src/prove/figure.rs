//! Prints figures as the table of a proof page.

use std::fmt::Write as _;

pub(crate) use claw_testkit::figure::{Figure, Spread};

/// Renders the table in Markdown, then the notes of each figure.
pub(crate) fn render(figures: &[Figure]) -> String {
    let mut out = String::from("| figure | bar | measured | verdict |\n|---|---|---|---|\n");
    for figure in figures {
        let verdict = if figure.passed { "ok" } else { "SHORT" };
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| {} | {} | {} | {verdict} |",
            cell(&figure.name),
            cell(&figure.bar),
            cell(&figure.measured),
        );
    }
    for figure in figures.iter().filter(|figure| !figure.notes.is_empty()) {
        let _ = writeln!(out, "\n## {}\n", figure.name);
        for note in &figure.notes {
            // Items of a list and rows of a table need no bullet.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_a_row_a_verdict_and_notes() {
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
}
