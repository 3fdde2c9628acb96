//! More outputs that stop, break off or complete, and of what goes on.

/// What is printed, and the update in it.
pub(crate) const PRINTED: &[(&str, &str)] = &[
    (
        "Extracting 1201/4800 entries\ntar: Unexpected EOF in archive\ntar: Error is not recoverable: exiting now\n",
        "count 1201/4800 - failed",
    ),
    (
        "Seeding products: 300/1200\nActiveRecord::RecordInvalid: Validation failed: Name can't be blank\n/home/user/shop/db/seeds.rb:14:in `block'\n",
        "count 300/1200 - failed",
    ),
    (
        "pg_restore: processing item 12 of 40 TABLE DATA orders\npg_restore: error: could not execute query: ERROR:  relation \"orders\" does not exist\n",
        "count 12/40 - failed",
    ),
    (
        "Fetched 300 of 900 pages\nHTTP 429 Too Many Requests, waiting 30s before retrying\n",
        "count 300/900 - running",
    ),
    (
        "Fetched 300 of 900 pages\nrequests.exceptions.ConnectionError: HTTPSConnectionPool(host='example.com', port=443): Max retries exceeded with url: /p/301\n",
        "count 300/900 - failed",
    ),
    (
        "Uploading chunk 7/20\nUploading chunk 8/20\nUpload aborted: server closed the connection\n",
        "count 8/20 - failed",
    ),
    (
        "Building 4 of 6 targets\nERROR: //shop:cart failed to build\nINFO: Elapsed time: 12.1s\nFAILED: Build did NOT complete successfully\n",
        "count 4/6 - failed",
    ),
    (
        "Rendering 240/240 frames\nWrote out.mp4\n",
        "count 240/240 - finished",
    ),
    (
        "Rendered 240/240 frames in 12.1s\n",
        "count 240/240 - finished",
    ),
    (
        "Syncing photos 20/20\nSync failed: 2 conflicts\n",
        "count 20/20 - failed",
    ),
    (
        "Rendering 230/240\nBlender quit\n",
        "count 230/240 - running",
    ),
    (
        "Deploying 1/3 regions: eu\nDeploying 2/3 regions: us\nDeployment to us failed: health check timed out\n",
        "count 2/3 - failed",
    ),
    (
        "[12/40] converting a.md\n[13/40] converting b.md\n!! b.md: bad front matter, skipping\n",
        "count 13/40 - running",
    ),
    (
        "[12/40] converting a.md\n[13/40] converting b.md\nbash: line 3:  8120 Killed                  ./convert.sh\n",
        "count 13/40 - failed",
    ),
    (
        "Cloning into 'shop'...\nremote: Counting objects: 100% (900/900), done.\nReceiving objects:  31% (279/900), 4.00 MiB | 1.00 MiB/s\nfetch-pack: unexpected disconnect while reading sideband packet\nfatal: early EOF\n",
        "count 279/900 31 failed",
    ),
    (
        "Step 4/9 : RUN npm ci\n ---> Running in 1f3c\nnpm ERR! code ERESOLVE\nThe command '/bin/sh -c npm ci' returned a non-zero code: 1\n",
        "step 4/9 - failed",
    ),
    (
        "==> Phase 1/3 prepare\n==> Phase 2/3 apply\n==> Phase 3/3 verify\nAll phases completed successfully.\n",
        "step 3/3 - finished",
    ),
    (
        "Task 1 of 3: lint ... ok\nTask 2 of 3: build ... ok\nTask 3 of 3: package ... ok\n",
        "step 3/3 - finished",
    ),
    (
        "Analyzed 500 of 500 files\n0 errors, 3 warnings\n",
        "count 500/500 - finished",
    ),
    (
        "Optimizing images: 12/12\nSaved 1.2 MB\n",
        "count 12/12 - finished",
    ),
    (
        "Copied 399 of 400 files\nCopied 400 of 400 files\n1 error occurred\n",
        "count 400/400 - failed",
    ),
    (
        "Exported 120/480 rows\nConnection to server was lost during query\n",
        "count 120/480 - failed",
    ),
    (
        "Validated 88/88 manifests, 2 invalid\n",
        "count 88/88 - failed",
    ),
    (
        "Flashing: 61%\nerror: device disconnected\n",
        "percent - 61 failed",
    ),
    ("Flashing: 100%\nVerify OK\n", "percent - 100 finished"),
    (
        "Flashing: 100%\nVerify failed at 0x8000\n",
        "percent - 100 failed",
    ),
    (
        "Backing up 3/7 volumes\nBacking up 4/7 volumes\nsignal: interrupt\n",
        "count 4/7 - failed",
    ),
    (
        "{\"event\":\"progress\",\"done\":12,\"total\":40}\n{\"event\":\"error\",\"message\":\"disk full\"}\n",
        "count 12/40 - failed",
    ),
    (
        "level=info msg=\"import\" progress=40%\nlevel=info msg=\"import\" progress=55%\nlevel=fatal msg=\"duplicate key\"\n",
        "percent - 55 failed",
    ),
    (
        "10 specs, 2 failures, 1 pending\nRandomized with seed 812\n",
        "test_run 10/10 - failed",
    ),
    (
        "=== RUN   TestSlow\n--- PASS: TestSlow (3.00s)\n=== RUN   TestHang\nsignal: killed\nFAIL\texample.com/shop\t120.0s\n",
        "test_run - - failed",
    ),
    (
        "PASS src/a.test.ts\nFAIL src/b.test.ts\n  ● Test suite failed to run\n\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       9 passed, 9 total\n",
        "test_run 9/9 - failed",
    ),
    (
        " RUN  v2.1.0 /home/user/shop\n\n ✓ src/a.test.ts (3 tests) 12ms\n\n⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯\n\nError: boom\n\n Test Files  1 passed (1)\n      Tests  3 passed (3)\n     Errors  1 error\n",
        "test_run 3/3 - failed",
    ),
    (
        "..F.E\n\nFinished in 0.3 seconds\n5 runs, 8 assertions, 1 failures, 1 errors, 0 skips\n",
        "test_run 5/5 - failed",
    ),
    (
        "Running 12 tests\n[1/12] parser ok\n[2/12] lexer ok\ntimeout: sending signal TERM to command './run-tests'\n",
        "test_run 2/12 - failed",
    ),
    (
        "Replaying 812/4000 events\nReplaying 813/4000 events\nAssertionError: balance is negative\n",
        "count 813/4000 - failed",
    ),
    (
        "Loading shard 3/16\nLoading shard 4/16\nterminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\nAborted (core dumped)\n",
        "count 4/16 - failed",
    ),
    (
        "Signing 4 of 12 artifacts\ngpg: signing failed: No secret key\n",
        "count 4/12 - failed",
    ),
    (
        "Publishing 12/12 crates\nerror: failed to publish to registry: 429\n",
        "count 12/12 - failed",
    ),
    (
        "Published 11/12 crates\nPublished 12/12 crates\nDone.\n",
        "count 12/12 - finished",
    ),
    ("Tagging 120/120\nok\n", "count 120/120 - finished"),
    (
        "Rolling update: 2/5 instances\nRolling update: 3/5 instances\nUpdate paused, waiting for approval\n",
        "count 3/5 - running",
    ),
    (
        "Draining 3/4 nodes\nerror when evicting pods/\"web-1\" -n \"default\" (will retry after 5s): Cannot evict pod\n",
        "count 3/4 - running",
    ),
    (
        "Hashing 31% done\rHashing 32% done\nhash: read error on a.iso: Input/output error\n",
        "percent - 32 failed",
    ),
    (
        "Installing 5/9 plugins\nInstalling 6/9 plugins\nInstallation failed. See install.log.\n",
        "count 6/9 - failed",
    ),
    (
        "Sending 40/100\nSending 41/100\nMax retries reached. Exiting.\n",
        "count 41/100 - failed",
    ),
    (
        "Parsed 900/900 lines with 4 errors\n",
        "count 900/900 - failed",
    ),
    (
        "Parsed 900/900 lines without errors\n",
        "count 900/900 - finished",
    ),
    (
        "Parsed 900/900 lines, no errors\n",
        "count 900/900 - finished",
    ),
    (
        "Fetching 7 of 8 feeds\nFetching 8 of 8 feeds\n7 ok, 1 failed\n",
        "count 8/8 - failed",
    ),
    (
        "[12/12] Linking app\nld: symbol(s) not found for architecture arm64\nclang: error: linker command failed with exit code 1 (use -v to see invocation)\nninja: build stopped: subcommand failed.\n",
        "count 12/12 - failed",
    ),
    (
        "Downloaded 3/3 models\nLoading checkpoint\n",
        "count 3/3 - finished",
    ),
    (
        "Stage 1/2: build ✓\nStage 2/2: deploy ✗\n",
        "step 2/2 - failed",
    ),
    (
        "step 3 of 5: migrate ... error\nrollback complete\n",
        "step 3/5 - failed",
    ),
    (
        "Converting 40/40 (38 ok, 2 failed)\n",
        "count 40/40 - failed",
    ),
    (
        "Scanned 1204/1204 files. Threats found: 0\n",
        "count 1204/1204 - finished",
    ),
    (
        "Executed 45 of 45 (2 FAILED) (0.412 secs / 0.301 secs)\n",
        "test_run 45/45 - failed",
    ),
    (
        "1..5\nok 1\nok 2\nnot ok 3\nok 4\nok 5\n# Failed 1 of 5 tests\n",
        "test_run 5/5 - failed",
    ),
    (
        "     Running [ 00:00:07] [=====>     ] 203/940: 8 running, 201 passed, 2 failed, 5 skipped\n   Canceling due to interrupt: 8 tests still running\n     SIGINT [   7.100s] store::it a\n",
        "test_run 203/940 - failed",
    ),
    (
        "test_a.py::test_one PASSED                                               [ 50%]\ntest_a.py::test_two FAILED                                               [100%]\n\n========================= 1 failed, 1 passed in 0.10s =========================\n",
        "test_run 2/2 - failed",
    ),
];

