//! The reader of progress against texts whose progress is known.

use std::path::{Path, PathBuf};

use claw_server::progress::{ProgressParser, ProseProgress, TextOrigin};

use crate::progress_cases::{
    any_words, ends_said, ends_said_more, last_lines, monitored, moving, moving_more, nothing,
    other_words, plain_lines, plain_words, runners, runners_at_large, said, scripts, sentences,
    shown, stops, stops_by_tool, stops_more, stops_of_transfers, tests_run, told_apart, tools,
    works,
};
use crate::progress_score::{Split, score};

/// `kind done/total percent state`, with strokes for what is not there.
fn short(update: Option<ProseProgress>) -> String {
    let Some(update) = update else {
        return "nothing".to_owned();
    };
    let name = |value: serde_json::Value| value.as_str().unwrap_or("?").to_owned();
    let number = |number: Option<f64>| number.map_or("-".to_owned(), |n| n.to_string());
    let place = match (update.done, update.total) {
        (None, None) => "-".to_owned(),
        (done, total) => format!("{}/{}", number(done), number(total)),
    };
    format!(
        "{} {place} {} {}",
        name(serde_json::to_value(update.kind).unwrap()),
        number(update.percent),
        name(serde_json::to_value(update.state).unwrap()),
    )
}

fn check(cases: &[(&str, &str)], nothing: &[&str], origin: TextOrigin) {
    let parser = ProgressParser::new();
    let mut wrong = Vec::new();
    let cases = cases.iter().copied();
    for (text, want) in cases.chain(nothing.iter().map(|text| (*text, "nothing"))) {
        let got = short(parser.parse(text, origin));
        if got != want {
            wrong.push(format!("{text:?}\n    {got}, and {want} is right"));
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

fn labelled(file: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/server/progress");
    folder.join(file)
}

#[test]
fn what_an_agent_says_is_read() {
    check(sentences::SAID, sentences::SAID_NOTHING, TextOrigin::Prose);
}

#[test]
fn what_a_tool_prints_is_read() {
    let printed = [runners::PRINTED, tools::PRINTED].concat();
    check(&printed, nothing::PRINTED_NOTHING, TextOrigin::ToolOutput);
}

#[test]
fn what_rarer_runners_print_is_read() {
    check(
        runners_at_large::PRINTED,
        runners_at_large::PRINTED_NOTHING,
        TextOrigin::ToolOutput,
    );
}

#[test]
fn whole_outputs_are_read() {
    let printed = [works::PRINTED, scripts::PRINTED, tests_run::PRINTED].concat();
    let nothing = [shown::PRINTED_NOTHING, monitored::PRINTED_NOTHING].concat();
    check(&printed, &nothing, TextOrigin::ToolOutput);
}

#[test]
fn what_moves_is_read_whatever_it_is_called() {
    let printed = [moving::PRINTED, moving_more::PRINTED].concat();
    let nothing = [moving::PRINTED_NOTHING, moving_more::PRINTED_NOTHING].concat();
    check(&printed, &nothing, TextOrigin::ToolOutput);
}

#[test]
fn plain_lines_are_read() {
    let (printed, nothing) = (plain_lines::PRINTED, plain_lines::PRINTED_NOTHING);
    check(printed, nothing, TextOrigin::ToolOutput);
}

#[test]
fn near_misses_are_told_apart() {
    let (printed, nothing) = (told_apart::PRINTED, told_apart::PRINTED_NOTHING);
    check(printed, nothing, TextOrigin::ToolOutput);
}

#[test]
fn the_last_lines_tell_the_state() {
    let groups = [
        (38, last_lines::STOPS, "failed"),
        (38, last_lines::GOES_ON, "running"),
        (80, last_lines::ENDS_WELL, "finished"),
        (80, last_lines::ENDS_BADLY, "failed"),
    ];
    for (done, ends, state) in groups {
        let want = format!("count {done}/80 - {state}");
        for end in ends {
            let before = done - 1;
            let text = format!("Copying {before}/80 shots\nCopying {done}/80 shots\n{end}");
            check(&[(&text, &want)], &[], TextOrigin::ToolOutput);
        }
    }
}

#[test]
fn what_is_said_in_several_languages_is_read() {
    check(said::SAID, said::SAID_NOTHING, TextOrigin::Prose);
}

#[test]
fn what_is_said_in_any_words_is_read() {
    check(any_words::SAID, any_words::SAID_NOTHING, TextOrigin::Prose);
}

#[test]
fn what_is_said_in_other_words_is_read() {
    let nothing = other_words::SAID_NOTHING;
    check(other_words::SAID, nothing, TextOrigin::Prose);
}

#[test]
fn what_is_said_in_plain_words_is_read() {
    let nothing = plain_words::SAID_NOTHING;
    check(plain_words::SAID, nothing, TextOrigin::Prose);
}

#[test]
fn how_outputs_end_is_read() {
    let printed = [
        stops::PRINTED,
        stops_more::PRINTED,
        stops_by_tool::PRINTED,
        stops_of_transfers::PRINTED,
    ]
    .concat();
    let nothing = [
        stops::PRINTED_NOTHING,
        stops_more::PRINTED_NOTHING,
        stops_by_tool::PRINTED_NOTHING,
        stops_of_transfers::PRINTED_NOTHING,
    ]
    .concat();
    check(&printed, &nothing, TextOrigin::ToolOutput);
}

#[test]
fn what_is_said_of_places_and_ends_is_read() {
    let said = [ends_said::SAID, ends_said_more::SAID].concat();
    let nothing = [ends_said::SAID_NOTHING, ends_said_more::SAID_NOTHING].concat();
    check(&said, &nothing, TextOrigin::Prose);
}

#[test]
fn the_half_that_may_be_looked_at_is_read_well() {
    for (file, least) in [("texts.jsonl", 60), ("fresh_texts.jsonl", 40)] {
        for source in [TextOrigin::Prose, TextOrigin::ToolOutput] {
            let score = score(&labelled(file), Split::Dev, source).unwrap();
            assert!(
                score.texts >= least,
                "{file}, {source:?}: {} texts",
                score.texts
            );
            let well = score.precision() >= 0.97 && score.recall() >= 0.9;
            assert!(well, "{file}, {source:?}: {}", score.misses.join("\n"));
        }
    }
}

/// What somebody else wrote after the first reader existed. A few are listed as not read.
#[test]
fn the_texts_that_came_later_are_read_well() {
    let texts = labelled("more_texts.jsonl");
    let mut misses = Vec::new();
    for source in [TextOrigin::Prose, TextOrigin::ToolOutput] {
        let score = score(&texts, Split::Dev, source).unwrap();
        assert!(score.texts >= 100, "{source:?}: {} texts", score.texts);
        let negatives = score.without_progress as f64 / score.texts as f64;
        assert!(negatives >= 0.4, "{source:?}: {negatives}");
        misses.extend(score.misses);
    }
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}

/// What several people wrote so that the reader would meet forms that it did not know. They were
/// looked at while it learned, so they show that it forgets nothing, not how well it reads.
#[test]
fn the_texts_it_learned_from_are_read_well() {
    let texts = labelled("practice_texts.jsonl");
    for (source, least) in [(TextOrigin::ToolOutput, 700), (TextOrigin::Prose, 480)] {
        let score = score(&texts, Split::Dev, source).unwrap();
        assert!(score.texts >= least, "{source:?}: {} texts", score.texts);
        let well = score.precision() >= 0.97 && score.recall() >= 0.9;
        assert!(well, "{source:?}: {}", score.misses.join("\n"));
    }
}
