//! The progress parser on labelled texts, and its size.

use std::path::Path;

use claw_server::progress::{ProgressKind, ProgressParser, ProgressState, TextOrigin};
use claw_testkit::figure::{Figure, record};

use crate::is_full;
use crate::progress_score::{Score, score};

/// The minimum precision of a set.
const PRECISION: f64 = 0.95;
/// The minimum number of correct updates of tool output in the sealed set.
const RIGHT: usize = 100;
/// The maximum number of lines of code of the parser.
const LINES: usize = 1800;
const PARSER: &str = "crates/claw-server/src/progress/parser";

/// Only a full proof reads the held-out sets, because a set that every CI run measures is soon no
/// longer held out.
#[test]
fn parser_is_precise_and_small() {
    let mut figures = Vec::new();
    if is_full() {
        figures = vec![sealed(), reserve()];
    }
    figures.push(size());
    record("progress", figures);
}

fn sealed() -> Figure {
    let [prose, output] = scores("sealed_texts.jsonl");
    let precision = precision(&prose, &output);
    Figure::new(
        "progress read from text, sealed set",
        "precision ≥ 0.95; ≥ 100 right updates of tool output; recall is printed",
    )
    .measured(
        format!("precision {precision:.3}; {} right updates of tool output", output.right),
        precision >= PRECISION && output.right >= RIGHT,
    )
    .note("The lines were not looked at while the reader was written; two labellers agree on every line.")
    .note("The reader reports what it is sure of and stays silent otherwise, so recall has no bar.")
    .list("by source", by_source(&prose, &output))
}

fn reserve() -> Figure {
    let [prose, output] = scores("reserve_texts.jsonl");
    let precision = precision(&prose, &output);
    Figure::new(
        "progress read from text, reserve set",
        "precision ≥ 0.95; recall is printed",
    )
    .measured(format!("precision {precision:.3}"), precision >= PRECISION)
    .note("It was measured for the first time when the reader was finished.")
    .list("by source", by_source(&prose, &output))
}

fn scores(file: &str) -> [Score; 2] {
    [TextOrigin::Prose, TextOrigin::ToolOutput].map(|source| score(file, source))
}

/// The precision of both sources together.
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

fn size() -> Figure {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec![root.join(format!("{PARSER}.rs"))];
    let mut folders = vec![root.join(PARSER)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|name| name != "tests.rs") {
                files.push(path);
            }
        }
    }
    let lines: usize = files
        .iter()
        .map(|file| code_lines(&std::fs::read_to_string(file).unwrap()))
        .sum();
    Figure::new(
        "lines of code of the reader of texts, without comments, blanks and tests",
        "≤ 1,800",
    )
    .measured(format!("{lines} in {} files", files.len()), lines <= LINES)
    .note(format!("`{PARSER}.rs` and the files below `{PARSER}/`."))
}

/// Counts lines that are neither blank nor comments, up to the tests at the end of a file.
fn code_lines(text: &str) -> usize {
    text.lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]"))
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}

#[test]
fn comments_blank_lines_and_tests_are_not_counted() {
    let text = "//! Doc.\n\nuse a;\n\n/// Doc.\nfn f() {\n    // Why.\n    g();\n}\n\n#[cfg(test)]\nmod tests {\n    fn t() {}\n}\n";
    assert_eq!(code_lines(text), 4);
}

/// Requires full precision. The recall has a floor, so that the loss of a pattern is noticed.
#[test]
fn the_practice_texts_are_read_rightly_or_not_at_all() {
    for (source, least) in [(TextOrigin::Prose, 0.2), (TextOrigin::ToolOutput, 0.7)] {
        let score = score("texts.jsonl", source);
        assert!(score.texts >= 100, "{source:?}: {} texts", score.texts);
        assert!(
            score.without_progress * 5 >= score.texts * 2,
            "{source:?}: {} of {}",
            score.without_progress,
            score.texts
        );
        let wrong = score.wrong_ones.join("\n");
        assert!(score.precision() >= 0.98, "{source:?}: {wrong}");
        assert!(score.recall() >= least, "{source:?}: {}", score.recall());
    }
}

#[test]
fn a_text_says_what_is_counted_and_how_sure_it_is() {
    let parser = ProgressParser::new();
    let text = "[211/1422] CXX obj/base/time.o\nninja: build stopped: subcommand failed.";
    let update = parser.parse(text, TextOrigin::ToolOutput).unwrap();
    assert_eq!(update.kind, ProgressKind::Count);
    assert_eq!((update.done, update.total), (Some(211.0), Some(1422.0)));
    assert_eq!(update.state, ProgressState::Failed);
    assert_eq!(update.label.as_deref(), Some("CXX obj/base/time.o"));
    let run = "test result: ok. 34 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";
    let run = parser.parse(run, TextOrigin::ToolOutput).unwrap();
    let said = parser
        .parse("Step 2/7: move it.", TextOrigin::Prose)
        .unwrap();
    assert!(run.confidence > update.confidence && update.confidence > said.confidence);
}
