use super::*;
use crate::progress::TextOrigin::Prose;
use crate::progress::parser::tests::{Case, check, check_rows};

const CASES: &[Case] = &[
    (
        "n of m sub-agents ended",
        "Two of the three agents have finished.",
        "agent 2/3 - running",
    ),
    (
        "n of m sub-agents ended",
        "4 of 4 agents are done.",
        "agent 4/4 - finished",
    ),
    (
        "sub-agents begin",
        "I'll launch 3 agents.",
        "agent -/3 - running",
    ),
    (
        "sub-agents begin",
        "Starting a subagent to read the scripts.",
        "agent -/- - running",
    ),
    (
        "test n of m",
        "Running test 5 of 20...",
        "tests 5/20 - running",
    ),
    (
        "step n of m",
        "Step 2/7: extracting the parser.",
        "step 2/7 - running",
    ),
    (
        "step n of m",
        "Step five of nine: regenerate the snapshots.",
        "step 5/9 - running",
    ),
    ("step n of m", "Phase 2/2 complete.", "step 2/2 - finished"),
    (
        "all tests pass",
        "All 34 tests pass now.",
        "tests 34/34 - finished",
    ),
    (
        "n of m tests pass",
        "38 of 40 tests pass.",
        "tests 40/40 - failed",
    ),
    (
        "verdicts of tests",
        "The run is over: 186 passed, 5 failed, 9 skipped.",
        "tests 200/200 - failed",
    ),
    (
        "work in hand",
        "Working on file 4 of 9.",
        "count 4/9 - running",
    ),
    (
        "work done",
        "I've updated 12 of the 30 files.",
        "count 12/30 - running",
    ),
    (
        "work done so far",
        "10 of 24 snapshots reviewed so far.",
        "count 10/24 - running",
    ),
    (
        "share done",
        "The migration is about 60% complete.",
        "percent -/- 60 running",
    ),
];

#[test]
fn each_pattern_matches() {
    assert_eq!(TABLE.len(), FORMS.len(), "a row is no regular expression");
    check_rows(FORMS, CASES, Prose, |line| Some(TABLE.find(line)?.0.name));
}

#[test]
fn the_last_sentence_wins() {
    check(
        &[
            (
                "I'll run the suite now. Running test 5 of 20...",
                "tests 5/20 - running",
            ),
            (
                "**Step 1 of 3: Read**\n\nDone.\n\n**Step 2 of 3: Write**\n",
                "step 2/3 - running",
            ),
            (
                "Step 2/7 is next.\n\n- [x] a\n- [ ] b",
                "list 1/2 - running",
            ),
        ],
        Prose,
    );
}

#[test]
fn sentences_about_other_things_are_ignored() {
    for said in [
        "50 % of users never open this page.",
        "If step 2 of 7 fails, start again.",
        "Yesterday I've updated 12 of the 30 files.",
        "The log says \"Step 2/7\".",
        "`Step 2/7`",
        "> Step 2/7: build",
        "```\nStep 2/7: build\n```",
        "Step 2 of 7 was not run.",
        "Shall I start step 2 of 7?",
        "The coverage is 60% complete.",
        "I could launch 3 agents.",
        // Two counters, and a counter of no known pattern after a known one.
        "Phase 1/3 is complete, starting phase 2/3.",
        "Step 1 of 3 is committed. The next one, 2 of 3, begins.",
        // The work stopped, or is the last of many and not reported as done.
        "Step 2 of 7 failed.",
        "Working on file 9 of 9.",
        "Step 7 of 7: write the summary.",
        "Paso 4 de 6: ahora actualizo.",
    ] {
        check(&[(said, "nothing")], Prose);
    }
}
