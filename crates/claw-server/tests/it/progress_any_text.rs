//! The reader of progress against texts that nobody wrote.

use claw_server::progress::{ProgressParser, TextOrigin};
use proptest::prelude::*;

/// Pieces of what real texts are made of; put together at random they reach further than letters.
const PIECES: &[&str] = &[
    "0",
    "1",
    "5",
    "20",
    "100",
    "1,204",
    "1.234",
    "12.3",
    "2 500",
    "05",
    "99999999999999999999",
    "/",
    " of ",
    " out of ",
    " von ",
    "%",
    " ",
    "  ",
    "\n",
    "\r",
    "\t",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "|",
    ":",
    ";",
    ",",
    ".",
    "...",
    "-",
    "—",
    "#",
    "=",
    "===",
    "###",
    "█",
    "━",
    "`",
    "```",
    "\"",
    "“",
    "„",
    "*",
    "**",
    "_",
    "'",
    "step",
    "Step ",
    "phase ",
    "Epoch ",
    "test ",
    "tests ",
    "Tests:",
    "running ",
    "test result: ok. ",
    "passed",
    "failed",
    "skipped",
    "total",
    "Tests run: ",
    "Summary [",
    "Starting ",
    "collected ",
    "items",
    "Ran ",
    " in ",
    "OK",
    "FAILED",
    "1..",
    "ok ",
    "not ok ",
    "Executed ",
    "DONE ",
    "[==========] ",
    "[  PASSED  ] ",
    "Test #",
    "% Total % Received",
    "12 passing",
    "1 failing",
    "agent",
    "agents ",
    "I'll launch ",
    "Agent \"",
    "finished",
    "have ",
    "all ",
    "All ",
    "- [x] ",
    "- [ ] ",
    "✅ ",
    "☐ ",
    "Downloading ",
    "Processed ",
    "files",
    "MB",
    "MB/s",
    "ETA",
    "done",
    "Building ",
    "\u{1b}[32m",
    "\u{1b}[2K",
    "\u{1b}]8;;",
    "\u{7}",
    "\u{8}",
    "\u{1b}",
    "é",
    "漢",
    "第",
    "步",
    "共",
    "中",
    "个",
    "중",
    "😀",
    "\u{a0}",
    "\u{202f}",
    "\u{fffc}",
    "ſ",
    "İ",
    "ǆ",
    "diff --git ",
    "$ cat ",
    "commit 1a2b3c4d",
    "Mar 03 02:00:11 ",
    "2026-03-04",
    "10:14:02",
    "src/a.rs:12:",
    "v1.2.3",
    "http://a/b",
    "00:05 +45 -1: ",
    "Files=3, Tests=45",
    "to-chk=1/2",
    "(xfr#1",
];

fn built() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

fn holds(text: &str) {
    let parser = ProgressParser::new();
    for origin in [TextOrigin::Prose, TextOrigin::ToolOutput] {
        let Some(update) = parser.parse(text, origin) else {
            continue;
        };
        assert_eq!(
            parser.parse(text, origin).as_ref(),
            Some(&update),
            "{text:?}"
        );
        let numbers = [update.done, update.total, update.percent];
        assert!(
            numbers.iter().flatten().all(|n| n.is_finite() && *n >= 0.0),
            "{text:?}: {update:?}"
        );
        if let (Some(done), Some(total)) = (update.done, update.total) {
            assert!(done <= total, "{text:?}: {update:?}");
        }
        assert!(
            update.percent.is_none_or(|percent| percent <= 100.0),
            "{text:?}: {update:?}"
        );
        assert!(
            (0.0..=1.0).contains(&update.confidence),
            "{text:?}: {update:?}"
        );
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
    let start = std::time::Instant::now();
    let mut text = line.repeat(400_000);
    text.push_str("[340/340] Linking app\n");
    let parser = ProgressParser::new();
    let update = parser.parse(&text, TextOrigin::ToolOutput).unwrap();
    assert_eq!(update.done, Some(340.0));
    assert!(
        parser
            .parse(&"1/".repeat(2_000_000), TextOrigin::Prose)
            .is_none()
    );
    // A bound against squares, not a measurement: a debug build needs a fraction of it.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
