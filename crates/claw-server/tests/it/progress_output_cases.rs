//! What tools print, and what it reports: `kind done/total percent state`, or nothing.

/// What a tool prints, and the update in it.
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
    // Builders
    (
        "[ 12%] Building CXX object src/CMakeFiles/shop.dir/cart.cpp.o",
        "percent - 12 running",
    ),
    (
        "[340/340] Linking CXX executable shop",
        "count 340/340 - finished",
    ),
    (
        "[12/340] CC foo.o\nFAILED: foo.o\nninja: build stopped: subcommand failed.",
        "count 12/340 - failed",
    ),
    (
        "[ 45%] Building C object a.c.o\nmake: *** [Makefile:91: all] Error 2",
        "percent - 45 failed",
    ),
    (
        "[12 of 45] Compiling Shop.Cart ( src/Shop/Cart.hs, Cart.o )",
        "count 12/45 - running",
    ),
    (
        "[INFO] Building shop-core 1.0-SNAPSHOT                                    [3/12]",
        "count 3/12 - running",
    ),
    ("Step 4/9 : RUN npm ci", "step 4/9 - running"),
    (
        "Step 4/9 : RUN npm ci\n ---> Running in 1a2b3c4d5e6f\nThe command '/bin/sh -c npm ci' returned a non-zero code: 1",
        "step 4/9 - failed",
    ),
    ("STEP 2/5: COPY . .", "step 2/5 - running"),
    (
        " => [build 3/6] RUN npm ci                                   12.3s",
        "step 3/6 - running",
    ),
    ("[+] Building 12.3s (4/9)", "count 4/9 - running"),
    ("[+] Running 2/3", "count 2/3 - running"),
    ("[2/4] Fetching packages...", "step 2/4 - running"),
    (
        "[4/4] Building fresh packages...\nDone in 3.21s.",
        "step 4/4 - finished",
    ),
    ("40% building 312/640 modules", "count 312/640 40 running"),
    (
        "BUNDLE  ./index.js ▓▓▓▓▓▓▓░░░░░░ 45.2% (312/640)",
        "count 312/640 45.2 running",
    ),
    // Packages and downloads
    (
        "( 3/12) checking available disk space",
        "count 3/12 - running",
    ),
    ("(3/12) Installing libfoo (1.2-r0)", "count 3/12 - running"),
    (
        "  Installing       : libfoo-1.2-3.x86_64                       3/12",
        "count 3/12 - running",
    ),
    ("(Reading database ... 45%", "percent - 45 running"),
    ("Progress: [ 45%]", "percent - 45 running"),
    ("Preparing packages... (3/12)", "count 3/12 - running"),
    (
        "[download]  45.3% of 12.34MiB at 2.31MiB/s ETA 00:03",
        "percent - 45.3 running",
    ),
    (
        "[download] Downloading item 3 of 12",
        "count 3/12 - running",
    ),
    (
        "a3ed95caeb02: Downloading [=====>            ]  12.3MB/45.6MB",
        "count 12.3/45.6 - running",
    ),
    (
        "Transferred:   \t   12.300 MiB / 45.600 MiB, 27%, 5.210 MiB/s, ETA 6s",
        "count 12.3/45.6 27 running",
    ),
    (
        "Completed 12.3 MiB/45.6 MiB (5.2 MiB/s) with 3 file(s) remaining",
        "count 12.3/45.6 - running",
    ),
    (
        "model.bin                                   45%  512MB   5.2MB/s   00:12 ETA",
        "percent - 45 running",
    ),
    (
        "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n                                 Dload  Upload   Total   Spent    Left  Speed\n 45  100M   45 45.1M    0     0  5120k      0  0:00:20  0:00:09  0:00:11 5200k",
        "percent - 45 running",
    ),
    (
        "##########################                                         36.2%",
        "percent - 36.2 running",
    ),
    (
        " 12/45 [=======>--------------------]  26%",
        "count 12/45 26 running",
    ),
    // Version control, training, scripts
    (
        "remote: Counting objects:  45% (9/20)\rremote: Counting objects: 100% (20/20), done.",
        "count 20/20 100 finished",
    ),
    (
        "Receiving objects:  37% (512/1384), 1.20 MiB | 2.31 MiB/s\r",
        "count 512/1384 37 running",
    ),
    ("Rebasing (3/12)\r", "count 3/12 - running"),
    (
        "Epoch 2/5\n 45/100 [============>.................] - ETA: 3s - loss: 0.31",
        "step 2/5 - running",
    ),
    (
        "Epoch [3/10], Step [100/600], Loss: 0.2312",
        "step 3/10 - running",
    ),
    (
        "Loading checkpoint shards:  50%|█████     | 1/2 [00:03<00:03,  3.1s/it]",
        "count 1/2 50 running",
    ),
    (
        "iter 120/1000: loss 2.3121, time 31.2ms",
        "step 120/1000 - running",
    ),
    (
        "Progress.........: 45000/100000 (45.00%)",
        "count 45000/100000 45 running",
    ),
    (
        "Connect Scan Timing: About 45.00% done; ETC: 10:14 (0:00:15 remaining)",
        "percent - 45 running",
    ),
    (
        "Waiting for deployment \"shop\" rollout to finish: 2 of 3 updated replicas are available...",
        "count 2/3 - running",
    ),
    (
        "reading sources... [ 45%] usage/installation",
        "percent - 45 running",
    ),
    ("Running migration 3/12: add_orders", "count 3/12 - running"),
    (
        "Uploading... 45%\nerror: connection reset by peer",
        "percent - 45 failed",
    ),
    (
        " 1024K .......... .......... .......... 45% 5.21M 10s",
        "percent - 45 running",
    ),
    ("10%\r20%\r30%", "percent - 30 running"),
    ("Téléchargement : 45,5 %", "percent - 45.5 running"),
    (
        "2 500 fichiers traités sur 10 000",
        "count 2500/10000 - running",
    ),
    (
        "1'250 von 5'000 Dateien verarbeitet",
        "count 1250/5000 - running",
    ),
    ("Загрузка: 45%", "percent - 45 running"),
    ("다운로드 중... 45%", "percent - 45 running"),
    (
        "[10:14:02] Converting 12/40 images",
        "count 12/40 - running",
    ),
    ("Running test 5 of 20: parser", "test_run 5/20 - running"),
    ("[5/20] test_parser ... ok", "test_run 5/20 - running"),
    ("45/47 tests passed", "test_run 47/47 - failed"),
    ("Tests passed: 45 of 47", "test_run 47/47 - failed"),
    ("Executing tests... 45%", "test_run - 45 running"),
    (
        "  2 failed\n    [chromium] › a.spec.ts:3:1 › adds\n  118 passed (1.2m)",
        "test_run 120/120 - failed",
    ),
    (
        "[100%] Linking CXX executable shop\nmake[2]: *** [shop] Error 1",
        "percent - 100 failed",
    ),
    ("45% [3 libfoo 12.3 kB/45.6 kB 27%]", "percent - 45 running"),
    (
        "Encoding: task 1 of 2, 45.20 % (30.12 fps, ETA 00h12m03s)",
        "step 1/2 - running",
    ),
    ("処理中: 300/1000", "count 300/1000 - running"),
    ("Обработано: 300 из 1 000", "count 300/1000 - running"),
    ("Async agent launched successfully.", "subagent - - running"),
    // Sub-agents and lists
    ("Agent \"docs\" failed: timeout", "subagent - - failed"),
    (
        "⎿  Done (12 tool uses · 34.1k tokens · 1m 2s)",
        "subagent - - finished",
    ),
    ("☒ read\n☐ write", "checklist 1/2 - running"),
    ("Todos:\n- [x] read\n- [ ] write", "checklist 1/2 - running"),
];

