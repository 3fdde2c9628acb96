//! Summaries and counters of runners that are rarer, in the words of each.

/// What a runner prints, and the update in it.
pub(crate) const PRINTED: &[(&str, &str)] = &[
    // Python
    (
        "======\nTotals\n======\nRan: 1204 tests in 145.3012 sec.\n - Passed: 1190\n - Skipped: 13\n - Expected Fail: 0\n - Unexpected Success: 0\n - Failed: 1\nSum of execute time for each test: 1022.4410 sec.",
        "test_run 1204/1204 - failed",
    ),
    (
        "==============================================================================\nShop                                                                  | FAIL |\n45 tests, 44 passed, 1 failed\n==============================================================================\nOutput:  /home/user/shop/output.xml",
        "test_run 45/45 - failed",
    ),
    (
        "RESULTS    : PASS 12 | ERROR 0 | FAIL 1 | SKIP 2 | WARN 0 | INTERRUPT 0 | CANCEL 0\nJOB TIME   : 12.41 s",
        "test_run 15/15 - failed",
    ),
    (
        "JOB ID     : 4f0c1d2e\n (01/12) io.py:Read.test_small: PASS (0.02 s)\n (02/12) io.py:Read.test_large: FAIL (0.31 s)\n (03/12) io.py:Read.test_none: STARTED",
        "test_run 3/12 - running",
    ),
    (
        "34 tests in 12 items.\n34 passed and 0 failed.\nTest passed.",
        "test_run 34/34 - finished",
    ),
    (
        "34 tests in 12 items.\n31 passed and 3 failed.\n***Test Failed*** 3 failures.",
        "test_run 34/34 - failed",
    ),
    (
        "Ran 12 tests in 0.210s using 4 processes\n\nOK (passes=12)",
        "test_run 12/12 - finished",
    ),
    (
        "** TESTS=5 PASS=4 FAIL=1 SKIP=0                            812.00           0.41       1980.12  **",
        "test_run 5/5 - failed",
    ),
    (
        "running 203 tests\n....................................................................................... 87/203\n..................i.................................................................... 174/203\n.............",
        "test_run 174/203 - running",
    ),
    (
        "Ran 45 tests in 1.2s\n\nPASSED (skips=1, successes=44)",
        "test_run 45/45 - finished",
    ),
    // JavaScript
    (
        "FAILED | 20 passed (11 steps) | 2 failed | 5 filtered out (1s)\n\nerror: Test failed",
        "test_run 22/22 - failed",
    ),
    (
        " Kiosk\n ✓ boots into attract mode\n ✖ returns after 30 s idle\n\n 2/17 failed (1m 04s)",
        "test_run 17/17 - failed",
    ),
    (
        "[Passed] Search (11s)\n[Failed] Logout (6s)\n\n1/2 Flow Failed",
        "test_run 2/2 - failed",
    ),
    ("17 passed (1m 04s)\n", "test_run 17/17 - finished"),
    (
        "1..12\n# tests 12\n# pass  11\n# fail  1\n",
        "test_run 12/12 - failed",
    ),
    (
        "\ntotal:     12\npassing:   11\nduration:  41ms\nfailing: 1 of 12 tests\n",
        "test_run 12/12 - failed",
    ),
    (
        "OK. 5 total assertions passed (1.2s)\n✨ PASSED. 12 total tests (4.1s)",
        "test_run 12/12 - finished",
    ),
    (
        "Total:   12\nPassed:  11\nFailed:  1\nSkipped: 0\nDuration: 41ms\n\nTests failed.",
        "test_run 12/12 - failed",
    ),
    // JVM
    (
        "BUILD SUCCESSFUL in 12s\n34 tests completed, 2 skipped",
        "test_run 34/34 - finished",
    ),
    (
        "Results: SUCCESS (45 tests, 43 passed, 0 failed, 2 skipped)",
        "test_run 45/45 - finished",
    ),
    (
        "12 tests passed. 1 tests failed. 0 tests ignored.\n\nExecuted in 1 s 204 ms",
        "test_run 13/13 - failed",
    ),
    (
        "[info] Run completed in 812 milliseconds.\n[info] Total number of tests run: 45\n[info] Suites: completed 6, aborted 0\n[info] Tests: succeeded 44, failed 1, canceled 0, ignored 2, pending 0\n[info] *** 1 TEST FAILED ***",
        "test_run 45/45 - failed",
    ),
    (
        "===============================================\nDefault Suite\nTotal tests run: 45, Passes: 43, Failures: 1, Skips: 1\n===============================================",
        "test_run 45/45 - failed",
    ),
    (
        "There was 1 failure:\n1) adds(shop.CartTest)\n\nFAILURES!!!\nTests run: 12,  Failures: 1",
        "test_run 12/12 - failed",
    ),
    (
        "Total for specification CartSpec\nFinished in 41 ms\n12 examples, 40 expectations, 1 failure, 0 error",
        "test_run 12/12 - failed",
    ),
    // .NET
    (
        "Test Run Failed.\nTotal tests: 122\n     Passed: 119\n     Failed: 1\n    Skipped: 2\n Total time: 3.2 Seconds",
        "test_run 122/122 - failed",
    ),
    (
        "Test Run Summary\n  Overall result: Failed\n  Test Count: 45, Passed: 43, Failed: 1, Warnings: 0, Inconclusive: 0, Skipped: 1\n  Start time: 2026-03-04 10:14:02Z",
        "test_run 45/45 - failed",
    ),
    (
        "=== TEST EXECUTION SUMMARY ===\n   Shop.Tests  Total: 45, Errors: 0, Failed: 0, Skipped: 2, Time: 1.204s",
        "test_run 45/45 - finished",
    ),
    (
        "EXPECTO! 45 tests run in 00:00:01.204 for shop – 44 passed, 0 ignored, 1 failed, 0 errored.  <Expecto>",
        "test_run 45/45 - failed",
    ),
    // C and C++
    (
        "Totals: 12 passed, 1 failed, 0 skipped, 0 blacklisted, 41ms\n********* Finished testing of CartTest *********",
        "test_run 13/13 - failed",
    ),
    (
        "[====] Synthesis: Tested: 12 | Passing: 11 | Failing: 1 | Crashing: 0",
        "test_run 12/12 - failed",
    ),
    (
        "[==========] tests: Running 3 test(s).\n[ RUN      ] adds\n[       OK ] adds\n[==========] tests: 3 test(s) run.\n[  PASSED  ] 3 test(s).",
        "test_run 3/3 - finished",
    ),
    (
        "Total: 12 tests (345 ticks, 0.001 sec), 40 assertions\nPass: 11, fail: 1, skip: 0.",
        "test_run 12/12 - failed",
    ),
    (
        "12 of 12 (100%) tests successful, 0 (0%) test skipped.",
        "test_run 12/12 - finished",
    ),
    (
        "Test parse...                                   [ OK ]\nTest print...                                   [ FAILED ]\nFAILED: 1 of 12 unit tests has failed.",
        "test_run 12/12 - failed",
    ),
    (
        "============================================================================\nTestsuite summary for shop 1.2\n============================================================================\n# TOTAL: 12\n# PASS:  11\n# SKIP:  0\n# XFAIL: 0\n# FAIL:  1\n# XPASS: 0\n# ERROR: 0\n============================================================================\nSee ./test-suite.log",
        "test_run 12/12 - failed",
    ),
    (
        "\t\t=== gcc Summary ===\n\n# of expected passes\t\t1204\n# of unexpected failures\t3\n# of unsupported tests\t\t41",
        "test_run 1248/1248 - failed",
    ),
    (
        "Errors (1 failures, 12 tests, 12 ran, 30 checks, 0 ignored, 0 filtered out, 2 ms)",
        "test_run 12/12 - failed",
    ),
    (
        "-----------------------\n12 Tests 0 Failures 2 Ignored \nOK",
        "test_run 12/12 - finished",
    ),
    (
        "SUITE FAIL -  80.00% [ring]: pass = 4, fail = 1, skip = 0, total = 5 duration = 0.012 seconds",
        "test_run 5/5 - failed",
    ),
    // Shell and system
    (
        "1..3\nok 1 adds\nnot ok 2 removes\n# (in test file cart.bats, line 12)\nok 3 lists\n\n3 tests, 1 failure",
        "test_run 3/3 - failed",
    ),
    (
        "Ran 12 tests.\n\nFAILED (failures=1)",
        "test_run 12/12 - failed",
    ),
    (
        "Testing complete. Ran 45 tests: passed: 44, failed: 1",
        "test_run 45/45 - failed",
    ),
    ("# All 215 tests passed.\n", "test_run 215/215 - finished"),
    (" 2 of 215 tests failed. \n", "test_run 215/215 - failed"),
    (
        "Completed: All 12 tests were successful.",
        "test_run 12/12 - finished",
    ),
    (
        "12 tests, 10 passed, 1 warning, 1 failure, 0 exceptions",
        "test_run 12/12 - failed",
    ),
    ("PASS: 12/12", "test_run 12/12 - finished"),
    (
        "data.shop.test_deny: FAIL (412.3µs)\n--------------------------------------------------------------------------------\nPASS: 11/12\nFAIL: 1/12",
        "test_run 12/12 - failed",
    ),
    (
        "tests/cart.tftest.hcl... in progress\n  run \"adds\"... pass\ntests/cart.tftest.hcl... tearing down\ntests/cart.tftest.hcl... pass\n\nSuccess! 5 passed, 0 failed.",
        "test_run 5/5 - finished",
    ),
    (
        "Test Summary: 5 successful, 1 failure, 0 skipped",
        "test_run 6/6 - failed",
    ),
    (
        "10:14:02  3 of 12 START test not_null_orders_id .......... [RUN]\n10:14:02  3 of 12 PASS not_null_orders_id ................ [PASS in 0.10s]",
        "test_run 3/12 - running",
    ),
    (
        "10:14:02  Completed with 1 error and 0 warnings:\n10:14:02  \n10:14:02  Failure in test unique_orders_id (models/schema.yml)\n10:14:02  Done. PASS=12 WARN=0 ERROR=1 SKIP=0 TOTAL=13",
        "test_run 13/13 - failed",
    ),
    (
        "Tests finished: Pass 12. Fail 0. Fatal 0. Skip 1. 0 builds failed",
        "test_run 13/13 - finished",
    ),
    // Functional and rarer languages
    (
        "5 successes / 1 failure / 0 errors / 2 pending : 0.021 seconds",
        "test_run 8/8 - failed",
    ),
    (
        "Cases: 12  Tried: 12  Errors: 0  Failures: 1",
        "test_run 12/12 - failed",
    ),
    (
        "=======================================================\n  Failed: 1.  Skipped: 0.  Passed: 11.\n",
        "test_run 12/12 - failed",
    ),
    (
        "Ran: 12 tests in: 0.10 seconds.\nFAILED: Cases: 12 Tried: 12 Errors: 0 Failures: 1 Skip:  0 Todo: 0 Timeouts: 0.",
        "test_run 12/12 - failed",
    ),
    ("12 tests, no failures", "test_run 12/12 - finished"),
    ("12 tests, 1 failures", "test_run 12/12 - failed"),
    (
        "12 tests, 40 assertions, 1 errors, 1 failures.",
        "test_run 12/12 - failed",
    ),
    (
        "5 success(es) 1 failure(s) 0 error(s) 6 test(s) run",
        "test_run 6/6 - failed",
    ),
    (
        "Running 45 tests (2026-03-04 10:14:02+0000, selector ‘t’)\n   passed   1/45  shop-test-adds (0.000 sec)\n   passed   2/45  shop-test-removes (0.012 sec)",
        "test_run 2/45 - running",
    ),
    (
        "Ran 45 tests, 44 results as expected, 1 unexpected (2026-03-04 10:14:02+0000, 1.204 sec)\n\n1 unexpected results:\n   FAILED  shop-test-removes",
        "test_run 45/45 - failed",
    ),
    (
        "Ran 45 specs, 0 failed, in 123.41ms.",
        "test_run 45/45 - finished",
    ),
    (
        "Totals:\n   5 Passed, 1 Failed, 0 Incomplete.\n   0.1 seconds testing time.",
        "test_run 6/6 - failed",
    ),
    ("PASSES 11 out of 12 tests", "test_run 12/12 - failed"),
    (
        "Summary:\n\n  PASS                            1204\n  FAIL                               3",
        "test_run 1207/1207 - failed",
    ),
    (
        "Overall Summary: 45 test cases | 0 errors | 1 failures | 0 flaky | 2 skipped | 0 orphans",
        "test_run 45/45 - failed",
    ),
    (
        "==============================================\n= Run Summary\n==============================================\n\nScripts           6\nTests            45\n  Passing        44\n  Failing         1\nAsserts         120\nTime            1.2s",
        "test_run 45/45 - failed",
    ),
    (
        "45 tests, 1 failure, 2 skipped\nRandomized with seed 41",
        "test_run 45/45 - failed",
    ),
    (
        "Suites: 1 skipped, 4 passed, 4 of 5 total\nTests: 3 skipped, 40 passed, 43 total\n",
        "test_run 43/43 - finished",
    ),
    (
        "12 examples (11 passed, 1 failed)\n41ms",
        "test_run 12/12 - failed",
    ),
    (
        "Time: 00:01.204, Memory: 24.00 MB\n\nFAILURES!\nTests: 96, Assertions: 210, Failures: 2, Skipped: 1.",
        "test_run 96/96 - failed",
    ),
    (
        "pass 4 of 5\nfail 1 of 5\n==== Summary ====\npass lib.tb_uart.test_read (0.4 seconds)\nfail lib.tb_uart.test_write (0.5 seconds)\n=================\npass 4 of 5\nfail 1 of 5\n=================\nTotal time was 0.9 seconds\nSome failed!",
        "test_run 5/5 - failed",
    ),
    // Whole outputs, and tests that are judged one by one
    (
        "  48 passing (3s)\n  2 pending\n  1 failing\n\n  1) Router\n       redirects:\n\n      AssertionError [ERR_ASSERTION]: Expected 3 of 5 to match\n      + expected - actual\n\n      -3\n      +5",
        "test_run 51/51 - failed",
    ),
    (
        "> Task :core:test\n\nCartTest > adds PASSED\n\nCartTest > removes PASSED\n\nBUILD SUCCESSFUL in 4s\n5 actionable tasks: 2 executed, 3 up-to-date",
        "test_run - - finished",
    ),
    (
        "Test Suite 'All tests' started at 2026-03-04 10:14:02.123\nTest Suite 'CartTests' started at 2026-03-04 10:14:02.124\nTest Case '-[ShopTests.CartTests testAdd]' started.\nTest Case '-[ShopTests.CartTests testAdd]' passed (0.003 seconds).",
        "test_run - - running",
    ),
    (
        "◇ Test run started.\n↳ Testing Library Version: 124.4\n◇ Suite CartTests started.\n◇ Test adds() started.\n✔ Test adds() passed after 0.001 seconds.\n✔ Suite CartTests passed after 0.002 seconds.\n✔ Test run with 1 test in 1 suite passed after 0.002 seconds.",
        "test_run 1/1 - finished",
    ),
    (
        "Name                            Result    Time\ncart.adds                       PASS      0.1s\ncart.removes                    FAIL      0.2s\n\n1 of 2 tests failed",
        "test_run 2/2 - failed",
    ),
    (
        "Results (12.41s):\n     118 passed\n       2 failed\n         - tests/test_a.py:12 test_one\n         - tests/test_b.py:31 test_two\n       1 skipped",
        "test_run 121/121 - failed",
    ),
    (
        "test_add (cart.tests.CartTest) ... ok\ntest_remove (cart.tests.CartTest) ... FAIL\ntest_total (cart.tests.CartTest) ... ",
        "test_run - - running",
    ),
    (
        "Starting 4 shards...\nShard 1/4: 120 passed, 0 failed\nShard 2/4: 118 passed, 1 failed\nShard 3/4: 121 passed, 0 failed\nShard 4/4: 119 passed, 0 failed\nTotal: 478 passed, 1 failed",
        "test_run 479/479 - failed",
    ),
    (
        "Executing 48 scenarios...\nScenario 1/48: login ✔\nScenario 2/48: logout ✔\nScenario 3/48: reset ✘",
        "test_run 3/48 - running",
    ),
    (
        "[PASS] test_Deposit() (gas: 41231)\n[FAIL. Reason: revert] test_Withdraw() (gas: 31200)\nTest result: FAILED. 1 passed; 1 failed; 0 skipped; finished in 4.12ms\n\nRan 1 test suites: 1 tests passed, 1 failed, 0 skipped (2 total tests)",
        "test_run 2/2 - failed",
    ),
    (
        "Suite result: ok. 12 passed; 0 failed; 0 skipped; finished in 41.2ms (120.1ms CPU time)\n\nRan 3 test suites in 61.2ms (140ms CPU time): 40 tests passed, 0 failed, 0 skipped (40 total tests)",
        "test_run 40/40 - finished",
    ),
    (
        "✓ 120 tests passed, ✗ 3 failed, ⏭ 2 skipped",
        "test_run 125/125 - failed",
    ),
    (
        "[42/300] test_parser_utf8 ... ok\n[43/300] test_parser_bom ... ok\n[44/300] test_parser_crlf ... FAILED",
        "test_run 44/300 - running",
    ),
    (
        "== Tests result: FAILURE ==\n\n431 tests OK.\n\n2 tests failed:\n    test_gdb test_ssl\n\n45 tests skipped:\n    test_tkinter\n\nTotal duration: 4 min 12 sec\nTests result: FAILURE",
        "test_run 478/478 - failed",
    ),
    ("Failed 2 of 41 tests (4.9%)", "test_run 41/41 - failed"),
];

