//! Outputs of many tools, by how they end.

/// What is printed, and the update in it.
pub(crate) const PRINTED: &[(&str, &str)] = &[
    (
        "Rebasing (2/7)\rRebasing (3/7)\nCONFLICT (content): Merge conflict in src/cart.rs\nerror: could not apply 1f3c2d4... Split the cart\n",
        "count 3/7 - failed",
    ),
    (
        "Rebasing (6/7)\rRebasing (7/7)\nSuccessfully rebased and updated refs/heads/wip.\n",
        "count 7/7 - finished",
    ),
    (
        "Filtering content:  45% (9/20), 120.00 MiB | 8.00 MiB/s\nError downloading object: assets/a.bin (1f3c2d4): Smudge error\nerror: external filter 'git-lfs filter-process' failed\nfatal: assets/a.bin: smudge filter lfs failed\n",
        "count 9/20 45 failed",
    ),
    (
        "Transferred:   \t  120 MiB / 480 MiB, 25%, 12 MiB/s, ETA 30s\nTransferred:           12 / 40, 30%\nElapsed time:        10.1s\n",
        "count 12/40 30 running",
    ),
    (
        "Transferred:   \t  480 MiB / 480 MiB, 100%, 12 MiB/s, ETA 0s\nErrors:                 2 (retrying may help)\nTransferred:           40 / 40, 100%\nElapsed time:        40.1s\n",
        "count 40/40 100 failed",
    ),
    (
        "[download]  45.3% of 120.00MiB at 3.10MiB/s ETA 00:21\nERROR: unable to download video data: HTTP Error 403: Forbidden\n",
        "percent - 45.3 failed",
    ),
    (
        "[download] 100% of 120.00MiB in 00:00:38 at 3.10MiB/s\n[Merger] Merging formats into \"a.mp4\"\nERROR: Postprocessing: Conversion failed!\n",
        "percent - 100 finished",
    ),
    (
        "Mutation testing  [=====     ] 45% (elapsed: 1m, remaining: 1m) 18/40 tested (2 survived, 0 timed out)\n",
        "count 18/40 45 running",
    ),
    (
        "downloading 3/12 wheels\ndownloading 4/12 wheels\nerror: Failed to download `numpy==2.1.0`\n  Caused by: operation timed out\n",
        "count 4/12 - failed",
    ),
    (
        "Downloading packages: 7/30\nCondaHTTPError: HTTP 000 CONNECTION FAILED for url <https://example.org/pkg>\nElapsed: -\n",
        "count 7/30 - failed",
    ),
    (
        "[#1f3c2d 45MiB/120MiB(37%) CN:4 DL:3.1MiB ETA:24s]\n03/04 10:14:02 [ERROR] CUID#7 - Download aborted.\n",
        "count 45/120 37 failed",
    ),
    (
        "2026-03-04T10:14:02.123+0100\t[##########..............]  shop.orders  45.0MB/100MB  (45.0%)\n2026-03-04T10:14:05.123+0100\tFailed: shop.orders: error restoring from dump: connection closed\n",
        "count 45/100 45 failed",
    ),
    (
        "Progress.........: 123000/456000 (26.97%)\n",
        "count 123000/456000 26.97 running",
    ),
    (
        "Running: 1/4 lint\nRunning: 2/4 types\nRunning: 3/4 unit\nstep unit failed with exit code 2\n",
        "count 3/4 - failed",
    ),
    (
        "reading sources... [ 50%] usage\nreading sources... [100%] zeta\n\nExtension error:\nHandler for event 'env-updated' threw an exception\n",
        "percent - 100 failed",
    ),
    (
        "Compacting: 40%\nCompacting: 80%\nCompaction interrupted\n",
        "percent - 80 failed",
    ),
    (
        "Encoding: task 1 of 1, 45.12 % (60.1 fps, avg 58.2 fps, ETA 00h01m02s)\nEncode failed (error 3).\n",
        "step 1/1 45.12 failed",
    ),
    (
        "Migrating schema to version 4 (4/9)\nMigrating schema to version 5 (5/9)\nMigration of schema \"public\" to version \"5\" failed! Changes successfully rolled back.\n",
        "count 5/9 - failed",
    ),
    (
        "Epoch 10/10\n 45/45 [==============================] - 3s 60ms/step - loss: 0.1203\nModel saved to model.keras\n",
        "step 10/10 - finished",
    ),
    (
        "Training: 100%|██████████| 300/300 [02:00<00:00,  2.50it/s]\nTraining complete.\n",
        "count 300/300 100 finished",
    ),
    (
        "Evaluating:  31%|███       | 31/100 [00:10<00:22,  3.10it/s]\nslurmstepd: error: *** JOB 812 ON node1 CANCELLED AT 2026-03-04T10:14:02 DUE TO TIME LIMIT ***\n",
        "count 31/100 31 failed",
    ),
    (
        "[1/3] Scanning\n[2/3] Hashing\n[3/3] Writing index\nindex written: 1,204 entries\n",
        "count 3/3 - finished",
    ),
    (
        "uploading 3 of 5: c.tar\nuploading 4 of 5: d.tar\nuploading 5 of 5: e.tar\nuploaded 5 of 5\n",
        "count 5/5 - finished",
    ),
    (
        "uploading 4 of 5: d.tar\nupload of d.tar failed (403), giving up\n",
        "count 4/5 - failed",
    ),
    (
        "copied 12/40\ncopied 13/40\nSIGINT received, shutting down\n",
        "count 13/40 - failed",
    ),
    (
        "Tests: 12/40\nTests: 13/40\nError: listen EADDRINUSE: address already in use :::3000\nnpm ERR! Test failed.  See above for more details.\n",
        "test_run 13/40 - failed",
    ),
    (
        "1) Scenario: pays # features/pay.feature:3\n\n8 scenarios (1 undefined, 7 passed)\n40 steps (1 undefined, 39 passed)\n",
        "test_run 8/8 - finished",
    ),
    (
        "[==========] 40 tests from 6 test suites ran. (120 ms total)\n[  PASSED  ] 40 tests.\n\n  YOU HAVE 2 DISABLED TESTS\n",
        "test_run 40/40 - finished",
    ),
    (
        "  ✓ adds (2ms)\n  ✗ removes\n\n  39 passing (2s)\n  1 failing\n\nnpm ERR! Test failed.\n",
        "test_run 40/40 - failed",
    ),
    (
        "test result: FAILED. 11 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s\n\nerror: test failed, to rerun pass `--lib`\n",
        "test_run 12/12 - failed",
    ),
    (
        "FAIL: test_a\nRetrying failed tests (1 of 3)\n\nrunning 1 test\ntest test_a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 11 filtered out; finished in 0.01s\n",
        "test_run 1/1 - finished",
    ),
    (
        "[INFO] Running com.example.CartTest\n[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0 <<< FAILURE!\n[INFO] Running com.example.UserTest\n[INFO] Tests run: 7, Failures: 0, Errors: 0, Skipped: 0\n[INFO] Results:\n[ERROR] Tests run: 12, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE\n",
        "test_run 12/12 - failed",
    ),
    (
        "Test Suites: 1 failed, 2 passed, 3 of 8 total\nTests:       1 failed, 20 passed, 21 total\nSnapshots:   0 total\nTime:        4.1 s\nRan all test suites.\n",
        "test_run 3/8 - failed",
    ),
    (
        "ok 1 - a\nok 2 - b\nnot ok 3 - c\n1..3\n# Looks like you failed 1 test of 3.\n",
        "test_run 3/3 - failed",
    ),
    (
        "  3 flaky\n    [chromium] › cart.spec.ts:8:5 › adds an item\n  45 passed (1.2m)\n",
        "test_run 48/48 - finished",
    ),
    (
        "--- FAIL: TestTotals (0.01s)\n    cart_test.go:31: got 19, want 20\nFAIL\nexit status 1\nFAIL\texample.com/shop\t0.012s\n?   \texample.com/shop/cmd\t[no test files]\nok  \texample.com/shop/api\t0.120s\nFAIL\n",
        "test_run - - failed",
    ),
    (
        "Executed 31 tests, with 2 failures (1 unexpected) in 2.013 (2.031) seconds\n",
        "test_run 31/31 - failed",
    ),
    (
        "✔ Test run with 18 tests passed after 0.412 seconds.\n",
        "test_run 18/18 - finished",
    ),
    (
        "Ran 12 of 40 Specs in 3.120 seconds\nFAIL! -- 11 Passed | 1 Failed | 0 Pending | 28 Skipped\n",
        "test_run 40/40 - failed",
    ),
    (
        "40 tests completed, 1 failed, 3 skipped\n\nFAILURE: Build failed with an exception.\n",
        "test_run 40/40 - failed",
    ),
    (
        "Test summary: total: 42, failed: 0, succeeded: 41, skipped: 1, duration: 2.1s\nBuild succeeded in 4.1s\n",
        "test_run 42/42 - finished",
    ),
    (
        "57% tests passed, 3 tests failed out of 7\n\nTotal Test time (real) =   0.40 sec\n",
        "test_run 7/7 - failed",
    ),
    (
        "00:12 +40 -2: Some tests failed.\n",
        "test_run 42/42 - failed",
    ),
    ("5 passed, 1 failed, 1 timed out\n", "test_run 7/7 - failed"),
    (
        "running 3 tests\ntest a ... ok\ntest b ... FAILED\ntest c ... ok\n\nfailures:\n\n---- b stdout ----\nthread 'b' panicked at src/lib.rs:4:5:\nboom\n",
        "test_run 3/3 - failed",
    ),
    (
        "Step 7/12 : COPY . .\nCOPY failed: file not found in build context: stat .: file does not exist\n",
        "step 7/12 - failed",
    ),
    (
        "#9 [4/6] RUN make\n#9 ERROR: process \"/bin/sh -c make\" did not complete successfully: exit code: 2\n------\n > [4/6] RUN make:\n------\nERROR: failed to solve: exit code: 2\n",
        "count 4/6 - failed",
    ),
    (
        "[2/5] Type checking...\nsrc/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.\nFound 1 error.\n",
        "step 2/5 - failed",
    ),
    (
        "[5/5] Writing bundle...\nBuild finished with 2 warnings.\n",
        "step 5/5 - finished",
    ),
    (
        "Pulling 12/14\n ✔ db Pulled\n ⠿ web Pulling\nerror pulling image configuration: unexpected EOF\n",
        "count 12/14 - failed",
    ),
    (
        "  2 / 9 [====>----------------] 22% 1m2s\npanic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\nmain.main()\nexit status 2\n",
        "count 2/9 22 failed",
    ),
    (
        "Checked 40/40 links\nERROR: 3 dead links found\n",
        "count 40/40 - failed",
    ),
    (
        "Checked 40/40 links\nNo dead links.\n",
        "count 40/40 - finished",
    ),
    (
        "Linting 12/12 files\n✖ 3 problems (3 errors, 0 warnings)\n",
        "count 12/12 - failed",
    ),
    (
        "Dumping table 3/9: orders\nDumping table 4/9: lines\nmysqldump: Error 2013: Lost connection to MySQL server during query when dumping table `lines` at row: 812\n",
        "count 4/9 - failed",
    ),
    (
        "Uploaded 120 of 480 MB\nUploaded 480 of 480 MB\nChecksum verified.\n",
        "count 480/480 - finished",
    ),
    (
        "Retrying shard 3 of 8\nprocessed 3/8 shards\n",
        "count 3/8 - running",
    ),
    (
        "Transcribed 3/10 files\nTranscribed 4/10 files\nStopping: budget exhausted\n",
        "count 4/10 - failed",
    ),
    (
        "Rendering 10/10\nDone with 0 errors\n",
        "count 10/10 - finished",
    ),
    (
        "Processing batch 4 of 4\nProcessed 4 of 4 batches in 12s\nExiting.\n",
        "count 4/4 - finished",
    ),
    (
        "Unpacking 88%\nunzip: End-of-central-directory signature not found.\n",
        "percent - 88 running",
    ),
    (
        "Copying 12/40 error-pages.html\nerror-pages.html copied\n",
        "count 12/40 - running",
    ),
    (
        "Compiling 12/40 errors.ts\nfailed_jobs.ts compiled\n",
        "count 12/40 - running",
    ),
    (
        "[40/40] Linking CXX executable app\n$ ./app --version\napp 1.2.3\n",
        "count 40/40 - finished",
    ),
    (
        "[10/40] Building CXX object a.o\na.cc:3:1: warning: unused variable 'x' [-Wunused-variable]\n1 warning generated.\n[11/40] Building CXX object b.o\n",
        "count 11/40 - running",
    ),
    (
        "    Building [=======================>   ] 280/289: tokio(test)\nwarning: unused import: `std::fmt`\n --> src/lib.rs:1:5\n",
        "count 280/289 - running",
    ),
    (
        "Downloading 40%\nDownloading 60%\nNetwork is slow, please wait\n",
        "percent - 60 running",
    ),
    (
        "Imported 40/40 users\nSkipped 2 duplicates\n",
        "count 40/40 - finished",
    ),
    (
        "Processed 10/12\nskipped: 2\nfinished in 3s\n",
        "count 10/12 - finished",
    ),
    ("Processed 12/12\nerrors: 0\n", "count 12/12 - finished"),
    (
        "Processed 12/12\nfailed: 0, skipped: 1\n",
        "count 12/12 - finished",
    ),
    ("Processed 12/12\nFailed: 2\n", "count 12/12 - failed"),
    (
        "Indexing 40% complete\nIndexing 41% complete\nsignal 15 received, exiting with code 143\n",
        "percent - 41 failed",
    ),
    (
        "epoch 3/10 loss 0.31\nepoch 4/10 loss 0.30\nearly stopping at epoch 4\n",
        "step 4/10 - running",
    ),
    (
        "Batch 1/4 ok\nBatch 2/4 ok\nBatch 3/4 FAILED\nBatch 4/4 ok\n",
        "count 4/4 - failed",
    ),
    (
        "[1/3] a ok\n[2/3] b FAILED\n[3/3] c ok\n",
        "count 3/3 - failed",
    ),
    ("[1/3] a ok\n[2/3] b FAILED\n", "count 2/3 - running"),
    (
        "test 1/4 parse ... ok\ntest 2/4 print ... FAILED\ntest 3/4 seek ... ok\n",
        "test_run 3/4 - running",
    ),
    (
        "Suite 3/3: api\n12 passed, 0 failed\n",
        "test_run 12/12 - finished",
    ),
    (
        "ERROR: LoadError in spec\nRunning 40 specs\n",
        "test_run 0/40 - running",
    ),
];

