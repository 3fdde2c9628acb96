//! Measures progress read from texts against independent labels, and the size of the parser.

use std::path::Path;

use anyhow::{Context, Result};
use claw_server::progress::TextOrigin;

use super::Inputs;
use super::progress_score::{Score, score};
use crate::prove::figure::Figure;

/// The minimum precision of a set.
const PRECISION: f64 = 0.95;
/// The minimum number of correct updates of tool output in the sealed set.
const RIGHT: usize = 100;
/// The maximum number of lines of code of the parser.
const LINES: usize = 1800;
const READER: &str = "crates/claw-server/src/progress/parser";

/// A quick run leaves the sealed sets alone: a set that every run of CI measures is not sealed for
/// long.
pub(super) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    if !inputs.quick {
        let folder = inputs.root.join("testdata/server/progress");
        figures.push(sealed(&folder)?);
        figures.push(reserve(&folder)?);
    }
    figures.push(size(&inputs.root)?);
    Ok(figures)
}

fn sealed(folder: &Path) -> Result<Figure> {
    let [prose, output] = scores(&folder.join("sealed_texts.jsonl"))?;
    let passed = precision(&prose, &output) >= PRECISION && output.right >= RIGHT;
    Ok(Figure::new(
        "progress read from text, sealed set",
        "precision ≥ 0.95; ≥ 100 right updates of tool output; recall is printed",
    )
    .measured(
        format!(
            "precision {:.3}; {} right updates of tool output",
            precision(&prose, &output),
            output.right
        ),
        passed,
    )
    .note("The lines were not looked at while the reader was written; two labellers agree on every line.")
    .note("The reader reports what it is sure of and stays silent otherwise, so recall has no bar.")
    .list("by source", by_source(&prose, &output)))
}

fn reserve(folder: &Path) -> Result<Figure> {
    let [prose, output] = scores(&folder.join("reserve_texts.jsonl"))?;
    let precision = precision(&prose, &output);
    Ok(Figure::new(
        "progress read from text, reserve set",
        "precision ≥ 0.95; recall is printed",
    )
    .measured(format!("precision {precision:.3}"), precision >= PRECISION)
    .note("It was measured for the first time when the reader was finished.")
    .list("by source", by_source(&prose, &output)))
}

fn scores(file: &Path) -> Result<[Score; 2]> {
    let of =
        |source| score(file, source).with_context(|| format!("cannot read {}", file.display()));
    Ok([of(TextOrigin::Prose)?, of(TextOrigin::ToolOutput)?])
}

/// Both sources together.
fn precision(prose: &Score, output: &Score) -> f64 {
    let right = prose.right + output.right;
    let all = right + prose.wrong + output.wrong;
    right as f64 / all.max(1) as f64
}

fn by_source(prose: &Score, output: &Score) -> [String; 2] {
    [("prose", prose), ("tool output", output)].map(|(source, score)| {
        format!(
            "{source}: precision {:.3}, recall {:.3} ({} right, {} wrong, {} missed of {} texts, {} without progress)",
            score.precision(),
            score.recall(),
            score.right,
            score.wrong,
            score.missed,
            score.texts,
            score.without_progress
        )
    })
}

fn size(root: &Path) -> Result<Figure> {
    let mut files = vec![root.join(format!("{READER}.rs"))];
    let mut folders = vec![root.join(READER)];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|name| name != "tests.rs") {
                files.push(path);
            }
        }
    }
    let mut lines = 0;
    for file in &files {
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("cannot read {}", file.display()))?;
        lines += code_lines(&text);
    }
    Ok(Figure::new(
        "lines of code of the reader of texts, without comments, blanks and tests",
        "≤ 1,800",
    )
    .measured(format!("{lines} in {} files", files.len()), lines <= LINES)
    .note(format!("`{READER}.rs` and the files below `{READER}/`.")))
}

/// Counts lines that are neither blank nor comments, up to the tests at the end of a file.
fn code_lines(text: &str) -> usize {
    text.lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]"))
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}

#[cfg(test)]
mod tests {
    use super::code_lines;

    #[test]
    fn comments_blank_lines_and_tests_are_not_counted() {
        let text = "//! Doc.\n\nuse a;\n\n/// Doc.\nfn f() {\n    // Why.\n    g();\n}\n\n#[cfg(test)]\nmod tests {\n    fn t() {}\n}\n";
        assert_eq!(code_lines(text), 4);
    }
}