/// What a tool prints that reports no progress.
pub(crate) const PRINTED_NOTHING: &[&str] = &[
    "",
    "Filesystem      Size  Used Avail Use% Mounted on\n/dev/sda1        98G   45G   49G  48% /",
    "CONTAINER ID   NAME   CPU %   MEM USAGE / LIMIT   MEM %\n1a2b3c4d5e6f   shop   0.45%   12.3MiB / 1.95GiB   0.62%",
    "# My project\n\n- [x] parser\n- [ ] docs",
    "     1\t# TODO\n     2\t- [x] a\n     3\t- [ ] b",
    "src/a.rs:12: // step 2/7",
    "commit 1a2b3c4d5e6f7a8b\n\n    Step 2/7: move",
    "1a2b3c4 Step 2/7: move\n2b3c4d5 Step 1/7: name",
    "diff --git a/x b/x\n+Step 2/7",
    "$ cat build.log\n[12/340] CC foo.o",
    "$ git log --oneline\n1a2b3c4 45% done",
    "==> /var/log/a.log <==\n45% done",
    "Mar 03 02:00:11 host backup[812]: 300/1000 records processed",
    "2025-11-02T02:00:11Z 45% done",
    "2026-03-04 10:14:02 Processed 300/1000 records",
    "  adding: a.txt (deflated 45%)",
    "#45  Step 2/7: move  feature-branch",
    "Applying: Step 2/7 of the installer",
    "  --progress   Show progress (e.g. 45%)",
    "    + Step 3/7",
    "label = \"Step 2/7\"",
    "{\"progress\": \"45%\", \"step\": \"2/7\"}",
    "<td>45%</td><td>2/7</td>",
    "print(f\"Step {i}/7\")",
    "assert progress == \"45%\"",
    "let s = \"Step 2/7\";",
    "// Running test 5 of 20",
    "All files      |   85.71 |    66.67 |     100 |   85.71 |",
    "Statements   : 85.71% ( 12/14 )",
    "total:                  (statements)    81.3%",
    "coverage: 81.3% of statements",
    "TOTAL    104    3    97%",
    "added 312 packages, and audited 313 packages in 3s",
    "found 0 vulnerabilities",
    " 3 files changed, 12 insertions(+), 4 deletions(-)",
    " src/a.rs | 12 ++++++------\n 1 file changed, 6 insertions(+), 6 deletions(-)",
    "Found 3 errors in 2 files.",
    "Success: no issues found in 45 source files",
    "0 upgraded, 3 newly installed, 0 to remove and 12 not upgraded.",
    "Plan: 3 to add, 1 to change, 0 to destroy.",
    "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\nshop   2/3     3            2           3d",
    "PLAY RECAP *****\nweb1 : ok=12   changed=3    unreachable=0    failed=0",
    "no tests ran in 0.01s",
    "No tests found, exiting with code 1",
    "go: downloading github.com/a/b v1.2.3",
    "Content-Range: bytes 0-499/1234",
    "GET /step/2/7 HTTP/1.1\" 200 45",
    "127.0.0.1 - - [04/Mar/2026:10:14:02 +0100] \"GET /items?page=2 HTTP/1.1\" 200 512",
    "Battery 0: Discharging, 45%, 02:12:00 remaining",
    "2/3 cups",
    "a,b\n1/2,45%",
    "Attempt 2 of 5 failed, retrying in 3s",
    "Retrying (2/5)...",
    "page 2 of 7",
    "Showing 1-10 of 340 results",
    "(3 rows)",
    "User-Agent: curl/8.5.0",
    "ssh-agent is running",
    "load average: 0.52, 0.41, 0.33",
    "version 2/3",
    "Cache hit rate: 45%",
    "Hit rate: 45% (450/1000)",
    "Quota: 45% used",
    "Usage: app [--step 2/7]",
    "width: 45%; height: 3/4",
    "thread 'main' panicked at src/a.rs:12:5:\nassertion failed: step 2/7",
    "error[E0308]: mismatched types",
    "✖ 2 problems (1 error, 1 warning)",
    "✓ built in 1.20s",
    "Lighthouse: Performance 45%",
    "Compression ratio: 45%",
    "Your branch is ahead of 'origin/main' by 3 commits.",
    "index 1a2b3c4..2b3c4d5 100644",
    "Accuracy: 91.2% (912/1000)",
    "Discount 20% applied",
    "2026/03/04 10:14:02",
    "net 10.0.0.0/8 up",
    "Passed 3 arguments",
    "collected 312 items\n\n312 tests collected in 0.5s",
    "Compressed 12 images (45%)",
    "0 passing (1ms)",
    "Passed 3/5 checks",
    "Allocated 512/2048 MB",
    "Showing 10 of 340 rows",
    "## Step 2/7\n\nRun the tests.",
    "1. Step 1/3: install",
    "- name: Step 2/7",
    "Waiting 3s (attempt 2/5)",
    "ok  \texample.com/a\t0.012s [no tests to run]",
    "All checks were successful\n0 cancelled, 0 failing, 12 successful",
];
