//! The progress parser on random texts.

use claw_server::progress::{ProgressParser, TextOrigin};
use claw_testkit::processes::cpu_time;
use proptest::prelude::*;

use crate::testdata;

/// Pieces of real texts; put together at random they reach further than letters.
fn built() -> impl Strategy<Value = String> {
    let pieces = std::fs::read_to_string(testdata("server/progress/pieces.jsonl")).unwrap();
    let pieces = pieces
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let pieces: Vec<String> = pieces.collect();
    prop::collection::vec(prop::sample::select(pieces), 0..40).prop_map(|pieces| pieces.concat())
}

fn holds(text: &str) {
    let parser = ProgressParser::new();
    for origin in [TextOrigin::Prose, TextOrigin::ToolOutput] {
        let Some(update) = parser.parse(text, origin) else {
            continue;
        };
        let is_amount = |number: &f64| number.is_finite() && *number >= 0.0;
        let numbers = [update.done, update.total, update.percent];
        let counts = update.done.zip(update.total);
        let holds = numbers.iter().flatten().all(is_amount)
            && counts.is_none_or(|(done, total)| done <= total)
            && update.percent.is_none_or(|percent| percent <= 100.0)
            && (0.0..=1.0).contains(&update.confidence)
            && parser.parse(text, origin).as_ref() == Some(&update);
        assert!(holds, "{text:?}: {update:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_without_panic(text in any::<String>()) {
        holds(&text);
    }

    #[test]
    fn any_text_of_real_pieces_gives_an_update_that_makes_sense(text in built()) {
        holds(&text);
    }
}

#[test]
fn a_large_text_costs_no_more_than_its_head_and_tail() {
    let line = "[12/340] CC foo.o Step 2/7: 45% of 3,511 files processed, 12 passed; 1 failed\n";
    let start = cpu_time();
    let mut text = line.repeat(400_000);
    text.push_str("[340/340] Linking app\n");
    let parser = ProgressParser::new();
    let update = parser.parse(&text, TextOrigin::ToolOutput).unwrap();
    assert_eq!(update.done, Some(340.0));
    let endless = "1/".repeat(2_000_000);
    assert_eq!(parser.parse(&endless, TextOrigin::Prose), None);
    // A bound against squares, not a measurement: a debug build needs a fraction of it.
    let used = cpu_time() - start;
    assert!(used.as_secs() < 20, "{used:?}");
}
