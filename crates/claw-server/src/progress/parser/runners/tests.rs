use super::*;
use crate::progress::TextOrigin::ToolOutput;
use crate::progress::parser::tests::{Case, check, check_rows, read as short};

const STARTS: &[Case] = &[
    (
        "running n tests",
        "running 112 tests",
        "tests 0/112 - running",
    ),
    (
        "running n tests",
        "Running 64 tests using 4 workers",
        "tests 0/64 - running",
    ),
    ("collected", "collected 312 items", "tests 0/312 - running"),
    (
        "selected",
        "collected 30 items / 10 deselected / 20 selected",
        "tests 0/20 - running",
    ),
    (
        "nextest starts",
        "    Starting 118 tests across 6 binaries (4 tests skipped)",
        "tests 0/118 - running",
    ),
    ("plan", "TAP version 13\n1..12", "tests 0/12 - running"),
    (
        "googletest starts",
        "[==========] Running 12 tests from 3 test suites.",
        "tests 0/12 - running",
    ),
    (
        "expected count",
        "Run starting. Expected test count is: 212",
        "tests 0/212 - running",
    ),
    (
        "workers",
        "8 workers [1380 items]",
        "tests 0/1380 - running",
    ),
];

const UNDER_WAY: &[Case] = &[
    (
        "nextest",
        "        PASS [   0.012s] ( 45/312) wire::it frame::split",
        "tests 45/312 - running",
    ),
    (
        "nextest bar",
        "     Running [ 00:00:07] [=====>   ] 203/940: 8 running, 201 passed",
        "tests 203/940 - running",
    ),
    (
        "ctest",
        " 5/20 Test  #5: parse_utf8 ........   Passed    0.02 sec",
        "tests 5/20 - running",
    ),
    (
        "phpunit",
        "........................  63 / 180 ( 35%)",
        "tests 63/180 35 running",
    ),
    (
        "playwright",
        "[15/120] [chromium] › login.spec.ts:12:5 › rejects",
        "tests 15/120 - running",
    ),
    (
        "bazel",
        "[312 / 340] 4 / 12 tests; Testing //shop:cart_test; 3s",
        "tests 4/12 - running",
    ),
    ("prove", "t/01.t .. 7/12", "tests 7/12 - running"),
    ("dots", "......i... 174/203", "tests 174/203 - running"),
    (
        "meson",
        " 4/12 libgfx:unit / blend-modes   OK   0.09s",
        "tests 4/12 - running",
    ),
    (
        "dbt",
        "02:20:42  7 of 40 START test not_null_amount ..... [RUN]",
        "tests 7/40 - running",
    ),
    (
        "lit",
        "PASS: LLVM :: b.ll (13 of 340)",
        "tests 13/340 - running",
    ),
    (
        "cypress",
        "  Running:  login.cy.js              (2 of 9)",
        "tests 2/9 - running",
    ),
    (
        "minitest",
        "  212/860: [=====      ] 24% Time: 00:00:05,  ETA: 00:00:15",
        "tests 212/860 24 running",
    ),
    (
        "swift",
        "[88/131] Testing TileCacheTests.EvictionTests/testLRU",
        "tests 88/131 - running",
    ),
    (
        "karma",
        "Chrome 126 (Linux): Executed 120 of 344 (1 FAILED) (0.9 secs)",
        "tests 120/344 - running",
    ),
    (
        "jest suites",
        "Test Suites: 2 passed, 2 of 8 total",
        "tests 2/8 - running",
    ),
    (
        "pytest share",
        "tests/test_api.py ..........    [ 45%]",
        "tests -/- 45 running",
    ),
    (
        "pytest worker",
        "[gw0] [ 72%] FAILED tests/test_views.py::test_login",
        "tests -/- 72 running",
    ),
    (
        "test n of m",
        "Running test 5 of 20",
        "tests 5/20 - running",
    ),
];