/// What is printed, and nothing in it is progress.
pub(crate) const PRINTED_NOTHING: &[&str] = &[
    "Progress: resolved 812, reused 800, downloaded 12, added 812, done\n",
    "Installing dependencies from lock file\n\nPackage operations: 12 installs, 0 updates, 0 removals\n\n  - Installing idna (3.7)\n",
    "frame= 1200 fps= 60 q=28.0 size=    4096KiB time=00:00:40.00 bitrate= 838.9kbits/s speed=2.0x\n",
    "Applying shop.0001_initial... OK\nApplying shop.0002_orders...Traceback (most recent call last):\n  File \"manage.py\", line 10, in <module>\ndjango.db.utils.OperationalError: no such table: orders\n",
    "Bisecting: 12 revisions left to test after this (roughly 4 steps)\n",
    "aws_instance.web: Still creating... [40s elapsed]\n",
    "Plan: 3 to add, 1 to change, 0 to destroy.\n",
    "error: cannot rebase: You have unstaged changes.\n",
    "CONFLICT (content): Merge conflict in src/cart.rs\nAutomatic merge failed; fix conflicts and then commit the result.\n",
    "Patch failed at 0003 Split the cart\n",
    "error: patch failed: src/cart.rs:12\n",
    "Hunk #3 of 7 FAILED at 120.\n1 out of 7 hunks FAILED -- saving rejects to file cart.rs.rej\n",
    "12 mutants tested in 3m: 2 missed, 10 caught\n",
    "Mutation score: 45/60 (75%)\n",
    "requests: 1200 total, 3 failed (0.25%)\n",
    "checks.........................: 98.50% ✓ 985 ✗ 15\n",
    "Your build used 45% of the cache\n",
    "Failed to compile.\n\n./src/cart.tsx:12:5\nType error: Property 'x' does not exist\n",
    "pip's dependency resolver found 2 conflicts\nERROR: pip's dependency resolver does not currently take into account all the packages\n",
    "Would reformat 3 of 40 files\n",
    "39 of 40 files already formatted\n",
    "node_modules/.bin/tsc exited with code 2\n",
    "Nmap done: 256 IP addresses (3 hosts up) scanned in 12.1 seconds\n",
    "db-1: replication lag 45%\ndb-1: failover aborted\n",
    "Snapshot: 3/24 hourly, 2/7 daily kept\n",
    "CPU throttled: 40/100 periods\n",
    "WARN 2/8 workers unresponsive, restarting\n",
    "exit code: 0 (5/5 checks)\n",
    "FAILED (failures=1, errors=2, skipped=1)\n",
    "Lost connection to MySQL server during query\n",
    "error TS2322: Type 'string' is not assignable to type 'number'.\nFound 3 errors in 2 files.\n",
    "COPY failed: file not found in build context\n",
    "Stopping: budget exhausted (95% used)\n",
    "12 of 40 links are external\n",
    "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\n",
    "7/12 shards assigned, 5 unassigned\n",
    "build 812 of branch main: FAILED\n",
    "ok=3 failed=1\n",
    "Found 1 error.\n",
    "error: 1 of 3 targets is not installed\n",
    "note: 12/40 lines were truncated\n",
    "[INFO] 4 of 9 profiles active\n",
    "Signature check: 2/2 keys trusted\n",
    "Replica 2/3 is behind\n",
    "4 failed logins (3/5 allowed)\n",
    "[3/4] stars on average\n",
    "Uptime 99.9%, 2/3 incidents resolved this month\n",
    "healthcheck: 3/3 failed, restarting container\n",
    "Deleting 40% of the rows would free 12 GB\n",
    "error-pages.html copied\n",
    "1 warning generated.\n",
    "12/40 passed inspection last week\n",
    "Skipped 2 duplicates of 40\n",
    "early stopping at epoch 4\n",
    "RAID: 3/4 drives rebuilt on 2026-03-01, 1 failed\n",
    "Warning: 2 of 5 rules never match\n",
    "cache: 80% of lookups failed\n",
    "ERROR 3/10: see the manual, chapter 3 of 10\n",
    "HTTP 503 (2/3 backends down)\n",
    "batch size 4/4\n",
    "tests: 12, of which 3/12 are slow\n",
    "Inspected 12 containers: 3/12 exited with code 1\n",
    "exit codes seen: 1/3, 2/3\n",
];