/// What is printed, and nothing in it is progress.
pub(crate) const PRINTED_NOTHING: &[&str] = &[
    "2 errors generated.\nmake: *** [Makefile:4: app] Error 1\n",
    "FAILED: a.o\nc++: fatal error: no input files\n",
    "12:04:11 ERROR pool exhausted (10/10 connections)\n",
    "Cannot connect to the Docker daemon. Is it running?\n",
    "Upload failed: 413 Payload Too Large\n",
    "Migration 0004_split_names failed, rolling back\n",
    "tar: Exiting with failure status due to previous errors\n",
    "Job finished with exit code 0\n",
    "pre-commit: 4 hooks, 1 failed\n",
    "3 of 5 required approvals\n",
    "lint: 0 of 120 files have problems\n",
    "dependency check: 2 of 212 packages are vulnerable\n",
    "broker: 1 of 3 partitions offline\n",
    "Backup of 2026-03-03 failed\n",
    "fsck: 4/4096 files, 120/16384 blocks\n",
    "ping: 3 packets transmitted, 2 received, 33% packet loss\n",
    "kill: (812) - No such process\n",
    "zsh: terminated  sleep 40\n",
    "error: pathspec 'step-2-of-7' did not match any file(s) known to git\n",
    "oom-kill: 98% of memory in use\n",
    "Import complete.\n",
    "Sync finished: nothing to do\n",
    "12 photos imported, 3 failed\n",
    "Everything up-to-date\n",
    "fatal: unable to access 'https://example.com/shop.git/': Could not resolve host: example.com\n",
    "3/4 nodes Ready\n",
    "gpg: signing failed: No secret key\n",
    "error: 12 of 12 retries used\n",
    "Readiness probe failed: 3/3\n",
    "liveness 2/3 failed\n",
    "ETA unknown, 45% confidence\n",
    "src/a.rs: 3/7 functions documented\n",
    "Upgrade available: 1.2.3 -> 1.4.0 (2 of 9 changes are breaking)\n",
    "parse error near line 5/20\n",
    "lock held by 2/4 sessions\nERROR: canceling statement due to lock timeout\n",
    "Failed assertions: 0/12\n",
    "[ERROR] Max heap 95% full\n",
    "inode 12/40 is orphaned\n",
    "Aborting: 3 of 4 disks are degraded\n",
];