const SUMMED: &[Case] = &[
    (
        "pytest",
        "==== 1 failed, 47 passed, 2 skipped in 3.81s ====",
        "tests 50/50 - failed",
    ),
    (
        "cargo",
        "test result: ok. 34 passed; 0 failed; 0 ignored; 0 measured; 140 filtered out",
        "tests 34/34 - finished",
    ),
    (
        "jest",
        "Tests:       2 failed, 1 skipped, 61 passed, 64 total",
        "tests 64/64 - failed",
    ),
    (
        "vitest",
        "      Tests  58 passed | 1 skipped (59)",
        "tests 59/59 - finished",
    ),
    (
        "vitest",
        "      Tests  45 passed (180)",
        "tests 45/180 - running",
    ),
    (
        "nextest",
        "     Summary [   8.214s] 118 tests run: 118 passed, 4 skipped",
        "tests 118/118 - finished",
    ),
    (
        "nextest",
        "     Summary [  31.902s] 940/1204 tests run: 939 passed, 1 failed, 17 skipped",
        "tests 940/1204 - failed",
    ),
    (
        "total first",
        "312 examples, 0 failures, 5 pending",
        "tests 312/312 - finished",
    ),
    (
        "total first",
        "134 tests completed, 1 failed, 2 skipped",
        "tests 134/134 - failed",
    ),
    (
        "gotestsum",
        "DONE 214 tests, 3 skipped in 12.441s",
        "tests 214/214 - finished",
    ),
    (
        "ctest",
        "94% tests passed, 1 tests failed out of 18",
        "tests 18/18 - failed",
    ),
    (
        "deno",
        "ok | 6 passed | 0 failed (41ms)",
        "tests 6/6 - finished",
    ),
    (
        "cases in a row",
        "test cases:  23 |  22 passed | 1 failed",
        "tests 23/23 - failed",
    ),
    (
        "xctest",
        "\t Executed 48 tests, with 1 failure (0 unexpected) in 3.210 seconds",
        "tests 48/48 - failed",
    ),
    (
        "all passed",
        "All 96 tests passed (2.48s)",
        "tests 96/96 - finished",
    ),
    (
        "all cases passed",
        "All tests passed (1204 assertions in 27 test cases)",
        "tests 27/27 - finished",
    ),
    (
        "phpunit ok",
        "OK (180 tests, 412 assertions)",
        "tests 180/180 - finished",
    ),
    (
        "phpunit",
        "Tests: 96, Assertions: 210, Failures: 2, Skipped: 1.",
        "tests 96/96 - failed",
    ),
    (
        "dotnet",
        "Failed!  - Failed:     1, Passed:   119, Skipped:     2, Total:   122",
        "tests 122/122 - failed",
    ),
    (
        "maven",
        "[INFO] Tests run: 310, Failures: 0, Errors: 0, Skipped: 4",
        "tests 310/310 - finished",
    ),
    (
        "ran",
        "Ran 21 tests in 0.310s\n\nOK",
        "tests 21/21 - finished",
    ),
    (
        "prove",
        "Files=4, Tests=87,  3 wallclock secs\nResult: FAIL",
        "tests 87/87 - failed",
    ),
    (
        "googletest",
        "[==========] 12 tests from 3 test suites ran. (4 ms total)\n[  PASSED  ] 12 tests.",
        "tests 12/12 - finished",
    ),
    (
        "banner with cases",
        "=========== 14 test cases: 1 failed, 13 succeeded in 00:00:26 ===========",
        "tests 14/14 - failed",
    ),
    (
        "dotnet summary",
        "Test summary: total: 42, failed: 1, succeeded: 40, skipped: 1, duration: 2.1s",
        "tests 42/42 - failed",
    ),
    (
        "ginkgo",
        "SUCCESS! -- 12 Passed | 0 Failed | 0 Pending | 2 Skipped",
        "tests 14/14 - finished",
    ),
    (
        "busted",
        "18 successes / 1 failure / 0 errors / 1 pending : 0.0412 seconds",
        "tests 20/20 - failed",
    ),
    (
        "pest",
        "  Tests:    2 todos, 1 skipped, 61 passed (140 assertions)",
        "tests 64/64 - finished",
    ),
    (
        "sbt",
        "[info] Passed: Total 42, Failed 0, Errors 0, Passed 42",
        "tests 42/42 - finished",
    ),
    (
        "scalatest",
        "Tests: succeeded 46, failed 1, canceled 0, ignored 0, pending 0",
        "tests 47/47 - failed",
    ),
    (
        "dart",
        "00:21 +141 ~2: All tests passed!",
        "tests 143/143 - finished",
    ),
    (
        "cypress",
        "    ✔  All specs passed!     00:28       31       31        -        -        -",
        "tests 31/31 - finished",
    ),
    (
        "cypress failed",
        "    ✖  1 of 2 failed (50%)   00:28       31       28        2        1        -",
        "tests 31/31 - failed",
    ),
    (
        "clojure",
        "Ran 41 tests containing 188 assertions.\n0 failures, 0 errors.",
        "tests 41/41 - finished",
    ),
];

