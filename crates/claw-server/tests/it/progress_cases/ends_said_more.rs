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
    (
        "31 of 48 translations are in place so far.",
        "count 31/48 - running",
    ),
    (
        "I have 6 of the 11 migrations rewritten.",
        "count 6/11 - running",
    ),
    (
        "So far I've gone through 20 of 35 modules; the rest follow.",
        "count 20/35 - running",
    ),
    (
        "The upload got stuck at 12 of 40 files.",
        "count 12/40 - failed",
    ),
    (
        "Finished 4 of 6 packages, two more to go.",
        "count 4/6 - running",
    ),
    ("The integration tests timed out.", "test_run - - failed"),
    (
        "The suite is running: 85 of 300 tests have passed so far.",
        "test_run 85/300 - running",
    ),
    (
        "The first subagent is back, the second one is still at work.",
        "subagent - - running",
    ),
    (
        "The subagent that checks the docs has failed.",
        "subagent - - failed",
    ),
    ("Two subagents failed.", "subagent 2/2 - failed"),
    (
        "I've finished 7 of the 9 chapters of the guide; two are left.",
        "count 7/9 - running",
    ),
    (
        "The reindex died at 300 of 900 documents.",
        "count 300/900 - failed",
    ),
    (
        "Rewriting is at 18 of 25 functions.",
        "count 18/25 - running",
    ),
    ("The whole test suite has failed.", "test_run - - failed"),
    (
        "All three review agents have failed.",
        "subagent 3/3 - failed",
    ),
    (
        "The background agent is still searching the logs.",
        "subagent - - running",
    ),
    ("12 of 40 done.", "count 12/40 - running"),
    ("We're at 12 of 40 now.", "count 12/40 - running"),
    (
        "The script has processed 12,000 of 48,000 lines and is still running.",
        "count 12000/48000 - running",
    ),
    (
        "Tests are running, 85 of 300 so far.",
        "test_run 85/300 - running",
    ),
    (
        "The test run was aborted after 40 of 120 tests.",
        "test_run 40/120 - failed",
    ),
    ("The migration agent has crashed.", "subagent - - failed"),
    (
        "Both subagents are still running.",
        "subagent -/2 - running",
    ),
    (
        "I've started the review subagent; it is reading the diff now.",
        "subagent - - running",
    ),
    (
        "The lint subagent was stopped by the timeout.",
        "subagent - - failed",
    ),
    (
        "The sync is through 300 of 900 objects.",
        "count 300/900 - running",
    ),
    (
        "The conversion crashed on file 17 of 40.",
        "count 17/40 - failed",
    ),
    ("The unit tests are still running.", "test_run - - running"),
    (
        "The tests are red: 4 of 88 failed.",
        "test_run 88/88 - failed",
    ),
    (
        "The security subagent came back with an error.",
        "subagent - - failed",
    ),
    ("Subagent 2 of 4 failed.", "subagent 2/4 - failed"),
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
    "31 of 48 translations are missing.",
    "The upload gets stuck when 2 of 3 nodes are down.",
    "The tests timed out on CI last night.",
    "If the subagent fails, I will do it myself.",
    "The suite runs 300 tests in 12 seconds.",
    "Subagents are started with the Task tool.",
    "It failed for 2 of the 6 packages in the report you sent.",
    "The tests were running when you stopped me.",
    "The reindex dies when 2 of 3 replicas are gone.",
    "The agent is described in `agents/review.md`.",
    "18 of 25 functions have no docs.",
    "A test suite that failed is reported in red.",
    "12 of 40 is 30 %.",
    "The importer stops at the first of 2,000 rows that fails.",
    "The test run takes 12 minutes.",
    "Two agents disagree about the style.",
    "The agent failed us in production last week.",
    "My tests show that 3 of 10 retries succeed.",
    "Stopping at 12 of 40 would be a mistake.",
    "The sync handles 300 of 900 objects per minute.",
    "Of the 30 screens, 22 use the old theme.",
    "The tests are red on main.",
    "The subagent would need 4 of the 8 tools.",
    "Conversion crashes on file names with spaces.",
];
