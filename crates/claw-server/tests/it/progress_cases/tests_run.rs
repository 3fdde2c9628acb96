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
];
