//! Counters and summaries of test runners.

/// What a runner prints, and the update in it.
pub(crate) const PRINTED: &[(&str, &str)] = &[
    (
        "2026-03-04 10:14:02 INFO Processed 300/1000 records",
        "count 300/1000 - running",
    ),
    // Rust
    (
        "running 3 tests\ntest a ... ok\ntest b ... FAILED\n",
        "test_run 2/3 - running",
    ),
    (
        "running 3 tests\ntest a ... ok\ntest b ... FAILED\ntest c ... ignored\n\nfailures:\n    b\n\ntest result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.00s\n\nerror: test failed, to rerun pass `--lib`",
        "test_run 3/3 - failed",
    ),
    (
        "running 8 tests\n........\ntest result: ok. 8 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n   Doc-tests shop\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        "test_run 8/8 - finished",
    ),
    (
        "    Starting 120 tests across 6 binaries (3 tests skipped)",
        "test_run 0/120 - running",
    ),
    (
        "    Starting 3 tests across 1 binary\n        PASS [   0.004s] shop cart::adds\n        FAIL [   0.011s] shop cart::removes",
        "test_run 2/3 - running",
    ),
    (
        "     Summary [   0.312s] 120 tests run: 120 passed, 3 skipped",
        "test_run 120/120 - finished",
    ),
    (
        "     Summary [   1.312s] 120 tests run: 118 passed, 2 failed, 0 skipped\n        FAIL [   0.011s] shop cart::removes\nerror: test run failed",
        "test_run 120/120 - failed",
    ),
    // Python
    (
        "collecting ... collected 12 items\n\ntests/test_a.py::test_one PASSED     [  8%]\ntests/test_a.py::test_two SKIPPED    [ 16%]\n",
        "test_run 2/12 16 running",
    ),
    (
        "collected 40 items / 10 deselected / 30 selected\n",
        "test_run 0/30 - running",
    ),
    (
        "......F.s...                                                    [100%]\n1 failed, 10 passed, 1 skipped in 0.12s",
        "test_run 12/12 - failed",
    ),
    (
        "=============== 3 passed, 2 xfailed, 1 xpassed, 4 warnings in 0.50s ===============",
        "test_run 6/6 - finished",
    ),
    (
        "===== 45 passed, 12 deselected in 1.20s =====",
        "test_run 45/45 - finished",
    ),
    (
        "collected 90 items\n\n!!!!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!!!\n===== 1 failed, 8 passed in 1.20s =====",
        "test_run 9/90 - failed",
    ),
    (
        "===== 2 passed, 1 error in 1.20s =====",
        "test_run 3/3 - failed",
    ),
    (
        "..........\n----------------------------------------------------------------------\nRan 10 tests in 0.003s\n\nOK",
        "test_run 10/10 - finished",
    ),
    (
        "Ran 45 tests in 1.203s\n\nFAILED (failures=2, errors=1)",
        "test_run 45/45 - failed",
    ),
    (
        "Found 31 test(s).\nSystem check identified no issues (0 silenced).",
        "test_run 0/31 - running",
    ),
    // JavaScript
    (
        "Test Suites: 12 passed, 12 total\nTests:       1 todo, 88 passed, 89 total\nSnapshots:   0 total\nTime:        4 s",
        "test_run 89/89 - finished",
    ),
    (
        "Test Suites: 1 failed, 3 passed, 4 of 9 total\nTests:       1 failed, 20 passed, 21 total",
        "test_run 4/9 - running",
    ),
    (
        " Test Files  5 passed (5)\n      Tests  61 passed (61)\n   Start at  10:14:02\n   Duration  1.20s",
        "test_run 61/61 - finished",
    ),
    (
        "  12 passing (34ms)\n  2 pending\n",
        "test_run 14/14 - finished",
    ),
    ("  12 passing (34ms)\n", "test_run 12/12 - finished"),
    (
        " 8 pass\n 0 fail\n 20 expect() calls\nRan 8 tests across 2 files. [34.00ms]",
        "test_run 8/8 - finished",
    ),
    (
        "# tests 12\n# suites 2\n# pass 11\n# fail 1\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 120.5",
        "test_run 12/12 - failed",
    ),
    (
        "ℹ tests 4\nℹ suites 0\nℹ pass 4\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 61.2",
        "test_run 4/4 - finished",
    ),
    (
        "Running 40 tests using 4 workers\n",
        "test_run 0/40 - running",
    ),
    (
        "Running 4 tests using 2 workers\n  ✓  1 [chromium] › a.spec.ts:3:5 › opens (1.2s)\n  ✘  2 [chromium] › a.spec.ts:9:5 › closes (2.0s)\n",
        "test_run 2/4 - running",
    ),
    (
        "Running 4 tests using 2 workers\n\n  1 failed\n    [chromium] › a.spec.ts:9:5 › closes\n  3 passed (4.1s)\n",
        "test_run 4/4 - failed",
    ),
    (
        "Chrome Headless 120.0.0.0 (Linux x86_64): Executed 12 of 45 (1 FAILED) (0.3 secs / 0.1 secs)",
        "test_run 12/45 - running",
    ),
    (
        "Chrome Headless 120.0.0.0 (Linux x86_64): Executed 45 of 45 SUCCESS (0.9 secs / 0.7 secs)",
        "test_run 45/45 - finished",
    ),
    (
        "  Running:  login.cy.ts                                             (2 of 5)",
        "test_run 2/5 - running",
    ),
    (
        "ok | 12 passed | 0 failed (34ms)",
        "test_run 12/12 - finished",
    ),
    (
        "45 specs, 0 failures\nFinished in 0.1 seconds",
        "test_run 45/45 - finished",
    ),
    (
        "  12 tests passed\n  1 test failed",
        "test_run 13/13 - failed",
    ),
    // TAP
    (
        "1..3\nok 1 - a\nok 2 - b # SKIP no network\nok 3 - c\n",
        "test_run 3/3 - finished",
    ),
    ("ok 1 a\nnot ok 2 b\n1..2\n", "test_run 2/2 - failed"),
    (
        "1..4\nok 1 - a\n    ok 1 - inner\n    1..1\nok 2 - b",
        "test_run 2/4 - running",
    ),
    (
        "1..4\nok 1 - a\nBail out! no database",
        "test_run 1/4 - failed",
    ),
    ("1..8\n", "test_run 0/8 - running"),
    // JVM
    (
        "[INFO] Results:\n[INFO] \n[INFO] Tests run: 45, Failures: 0, Errors: 0, Skipped: 2\n",
        "test_run 45/45 - finished",
    ),
    (
        "[ERROR] Tests run: 45, Failures: 1, Errors: 1, Skipped: 0\n",
        "test_run 45/45 - failed",
    ),
    (
        "34 tests completed, 2 failed, 1 skipped\n\n> Task :test FAILED",
        "test_run 34/34 - failed",
    ),
    (
        "[        12 tests found           ]\n[         0 tests skipped         ]\n[        12 tests started         ]\n[        11 tests successful      ]\n[         1 tests failed          ]",
        "test_run 12/12 - failed",
    ),
    (
        "[info] Tests: succeeded 45, failed 0, canceled 0, ignored 2, pending 0",
        "test_run 47/47 - finished",
    ),
    (
        "[info] Passed: Total 45, Failed 0, Errors 0, Passed 45",
        "test_run 45/45 - finished",
    ),
    // C, C++, Go, Swift
    (
        " 3/57 Test  #3: lexer_numbers ....................   Passed    0.02 sec",
        "test_run 3/57 - running",
    ),
    (
        "96% tests passed, 2 tests failed out of 57",
        "test_run 57/57 - failed",
    ),
    (
        "[==========] Running 45 tests from 6 test suites.\n[----------] 8 tests from Cart\n[ RUN      ] Cart.Adds\n[       OK ] Cart.Adds (0 ms)\n[ RUN      ] Cart.Removes",
        "test_run 1/45 - running",
    ),
    (
        "[==========] 45 tests from 6 test suites ran. (12 ms total)\n[  PASSED  ] 43 tests.\n[  FAILED  ] 2 tests, listed below:\n[  FAILED  ] Cart.Adds\n[  FAILED  ] Cart.Removes",
        "test_run 45/45 - failed",
    ),
    (
        "All tests passed (120 assertions in 45 test cases)",
        "test_run 45/45 - finished",
    ),
    (
        "test cases:  45 |  43 passed | 2 failed\nassertions: 120 | 118 passed | 2 failed",
        "test_run 45/45 - failed",
    ),
    (
        "ok  \texample.com/a\t0.1s\nFAIL\texample.com/b\t0.2s\nFAIL",
        "test_run - - failed",
    ),
    (
        "?   \texample.com/a\t[no test files]\nok  \texample.com/b\t(cached)",
        "test_run - - finished",
    ),
    (
        "=== RUN   TestTotal\n--- FAIL: TestTotal (0.00s)\n    cart_test.go:12: got 3\nFAIL\nexit status 1\nFAIL\texample.com/shop\t0.003s",
        "test_run - - failed",
    ),
    (
        "DONE 214 tests, 2 failures in 3.1s",
        "test_run 214/214 - failed",
    ),
    (
        "Ran 45 of 47 Specs in 0.312 seconds\nSUCCESS! -- 45 Passed | 0 Failed | 0 Pending | 2 Skipped",
        "test_run 47/47 - finished",
    ),
    (
        " 3/12 shop:unit / cart        OK              0.02s",
        "test_run 3/12 - running",
    ),
    (
        "Ok:                 12\nExpected Fail:      0\nFail:               1\nUnexpected Pass:    0\nSkipped:            0\nTimeout:            0",
        "test_run 13/13 - failed",
    ),
    (
        "Executed 45 tests, with 2 failures (0 unexpected) in 0.312 (0.320) seconds",
        "test_run 45/45 - failed",
    ),
    // Others
    (
        "45 examples, 2 failures, 1 pending",
        "test_run 45/45 - failed",
    ),
    (
        "Finished in 0.12 seconds\n45 examples, 0 failures",
        "test_run 45/45 - finished",
    ),
    (
        "45 runs, 120 assertions, 1 failures, 0 errors, 2 skips",
        "test_run 45/45 - failed",
    ),
    (
        "12 doctests, 45 tests, 0 failures",
        "test_run 57/57 - finished",
    ),
    (
        "12 scenarios (1 failed, 11 passed)\n45 steps (1 failed, 2 skipped, 42 passed)\n0m0.3s",
        "test_run 12/12 - failed",
    ),
    (
        "OK (180 tests, 420 assertions)",
        "test_run 180/180 - finished",
    ),
    (
        "  Tests:    2 failed, 45 passed (120 assertions)\n  Duration: 1.2s",
        "test_run 47/47 - failed",
    ),
    (
        "Passed!  - Failed:     0, Passed:    45, Skipped:     0, Total:    45, Duration: 312 ms - Shop.Tests.dll (net8.0)",
        "test_run 45/45 - finished",
    ),
    (
        "Test summary: total: 122, failed: 1, succeeded: 119, skipped: 2, duration: 3.2s",
        "test_run 122/122 - failed",
    ),
    (
        "00:05 +45 -1: Some tests failed.",
        "test_run 46/46 - failed",
    ),
    ("00:05 +45: All tests passed!", "test_run 45/45 - finished"),
    (
        "[ FAIL 1 | WARN 0 | SKIP 2 | PASS 45 ]",
        "test_run 48/48 - failed",
    ),
    (
        "All tests successful.\nFiles=3, Tests=45,  1 wallclock secs\nResult: PASS",
        "test_run 45/45 - finished",
    ),
    (
        "Executed 3 out of 12 tests: 11 tests pass and 1 fails locally.",
        "test_run 12/12 - failed",
    ),
    (
        "Executed 12 out of 12 tests: 12 tests pass.",
        "test_run 12/12 - finished",
    ),
    ("All 45 tests passed (0.31s)", "test_run 45/45 - finished"),
    (
        "2 out of 45 tests failed (0.31s)",
        "test_run 45/45 - failed",
    ),
    (
        "Tests Passed: 45, Failed: 2, Skipped: 0 NotRun: 0",
        "test_run 47/47 - failed",
    ),
    (
        "Test run with 45 tests passed after 0.312 seconds.",
        "test_run 45/45 - finished",
    ),
];
