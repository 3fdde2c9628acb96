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
];
