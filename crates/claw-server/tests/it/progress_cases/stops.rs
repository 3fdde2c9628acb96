//! Outputs of tools that stop, break off or complete, and of what goes on after a failure.

/// What is printed, and the update in it.
pub(crate) const PRINTED: &[(&str, &str)] = &[
    // What breaks off keeps its last numbers.
    (
        "Receiving objects:  44% (440/1000)\rReceiving objects:  45% (450/1000), 12.00 MiB | 3.10 MiB/s\nerror: RPC failed; curl 56 GnuTLS recv error (-9)\nfatal: early EOF\nfatal: index-pack failed\n",
        "count 450/1000 45 failed",
    ),
    (
        "[1/4] Resolving packages...\n[2/4] Fetching packages...\nerror An unexpected error occurred: \"https://registry.example.com/left-pad: ETIMEDOUT\".\n",
        "step 2/4 - failed",
    ),
    (
        "Uploading part 3/12\nUploading part 4/12\nclient_loop: send disconnect: Broken pipe\nlost connection\n",
        "step 4/12 - failed",
    ),
    (
        "Imported 3000/12000 rows\nImported 4000/12000 rows\npsycopg2.errors.UniqueViolation: duplicate key value violates unique constraint \"users_pkey\"\n",
        "count 4000/12000 - failed",
    ),
    (
        "Converting 11/40 a.heic\nConverting 12/40 b.heic\nKilled\n",
        "count 12/40 - failed",
    ),
    (
        "Converting 11/40 a.heic\nConverting 12/40 b.heic\n^C\n",
        "count 12/40 - failed",
    ),
    (
        "Indexed 12000 of 48000 documents\nException in thread \"main\" java.lang.OutOfMemoryError: Java heap space\n\tat com.example.Indexer.run(Indexer.java:88)\n",
        "count 12000/48000 - failed",
    ),
    (
        "Migrating 3 of 9 tables: orders\nMigrating 4 of 9 tables: invoices\nERROR 1205 (HY000): Lock wait timeout exceeded; try restarting transaction\nRolled back.\n",
        "count 4/9 - failed",
    ),
    (
        "Copying 120/400 files\ncp: error writing 'backup/a.bin': No space left on device\n",
        "count 120/400 - failed",
    ),
    (
        "model.bin            45%[========>           ] 512.30M  5.21MB/s\n\nCannot write to 'model.bin' (No space left on device).\n",
        "percent - 45 failed",
    ),
    (
        "Processed 812/2000 records\nthread 'main' panicked at src/import.rs:40:17:\ncalled `Option::unwrap()` on a `None` value\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
        "count 812/2000 - failed",
    ),
    (
        "Syncing 12/80 buckets\nSyncing 13/80 buckets\nCommand timed out after 2m 0.0s\n",
        "count 13/80 - failed",
    ),
    (
        "Encoding frame 1200/4800\nEncoding frame 1300/4800\nTerminated\n",
        "count 1300/4800 - failed",
    ),
    (
        "Waiting for deployment \"web\" rollout to finish: 1 of 3 updated replicas are available...\nerror: deployment \"web\" exceeded its progress deadline\n",
        "count 1/3 - failed",
    ),
    (
        "Waiting for deployment \"web\" rollout to finish: 1 of 3 updated replicas are available...\nWaiting for deployment \"web\" rollout to finish: 2 of 3 updated replicas are available...\ndeployment \"web\" successfully rolled out\n",
        "count 2/3 - finished",
    ),
    (
        "<=====--------> 41% EXECUTING [12s]\n> :app:compileKotlin FAILED\n\nFAILURE: Build failed with an exception.\n\nBUILD FAILED in 13s\n",
        "percent - 41 failed",
    ),
    (
        "   ━━━━━━━━━━━━━━━━╸━━━━━━━━━━━━━━━━━━━━━━━ 18.4/45.6 MB 5.2 MB/s eta 0:00:06\nERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n",
        "count 18.4/45.6 - failed",
    ),
    (
        "Downloading model.safetensors: 100%|██████████| 4.1G/4.1G [01:02<00:00, 66MB/s]\nOSError: Consistency check failed: file should be of size 4100 but has size 4099\n",
        "count 4.1/4.1 100 failed",
    ),
    (
        "Downloading image: 512/512 MB\nsha256 mismatch: expected 1f3c, got 9a2b\n",
        "count 512/512 - failed",
    ),
    (
        "Epoch 3/10\nloss: 0.31\nRuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n",
        "step 3/10 - failed",
    ),
    (
        "Pushed 7/9 layers\ndenied: requested access to the resource is denied\n",
        "count 7/9 - failed",
    ),
    (
        "Exit code 1\nResizing 12/30 photos\nResizing 13/30 photos\n",
        "count 13/30 - failed",
    ),
    (
        "Resizing 12/30 photos\nResizing 13/30 photos\nscript exited with code 3\n",
        "count 13/30 - failed",
    ),
    (
        "Resizing 12/30 photos\nResizing 13/30 photos\nProcess completed with exit code 1.\n",
        "count 13/30 - failed",
    ),
    (
        "[ 62%] Building CXX object a.cc.o\ninterrupt\nmake: *** [Makefile:12: all] Interrupt\n",
        "percent - 62 failed",
    ),
    (
        "Transferring 45/100 objects\nConnection reset by peer\n",
        "count 45/100 - failed",
    ),
    (
        "Scraping 45/100 pages\nOperation cancelled by user\n",
        "count 45/100 - failed",
    ),
    (
        "Publishing 2/6 packages\nnpm error code E403\nnpm error 403 Forbidden - you cannot publish over the previously published versions\n",
        "count 2/6 - failed",
    ),
    (
        "Publishing 2/6 packages\nERR! publish failed after 3 attempts\n",
        "count 2/6 - failed",
    ),
    (
        "Restoring: 40% (400/1000 MB)\nGave up after 5 retries\n",
        "count 400/1000 40 failed",
    ),
    (
        "Applying migrations: 3/7\nApplying migrations: 4/7\nMigration 0004_split_names failed, rolling back\n",
        "count 4/7 - failed",
    ),
    (
        "Verifying 112/340 checksums\nVerifying 113/340 checksums\nUnhandled exception. System.IO.IOException: The process cannot access the file.\n",
        "count 113/340 - failed",
    ),
    // At the total, with failures among the things.
    (
        "Converted 499/500 images\nConverted 500/500 images, 3 failed\n",
        "count 500/500 - failed",
    ),
    ("Processed 500/500 (12 errors)\n", "count 500/500 - failed"),
    ("Processed 500/500 (0 errors)\n", "count 500/500 - finished"),
    (
        "Uploaded 40/40 files\n2 files could not be uploaded:\n  a.bin\n  b.bin\n",
        "count 40/40 - failed",
    ),
    (
        "Import finished: 1980 of 2000 rows imported, 20 failed\n",
        "count 1980/2000 - failed",
    ),
    (
        "Imported 97 of 100 records, 3 failed\n",
        "count 97/100 - failed",
    ),
    (
        "Finished with errors: 38 of 40 pages exported\n",
        "count 38/40 - failed",
    ),
    // Completed.
    (
        "Reindexing 4999/5000\nReindexing 5000/5000\nReindex complete in 12s\n",
        "count 5000/5000 - finished",
    ),
    (
        "Backup: 8 of 8 volumes written\nBackup finished without errors.\n",
        "count 8/8 - finished",
    ),
    (
        "Migrated 12/12 tables, 0 failures\nAll migrations applied.\n",
        "count 12/12 - finished",
    ),
    (
        "Running migration 7 of 7: add_index\nMigrations complete.\n",
        "count 7/7 - finished",
    ),
    (
        "  Verifying        : zlib-1.3-2.x86_64        11/12 \n  Verifying        : bash-5.2-1.x86_64        12/12 \n\nInstalled:\n  bash-5.2-1.x86_64\n\nComplete!\n",
        "count 12/12 - finished",
    ),
    (
        "[3/4] Linking dependencies...\n[4/4] Building fresh packages...\nsuccess Saved lockfile.\nDone in 3.21s.\n",
        "step 4/4 - finished",
    ),
    (
        "[+] Building 31.2s (12/12) FINISHED\n => exporting to image\n",
        "count 12/12 - finished",
    ),
    (
        "[+] Building 12.3s (7/12)\n => ERROR [build 4/6] RUN npm ci\nERROR: failed to solve: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1\n",
        "count 4/6 - failed",
    ),
    (
        "[+] Running 2/3\n ✔ Network shop_default  Created\n ✔ Container shop-db-1   Healthy\n ✘ Container shop-web-1  Error\ndependency failed to start: container shop-web-1 exited (1)\n",
        "count 2/3 - failed",
    ),
    (
        "Sent 45/45 mails\nsummary: 45 sent, 0 bounced\n",
        "count 45/45 - finished",
    ),
    (
        "Transcoding 1 of 2 clips\nTranscoding 2 of 2 clips\nEverything transcoded, took 41s\n",
        "count 2/2 - finished",
    ),
    // A failure in the middle.
    (
        "Uploaded 4/10 files\nerror: connection reset, retrying in 5s\n",
        "count 4/10 - running",
    ),
    (
        "Imported 400/1000 rows\nerror: row 401 has no date, skipped\n",
        "count 400/1000 - running",
    ),
    (
        "Imported 400/1000 rows\nwarning: 3 rows have no date\n",
        "count 400/1000 - running",
    ),
    (
        "Converting 3/40\nerror: b.heic is corrupt\nConverting 4/40\n",
        "count 4/40 - running",
    ),
    (
        "Uploading 10/10\nupload failed, trying again\nUploading 1/10\nUploading 2/10\n",
        "count 2/10 - running",
    ),
    (
        "Crawled 40/200 pages (2 errors so far)\n",
        "count 40/200 - running",
    ),
    (
        "Downloading 45%\rDownloading 46%\nWARNING: Retrying (Retry(total=4, connect=None)) after connection broken by 'ReadTimeoutError'\n",
        "percent - 46 running",
    ),
    // Test runs that end early.
    (
        "collected 40 items\n\ntests/test_a.py ............F\n\n=================================== FAILURES ===================================\n=========================== short test summary info ============================\nFAILED tests/test_a.py::test_x - assert 1 == 2\n!!!!!!!!!!!!!!!!!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!!!!!!!!!!!!!!!!!\n========================= 1 failed, 12 passed in 3.10s =========================\n",
        "test_run 13/40 - failed",
    ),
    (
        "collected 40 items\n\ntests/test_a.py ............\n!!!!!!!!!!!!!!!!!!!!!!!!!!!!!! KeyboardInterrupt !!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!\n/home/user/app/db.py:14: KeyboardInterrupt\n============================== 12 passed in 3.10s ==============================\n",
        "test_run 12/40 - failed",
    ),
    (
        "tests/test_api.py ..................                                     [ 45%]\nKilled\n",
        "test_run - 45 failed",
    ),
    (
        "tests/test_api.py ..................                                     [ 45%]\nCommand timed out after 10m 0.0s\n",
        "test_run - 45 failed",
    ),
    (
        "running 20 tests\ntest a::one ... ok\ntest a::two ... ok\nerror: test failed, to rerun pass `--lib`\n\nCaused by:\n  process didn't exit successfully: `target/debug/deps/a-1b2c` (signal: 6, SIGABRT: process abort signal)\n",
        "test_run 2/20 - failed",
    ),
    (
        "running 20 tests\ntest a::one ... ok\ntest a::two ... FAILED\n",
        "test_run 2/20 - running",
    ),
    (
        "TAP version 13\n1..12\nok 1 - opens\nok 2 - reads\nBail out! The database is down.\n",
        "test_run 2/12 - failed",
    ),
    (
        "1..3\nok 1 - a\nnot ok 2 - b # TODO not written yet\nok 3 - c\n",
        "test_run 3/3 - finished",
    ),
    (
        "...............................................................  63 / 180 ( 35%)\nPHP Fatal error:  Allowed memory size of 134217728 bytes exhausted in /home/user/shop/Cart.php on line 12\n",
        "test_run 63/180 35 failed",
    ),
    (
        "Chrome 120.0.0.0 (Linux): Executed 12 of 45 SUCCESS (0.1 secs / 0.1 secs)\nChrome 120.0.0.0 (Linux): Executed 12 of 45 DISCONNECTED (30.1 secs / 0.1 secs)\n",
        "test_run 12/45 - failed",
    ),
    (
        "[==========] Running 6 tests from 2 test suites.\n[ RUN      ] A.x\n[       OK ] A.x (0 ms)\n[ RUN      ] A.y\nSegmentation fault (core dumped)\n",
        "test_run 1/6 - failed",
    ),
    (
        "panic: test timed out after 10m0s\n\ngoroutine 17 [running]:\ntesting.(*M).startAlarm.func1()\nFAIL\texample.com/shop\t600.012s\nFAIL\n",
        "test_run - - failed",
    ),
    (
        "     Summary [  31.902s] 312 tests run: 312 passed (2 flaky), 4 skipped",
        "test_run 312/312 - finished",
    ),
    (
        "     Summary [  60.010s] 12 tests run: 11 passed, 1 timed out, 0 skipped\n     TIMEOUT [  60.000s] net::it slow\nerror: test run failed\n",
        "test_run 12/12 - failed",
    ),
    (
        "Running 43 tests using 4 workers\n  1 failed\n    [chromium] › cart.spec.ts:8:5 › adds an item ────────\n  12 did not run\n  30 passed (31.2s)\n",
        "test_run 31/43 - failed",
    ),
    (
        "Ran 41 tests in 1.902s\n\nOK (expected failures=2)\n",
        "test_run 41/41 - finished",
    ),
    (
        "Ran 41 tests in 1.902s\n\nFAILED (unexpected successes=1)\n",
        "test_run 41/41 - failed",
    ),
    ("12 passed, 2 rerun in 3.20s\n", "test_run 12/12 - finished"),
    (
        "============== 1 failed, 47 passed in 3.81s ===============\n\n$ pytest --lf\ncollected 48 items / 47 deselected / 1 selected\n\ntests/test_cart.py .                                                     [100%]\n\n=============== 1 passed, 47 deselected in 0.12s ===============\n",
        "test_run 1/1 - finished",
    ),
    (
        "[INFO] Tests run: 64, Failures: 0, Errors: 0, Skipped: 0, Flakes: 2\n[INFO] BUILD SUCCESS\n",
        "test_run 64/64 - finished",
    ),
    (
        "12/57 Test #12: io.read ..........................***Failed    0.10 sec\n",
        "test_run 12/57 - running",
    ),
    (
        "Agent \"api review\" was cancelled\n",
        "subagent - - failed",
    ),
];

