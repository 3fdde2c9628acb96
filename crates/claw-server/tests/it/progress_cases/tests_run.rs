//! Outputs of whole test runs.

/// What a tool prints, and the update in it.
pub(crate) const PRINTED: &[(&str, &str)] = &[
    (
        "=== RUN   TestAdd\n--- PASS: TestAdd (0.00s)\n=== RUN   TestSub\n    math_test.go:12: got 3, want 2\n--- FAIL: TestSub (0.00s)\nFAIL\nFAIL\texample.com/math\t0.004s\nFAIL",
        "test_run - - failed",
    ),
    (
        "ok  \texample.com/math\t0.004s\nok  \texample.com/queue\t0.120s\n?   \texample.com/cmd\t[no test files]",
        "test_run - - finished",
    ),
    (
        "ok  \texample.com/math\t0.004s\tcoverage: 81.2% of statements in ./...\n",
        "test_run - - finished",
    ),
    (
        "1..4\nok 1 - parses\nok 2 - prints\nnot ok 3 - sorts\nok 4 # SKIP no locale\n",
        "test_run 4/4 - failed",
    ),
    (
        "TAP version 14\n1..12\nok 1 - a\nok 2 - b\n",
        "test_run 2/12 - running",
    ),
    (
        " RUN  v2.0.3 /home/user/app\n\n ✓ src/cart.test.ts (12 tests) 41ms\n ✓ src/money.test.ts (8 tests) 12ms\n\n Test Files  2 passed (2)\n      Tests  20 passed (20)\n   Start at  09:41:57\n   Duration  1.44s",
        "test_run 20/20 - finished",
    ),
    (
        "PASS src/cart.test.ts\nFAIL src/money.test.ts\n  ● rounds half up\n\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 1 todo, 18 passed, 20 total\nSnapshots:   0 total\nTime:        1.2 s",
        "test_run 20/20 - failed",
    ),
    (
        "  12 passing (41ms)\n  1 pending\n  2 failing\n",
        "test_run 15/15 - failed",
    ),
    (
        "Running 12 tests using 2 workers\n\n  ✓  1 [chromium] › a.spec.ts:3:1 › opens (412ms)\n  ✓  2 [chromium] › a.spec.ts:9:1 › closes (120ms)\n",
        "test_run 2/12 - running",
    ),
    (
        "test session starts (platform: linux)\ncollected 41 items\n\ntests/test_a.py ......                                                   [ 14%]\ntests/test_b.py ........                                                 [ 34%]\n",
        "test_run -/41 34 running",
    ),
    (
        "=========================== short test summary info ============================\nERROR tests/test_db.py - ConnectionError\n!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!\n=============================== 1 error in 0.41s ===============================",
        "test_run 1/1 - failed",
    ),
    (
        "test_a (tests.A.test_a) ... ok\ntest_b (tests.A.test_b) ... FAIL\n\n----------------------------------------------------------------------\nRan 12 tests in 0.004s\n\nFAILED (failures=1, errors=1)",
        "test_run 12/12 - failed",
    ),
    (
        "[INFO] Tests run: 12, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.41 s -- in shop.CartTest\n[INFO] Results:\n[INFO] Tests run: 41, Failures: 0, Errors: 0, Skipped: 2\n[INFO] BUILD SUCCESS",
        "test_run 41/41 - finished",
    ),
    (
        "CartTest > removes item FAILED\n    java.lang.AssertionError at CartTest.java:31\n\n24 tests completed, 1 failed\n\n> Task :test FAILED",
        "test_run 24/24 - failed",
    ),
    (
        "[==========] Running 41 tests from 6 test suites.\n[----------] Global test environment set-up.\n[ RUN      ] Ring.Wraps\n[       OK ] Ring.Wraps (0 ms)\n[ RUN      ] Ring.Grows",
        "test_run 1/41 - running",
    ),
    (
        "[==========] 41 tests from 6 test suites ran. (120 ms total)\n[  PASSED  ] 41 tests.",
        "test_run 41/41 - finished",
    ),
    (
        "PHPUnit 11.2.5 by Sebastian Bergmann and contributors.\n\n...............................................................  63 / 214 ( 29%)\n............................................................... 126 / 214 ( 58%)\n",
        "test_run 126/214 58 running",
    ),
    (
        "OK (214 tests, 812 assertions)\n",
        "test_run 214/214 - finished",
    ),
    (
        "Finished in 1.2 seconds (files took 0.8 seconds to load)\n41 examples, 2 failures, 1 pending\n\nFailed examples:\n\nrspec ./spec/cart_spec.rb:12 # Cart removes",
        "test_run 41/41 - failed",
    ),
    (
        "100% tests passed, 0 tests failed out of 45\n\nTotal Test time (real) =   7.90 sec\n",
        "test_run 45/45 - finished",
    ),
    (
        "12/40 shop:unit / cart          OK              0.12s\n13/40 shop:unit / money         FAIL            0.10s   exit status 1\n",
        "test_run 13/40 - running",
    ),
    (
        "Failed!  - Failed:     2, Passed:   155, Skipped:     3, Total:   160, Duration: 2 s - Billing.Tests.dll (net8.0)",
        "test_run 160/160 - failed",
    ),
    (
        "Executed 41 tests, with 1 failure (0 unexpected) in 0.412 (0.420) seconds\n",
        "test_run 41/41 - failed",
    ),
    (
        "bun test v1.1.17\n\n 38 pass\n 1 fail\n 94 expect() calls\nRan 39 tests across 5 files. [212.00ms]",
        "test_run 39/39 - failed",
    ),
    (
        "running 5 tests from ./cart_test.ts\nadds ... ok (4ms)\nremoves ... ok (2ms)\n\nok | 5 passed | 0 failed (41ms)",
        "test_run 5/5 - finished",
    ),
    (
        "Finished in 0.4 seconds (0.1s async, 0.3s sync)\n3 doctests, 41 tests, 0 failures\n",
        "test_run 44/44 - finished",
    ),
    (
        "[selftest] 12 tests, 12 passed\n",
        "test_run 12/12 - finished",
    ),
    // More runners
    ("+++ OK, passed 100 tests.\n", "test_run 100/100 - finished"),
    ("All 12 tests passed (0.01s)\n", "test_run 12/12 - finished"),
    (
        "2 out of 12 tests failed (0.01s)\n",
        "test_run 12/12 - failed",
    ),
    (
        "[doctest] test cases: 12 | 11 passed | 1 failed | 0 skipped\n[doctest] assertions: 40 | 39 passed | 1 failed |\n[doctest] Status: FAILURE!",
        "test_run 12/12 - failed",
    ),
    (
        "Running 12 test cases...\n\n*** No errors detected\n",
        "test_run 12/12 - finished",
    ),
    (
        "OK (12 tests, 12 ran, 20 checks, 0 ignored, 0 filtered out, 3 ms)\n",
        "test_run 12/12 - finished",
    ),
    (
        "12 Tests 1 Failures 0 Ignored\nFAIL\n",
        "test_run 12/12 - failed",
    ),
    (
        "100%: Checks: 12, Failures: 0, Errors: 0\n",
        "test_run 12/12 - finished",
    ),
    (
        "3/12 parser.test.numbers...OK\n4/12 parser.test.strings...OK\n",
        "test_run 4/12 - running",
    ),
    (
        "Test Successful in 0.012s. 12 tests run.\n",
        "test_run 12/12 - finished",
    ),
    (
        "Testing lib.shop: TEST COMPLETE, 12 ok, 1 failed of 13 test cases\n",
        "test_run 13/13 - failed",
    ),
    (
        "Test Summary: | Pass  Fail  Total  Time\nshop          |   11     1     12  0.4s\n",
        "test_run 12/12 - failed",
    ),
    (
        "  Tests:    1 failed, 12 passed (30 assertions)\n  Duration: 0.41s\n",
        "test_run 13/13 - failed",
    ),
    (
        "Ran 12 tests containing 40 assertions.\n0 failures, 0 errors.\n",
        "test_run 12/12 - finished",
    ),
    (
        "TEST RUN PASSED\n\nDuration: 12 ms\nPassed:   12\nFailed:   0\n",
        "test_run 12/12 - finished",
    ),
    (
        "✔ Test run with 12 tests passed after 0.012 seconds.\n",
        "test_run 12/12 - finished",
    ),
    (
        "PASS: LLVM :: CodeGen/a.ll (12 of 340)\nPASS: LLVM :: CodeGen/b.ll (13 of 340)\n",
        "test_run 13/340 - running",
    ),
    (
        "Executed 12 out of 12 tests: 11 tests pass and 1 fails locally.\n",
        "test_run 12/12 - failed",
    ),
    (
        "[gw0] [ 44%] PASSED tests/test_a.py::test_one\n[gw1] [ 45%] PASSED tests/test_a.py::test_two\n",
        "test_run - 45 running",
    ),
    (
        "Spec Files:\t 2 passed, 1 failed, 3 total (100% completed) in 00:00:12\n",
        "test_run 3/3 - failed",
    ),
    (
        "12 scenarios (1 failed, 11 passed)\n40 steps (1 failed, 3 skipped, 36 passed)\n0m1.204s\n",
        "test_run 12/12 - failed",
    ),
    (
        "3 features passed, 0 failed, 0 skipped\n12 scenarios passed, 1 failed, 0 skipped\n40 steps passed, 1 failed, 2 skipped, 0 undefined\n",
        "test_run 13/13 - failed",
    ),
    (
        "Jasmine started\n\n12 specs, 1 failure\nFinished in 0.4 seconds\n",
        "test_run 12/12 - failed",
    ),
    (
        "Tests:        8\nPassing:      7\nFailing:      1\nPending:      0\nSkipped:      0\nScreenshots:  1\n",
        "test_run 8/8 - failed",
    ),
    (
        "Finished in 0.4 seconds\n12 tests, 1 failure, 2 excluded\n",
        "test_run 12/12 - failed",
    ),
    (
        "[         12 tests found           ]\n[         11 tests successful      ]\n[          1 tests failed          ]\n",
        "test_run 12/12 - failed",
    ),
    (
        "Total Discovered Tests: 340\n  Passed: 339 (99.71%)\n  Failed:   1 (0.29%)\n",
        "test_run 340/340 - failed",
    ),
];