#[test]
fn each_start_and_counter_matches() {
    assert_eq!(BEGIN.len(), BEGINS.len(), "a row is no regular expression");
    assert_eq!(
        COUNTER.len(),
        COUNTERS.len(),
        "a row is no regular expression"
    );
    check_rows(BEGINS, STARTS, ToolOutput, |line| {
        Some(BEGIN.find(line)?.0.name)
    });
    check_rows(COUNTERS, UNDER_WAY, ToolOutput, |line| {
        Some(COUNTER.find(line.trim())?.0.name)
    });
}

#[test]
fn each_summary_matches() {
    assert_eq!(
        SUMMARY.len(),
        SUMMARIES.len(),
        "a row is no regular expression"
    );
    for row in SUMMARIES {
        let has_text = SUMMED.iter().any(|(name, ..)| *name == row.name);
        assert!(has_text, "{} has no test", row.name);
    }
    for (name, text, want) in SUMMED {
        let line = text.lines().next().unwrap().trim();
        let row = SUMMARY.iter().find(|(_, pattern)| pattern.is_match(line));
        assert_eq!(row.map(|(row, _)| row.name), Some(*name), "{text:?}");
        assert_eq!(short(text, ToolOutput), *want, "{text:?}");
    }
}

#[test]
fn results_after_a_start_are_counted() {
    check(
        &[
            (
                "running 7 tests\ntest a ... ok\ntest b ... FAILED\ntest c ... ignored\n",
                "tests 3/7 - running",
            ),
            (
                "1..3\nok 1 - opens\nnot ok 2 - reads\nok 3 - seeks\n",
                "tests 3/3 - failed",
            ),
            (
                "running 2 tests\ntest a ... ok\nSegmentation fault (core dumped)",
                "tests 1/2 - failed",
            ),
            (
                "collected 9 items\n\na.py::x PASSED   [ 11%]\na.py::y FAILED   [ 22%]\n",
                "tests 2/9 22 running",
            ),
            (
                "collected 64 items\n\ntests/a.py ........    [ 12%]\n",
                "tests -/64 12 running",
            ),
            // Results of a run whose start is not shown.
            ("test a ... ok\ntest b ... ok", "nothing"),
        ],
        ToolOutput,
    );
}

#[test]
fn consecutive_result_lines_are_one_summary() {
    check(
        &[
            (
                "  17 passing (1s)\n  1 failing\n\n  1) Cart\n",
                "tests 18/18 - failed",
            ),
            (
                "  2 failed\n    [firefox] › a.spec.ts\n  62 passed (1.4m)",
                "tests 64/64 - failed",
            ),
            (
                "ℹ tests 26\nℹ suites 5\nℹ pass 25\nℹ fail 0\nℹ skipped 1",
                "tests 26/26 - finished",
            ),
            (
                "# TOTAL: 31\n# PASS:  29\n# SKIP:  2\n# FAIL:  0",
                "tests 31/31 - finished",
            ),
            ("Total tests: 31\n     Passed: 31", "tests 31/31 - finished"),
            (
                "[        14 tests found           ]\n[        14 tests successful      ]\n[         0 tests failed          ]",
                "tests 14/14 - finished",
            ),
            // Two runs.
            ("  17 passing (1s)\n  12 passing (1s)\n", "nothing"),
        ],
        ToolOutput,
    );
}

#[test]
fn go_package_results_are_read() {
    check(
        &[
            ("ok  \texample.com/a\t0.4s", "tests -/- - finished"),
            (
                "ok  \texample.com/a\t0.4s\nFAIL\texample.com/b\t0.1s\nFAIL",
                "tests -/- - failed",
            ),
            ("=== RUN   TestParse\n", "tests -/- - running"),
            ("ok  \texample.com/a\t0.012s [no tests to run]", "nothing"),
        ],
        ToolOutput,
    );
}

#[test]
fn contradictory_summary_suppresses_other_counters() {
    check(
        &[
            (
                "[12/40] CC a.o\nTests:  9 failed, 61 passed, 64 total",
                "nothing",
            ),
            ("Ran 21 tests in 0.310s", "nothing"),
            (
                "  1 failed\n  26 did not run\n  13 passed (18.4s)",
                "nothing",
            ),
            ("no tests ran in 0.01s", "nothing"),
        ],
        ToolOutput,
    );
}

#[test]
fn stopped_run_keeps_its_total() {
    check(
        &[(
            "collected 412 items\n\na.py ....F   [ 9%]\n!!!!!! stopping after 1 failures !!!!!!\n=== 1 failed, 37 passed in 3.41s ===",
            "tests 38/412 - failed",
        )],
        ToolOutput,
    );
}
