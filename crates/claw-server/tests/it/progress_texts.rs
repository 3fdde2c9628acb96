//! Tests the progress parser with labelled texts and with hostile text.

use std::path::{Path, PathBuf};

use claw_server::progress::{ProgressKind, ProgressParser, ProgressState, TextOrigin};

use crate::progress_score::score;

fn labelled(file: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/server/progress");
    folder.join(file)
}

/// Requires full precision. The recall has a floor, so that the loss of a pattern is noticed.
#[test]
fn the_practice_texts_are_read_rightly_or_not_at_all() {
    for (source, least) in [(TextOrigin::Prose, 0.2), (TextOrigin::ToolOutput, 0.7)] {
        let score = score(&labelled("texts.jsonl"), source).unwrap();
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
