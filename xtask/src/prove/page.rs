//! Figures as the table of a page.

use std::fmt::Write as _;

use crate::figure::Figure;

/// Renders the table in Markdown, then the notes of each figure.
pub(crate) fn render(figures: &[Figure]) -> String {
    let mut out = table(figures);
    for figure in figures.iter().filter(|figure| !figure.notes.is_empty()) {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "\n## {}\n", figure.name);
        for note in &figure.notes {
            // Items of a list and rows of a table need no bullet.
            let is_item = note.starts_with("  - ") || note.starts_with('|');
            let bullet = if is_item { "" } else { "- " };
            let _ = writeln!(out, "{bullet}{}", note.replace('\n', " "));
        }
    }
    out
}

/// Renders the table.
pub(crate) fn table(figures: &[Figure]) -> String {
    let mut out = String::from("| figure | bar | measured | verdict |\n|---|---|---|---|\n");
    for figure in figures {
        let verdict = if figure.passed { "ok" } else { "SHORT" };
        let [name, bar, measured] = [&figure.name, &figure.bar, &figure.measured]
            .map(|text| text.replace('|', "\\|").replace('\n', " "));
        let _ = writeln!(out, "| {name} | {bar} | {measured} | {verdict} |");
    }
    out
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
        for expected in [
            "| one | 0 | 0 | ok |",
            "| two | ≥ 1 \\| 2 | 0 | SHORT |",
            "## two\n\n- missing (2):\n  - a\n  - b\n",
        ] {
            assert!(text.contains(expected), "{text}");
        }
        assert!(
            !text.contains("nothing") && !text.contains("## one"),
            "{text}"
        );
    }
}