/// What looks like a run of tests and is none, or is not one of this session.
pub(crate) const PRINTED_NOTHING: &[&str] = &[
    "Name                 Stmts   Miss  Cover\n----------------------------------------\nsrc/shop/cart.py        88     12    86%\nTOTAL                   88     12    86%",
    "3 tests, 1 benchmark",
    "5 tests collected in 0.04s",
    "test                     runs  failed   rate\ne2e/test_upload.py        412      19   4.6%\ne2e/test_login.py         412       7   1.7%",
    "Found 3 failing checks in the last 10 builds\nmain: 7 passed, 3 failed",
    "PLAY RECAP *********************************************************************\nweb1 : ok=12   changed=3    unreachable=0    failed=0    skipped=2    rescued=0    ignored=0",
    "All checks have passed\n12 successful, 0 failing, and 2 skipped checks",
    "✖ 12 problems (3 errors, 9 warnings)\n  2 errors and 0 warnings potentially fixable with the `--fix` option.",
    "src/cart.ts(12,3): error TS2304: Cannot find name 'x'.\n\nFound 3 errors in 2 files.",
    "Listing tests:\n  [chromium] › a.spec.ts:3:5 › opens\n  [chromium] › a.spec.ts:9:5 › closes\nTotal: 2 tests in 1 file",
    "5 actionable tasks: 2 executed, 3 up-to-date",
    "Run #412  main  ✓ passed   45 tests   3m ago\nRun #411  main  ✗ failed   44 tests   2h ago\nRun #410  main  ✓ passed   44 tests   5h ago",
    "Trim Trailing Whitespace.................................................Passed\nFix End of Files.........................................................Passed\nruff.....................................................................Failed\n- hook id: ruff\n- exit code: 1\n\nFound 3 errors.",
    "https://github.com/acme/shop/pull/41\nSome checks were not successful\n1 failing, 12 successful, 2 skipped, and 0 pending checks\n\nX  ci / test   4m12s\n✓  ci / lint   1m2s",
    "Last run: 12 passed, 3 failed (2026-03-01)\nFlaky: 4 of 120 tests",
    "Uploaded 12 files: 11 succeeded, 1 failed",
    "Sync complete. 120 ok, 3 failed, 2 skipped",
    "Test plan: 12 cases\n 1. login\n 2. logout\n...",
    "12 tests found in 3 files:\n  cart_test.rb\n  money_test.rb",
    "AUC: 0.91\nTest accuracy: 94.2% (471/500)",
    "Test set: 10000 images\nTest loss: 0.31, accuracy: 9120/10000 (91%)",
    "Antigen tests: 12 positive, 40 negative",
    "Password tests passed: 3/5 rules met",
];
