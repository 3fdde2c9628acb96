//! Sentences about work that is at a place, failed or ended.

/// What is said, and the update in it.
pub(crate) const SAID: &[(&str, &str)] = &[
    (
        "So far 12 of the 30 endpoints have been ported.",
        "count 12/30 - running",
    ),
    (
        "That's 12 out of 30 endpoints ported; the remaining ones are next.",
        "count 12/30 - running",
    ),
    (
        "14 of 22 files are converted now, moving on to the rest.",
        "count 14/22 - running",
    ),
    (
        "I have gone through 9 of the 24 handlers.",
        "count 9/24 - running",
    ),
    (
        "9 of 24 handlers are migrated, 15 to go.",
        "count 9/24 - running",
    ),
    ("I'm at file 7 of 19.", "count 7/19 - running"),
    (
        "Currently on file 7 of 19: `src/cart.rs`.",
        "count 7/19 - running",
    ),
    (
        "Halfway there: 10 of 20 components are updated.",
        "count 10/20 - running",
    ),
    ("All 20 components are updated.", "count 20/20 - finished"),
    (
        "All 14 call sites have been updated.",
        "count 14/14 - finished",
    ),
    (
        "The migration failed at table 4 of 9.",
        "count 4/9 - failed",
    ),
    (
        "The import stopped after 812 of 2,000 records with a duplicate key.",
        "count 812/2000 - failed",
    ),
    (
        "The tests are running: 40 of 120 are done.",
        "test_run 40/120 - running",
    ),
    (
        "The test suite is still running, 312 of 940 tests so far.",
        "test_run 312/940 - running",
    ),
    (
        "The tests failed: 3 of 120 are red.",
        "test_run 120/120 - failed",
    ),
    ("3 of the 120 tests fail.", "test_run 120/120 - failed"),
    (
        "117 of 120 tests pass, three fail.",
        "test_run 120/120 - failed",
    ),
    (
        "Tests are green: 120 of 120 pass.",
        "test_run 120/120 - finished",
    ),
    ("The test run failed.", "test_run - - failed"),
    ("The test suite timed out.", "test_run - - failed"),
    ("I'm running the tests now.", "test_run - - running"),
    ("The tests pass now.", "test_run - - finished"),
    ("The subagent failed with a timeout.", "subagent - - failed"),
    (
        "The explorer subagent is still working.",
        "subagent - - running",
    ),
    (
        "Two of the three subagents have reported back.",
        "subagent 2/3 - running",
    ),
    (
        "All three subagents have finished.",
        "subagent 3/3 - finished",
    ),
    (
        "The review agent crashed before it could finish.",
        "subagent - - failed",
    ),
    (
        "I'm waiting for the two subagents to finish.",
        "subagent -/2 - running",
    ),
    (
        "The sub-agent is now looking at the auth module.",
        "subagent - - running",
    ),
];

/// What is said, and nothing in it is progress.
pub(crate) const SAID_NOTHING: &[&str] = &[
    "12 down, 18 to go.",
    "The build failed because of a missing import.",
    "The import failed with a duplicate key.",
    "It stopped with exit code 1.",
    "Three of the five reviewers agreed.",
    "The function fails for 3 of the 12 inputs.",
    "The agent would fail here if the token were missing.",
    "A subagent could look at this.",
    "The tests would fail without this change.",
    "This makes the tests fail on Windows.",
    "If the tests fail, run them again with `--nocapture`.",
    "You can run the tests with `cargo test`.",
    "The test covers 3 of the 4 branches.",
    "There are 12 tests in this file.",
    "I added 3 tests.",
    "The user agent is missing from the request.",
    "The agent's configuration has 3 sections.",
    "2 of the 7 flags are deprecated.",
    "The download fails when the disk is full.",
    "Only 4 of the 12 columns are indexed.",
    "The retry gives up after 5 attempts.",
    "The server returned 3 errors out of 10 requests.",
    "The old run had stopped at 45%.",
    "CI failed yesterday on 2 of 5 platforms.",
    "The log says `import aborted at 812/2000`.",
];