/// What is printed, and nothing in it is progress.
pub(crate) const PRINTED_NOTHING: &[&str] = &[
    "error: could not compile `shop` (lib) due to 3 previous errors; 2 warnings emitted\n",
    "fatal: not a git repository (or any of the parent directories): .git\n",
    "npm error code ELIFECYCLE\nnpm error errno 1\nnpm error shop@1.0.0 build: `tsc`\nnpm error Exit status 1\n",
    "make: *** [Makefile:12: all] Error 2\n",
    "Killed\n",
    "Exit code 137\n",
    "Exit code 1\nls: cannot access 'a': No such file or directory\n",
    "Command timed out after 2m 0.0s\n",
    "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    x = 5 / 20\nZeroDivisionError: division by zero\n",
    "✖ 12 problems (3 errors, 9 warnings)\n  1 error and 4 warnings potentially fixable with the `--fix` option.\n",
    "Found 12 errors in 3 files (checked 40 source files)\n",
    "error: 3 of 7 vulnerabilities are critical\n",
    "ERROR: 2 of 12 links are broken\n",
    "Retrying (3/5) after error: ECONNRESET\n",
    "attempt 3 of 5 failed: connection refused\n",
    "curl: (7) Failed to connect to localhost port 8080 after 0 ms: Connection refused\n",
    "E: Unable to locate package foo\n",
    "Deleted 12 files\n",
    "Imported 500 rows in 2.1s\n",
    "Done in 3.21s.\n",
    "✨  Done in 12.04s.\n",
    "Build finished: 3 warnings, 0 errors\n",
    "BUILD SUCCESSFUL in 12s\n14 actionable tasks: 3 executed, 11 up-to-date\n",
    "Apply complete! Resources: 3 added, 1 changed, 0 destroyed.\n",
    "PLAY RECAP *********\nweb1 : ok=12 changed=3 unreachable=0 failed=1 skipped=2\n",
    "Successfully installed numpy-2.1.0 pandas-2.2.1\n",
    "upload: ./a.bin to s3://example/a.bin\nupload failed: ./b.bin to s3://example/b.bin An error occurred (AccessDenied)\n",
    "scp: /srv/www/a.tar: Permission denied\n",
    "sha256sum: WARNING: 2 of 12 computed checksums did NOT match\n",
    "Health check: 2/3 targets healthy\n",
    "deployment.apps/web   2/3     3            2           4m\n",
    "pod/web-1   0/1     CrashLoopBackOff   12 (2m ago)   40m\n",
    "Quorum lost: 2 of 5 voters reachable\n",
    "Disk /dev/sda1 at 100%\nNo space left on device\n",
    "swap used: 512/2048 MB\nOut of memory: Killed process 812 (java)\n",
    "Segmentation fault (core dumped)\n",
    "exit status 1\n",
    "Aborted\n",
    "Terminated\n",
    "Rate limit: 4999/5000 requests used\nError: rate limit exceeded\n",
    "warning: 264 of 1204 symbols were not resolved\n",
    "HTTP/1.1 504 Gateway Timeout\n",
    "0 failed, 3 warnings\n",
    "1 file failed to upload\n",
    "Job 12 of user alice: CANCELLED at 2026-03-04T10:14:02\n",
    "error[E0308]: mismatched types\n --> src/lib.rs:12:5\n   |\n12 |     5/20\n   |     ^^^^ expected `f64`, found integer\n",
    "  3 of 12 migrations pending\n",
    "Lint: 12/12 rules enabled, 1 failed to load\n",
    "Score: 45/100 — failed\n",
    "Connection to db-1 lost (2/5 replicas left)\n",
    "Password attempt 2 of 3 failed\n",
    "ERROR: disk quota 95% used, upload refused\n",
    "Coverage 71% is below the threshold of 80%\nERROR: Coverage check failed\n",
    "Comparison failed: 45% of pixels differ\n",
];
