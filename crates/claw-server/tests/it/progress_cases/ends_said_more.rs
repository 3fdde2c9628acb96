//! More sentences about work that is at a place, failed or ended.

/// What is said, and the update in it.
pub(crate) const SAID: &[(&str, &str)] = &[
    (
        "I've now converted 8 of the 15 stylesheets.",
        "count 8/15 - running",
    ),
    (
        "Eight of ten stylesheets are converted.",
        "count 8/10 - running",
    ),
    (
        "5 of the 9 reducers are done, four are left.",
        "count 5/9 - running",
    ),
    (
        "Progress so far: 21 of 64 locales translated.",
        "count 21/64 - running",
    ),
    (
        "The crawl has reached 1,200 of 5,000 pages.",
        "count 1200/5000 - running",
    ),
    (
        "The backfill is at 40,000 of 120,000 rows.",
        "count 40000/120000 - running",
    ),
    (
        "Still going: 300 of 900 images resized.",
        "count 300/900 - running",
    ),
    (
        "The export aborted at 300 of 900 rows.",
        "count 300/900 - failed",
    ),
    ("The test run is at 40 of 120.", "test_run 40/120 - running"),
    (
        "Tests are at 40/120 with one failure so far.",
        "test_run 40/120 - running",
    ),
    ("The e2e suite crashed.", "test_run - - failed"),
    ("The unit tests failed.", "test_run - - failed"),
    ("12 tests failed.", "test_run - - failed"),
    ("The tests are still running.", "test_run - - running"),
    (
        "I'm still running the integration tests.",
        "test_run - - running",
    ),
    ("The docs subagent timed out.", "subagent - - failed"),
    (
        "My subagent is busy with the migration.",
        "subagent - - running",
    ),
    (
        "Three subagents are working in parallel.",
        "subagent -/3 - running",
    ),
    (
        "One subagent has finished, two are still running.",
        "subagent - - running",
    ),
    (
        "The subagent gave up after ten minutes.",
        "subagent - - failed",
    ),
];

/// What is said, and nothing in it is progress.
pub(crate) const SAID_NOTHING: &[&str] = &[
    "Let me run the tests.",
    "Next I will run the tests.",
    "The tests are in `tests/it`.",
    "The tests fail on Windows.",
    "The tests need a running database.",
    "Running the tests needs a database.",
    "A failing test would have caught it.",
    "The subagent prompt is too long.",
    "Subagents fail when the budget is used up.",
    "The crawl skips 3 of the 5 hosts by rule.",
    "8 of the 15 stylesheets are never used.",
    "5 of 9 reducers ignore the action.",
    "The job aborts when 3 of 5 shards are down.",
    "The test crashed the editor.",
];
