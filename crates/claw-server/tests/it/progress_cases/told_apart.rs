//! Outputs that are read by their form, and others of almost the same form that are no work.

/// What a tool prints, and how far it is.
pub(crate) const PRINTED: &[(&str, &str)] = &[
    (
        "converted  900 / 12 400 tiles\rconverted 1 800 / 12 400 tiles\r",
        "count 1800/12400 - running",
    ),
    (
        "[import] 450 / 3 200 rows\n[import] 900 / 3 200 rows\n[import] 1 350 / 3 200 rows\n",
        "count 1350/3200 - running",
    ),
    ("uploading 12/40 100% assets/a.png", "count 12/40 - running"),
    (
        "Processed 3/5 200 OK\nProcessed 4/5 404 Not Found\n",
        "count 4/5 - running",
    ),
    ("optimizing: 10% ... 35% ... 60%\n", "percent - 60 running"),
    (
        "Verifying flash: 25%...50%...75%...100% done\n",
        "percent - 100 finished",
    ),
    (
        "export: 12% ... 24% ... 36%\nKilled\n",
        "percent - 36 failed",
    ),
    (
        " 12%|█▏        | 120/1000 [00:12<01:30,  9.8it/s]Killed\n",
        "count 120/1000 12 failed",
    ),
    ("Downloading 45/120 chunks... ^C\n", "count 45/120 - failed"),
    (
        "encoding frame 400/1200\rencoding frame 410/1200\rencoding frame 412/1200 Segmentation fault (core dumped)\n",
        "count 412/1200 - failed",
    ),
    (
        "[3/9] ./deploy-db.sh FAILED with exit code 4\nsee deploy.log\n",
        "count 3/9 - failed",
    ),
    (
        "[3/9] probing node-3: exit code 1, retrying\n",
        "count 3/9 - running",
    ),
    (
        "load_fixtures: customers 400/400\nload_fixtures: invoices 1200/1200\nload_fixtures: payments 77/1200\n",
        "count 77/1200 - running",
    ),
    (
        "check.py: lexer 40/40\ncheck.py: parser 12/12\ncheck.py: types 3/9\n",
        "count 3/9 - running",
    ),
    (
        "[1/4] lint\n[2/4] typecheck\n[3/4] unit tests\n",
        "count 3/4 - running",
    ),
    (
        "[1/12] test_lexer ok\n[2/12] test_parser ok\n",
        "test_run 2/12 - running",
    ),
    (
        "[1/3] compile ... ok\n[2/3] integration tests ... FAILED (exit 1)\n",
        "count 2/3 - failed",
    ),
    (
        "Processed 12/40 files\nerror: disk full\nusage: pack [-h] SRC\n",
        "count 12/40 - failed",
    ),
    (
        "Usage: 45% of 100 GB\nCopying 12/40 files\n",
        "count 12/40 - running",
    ),
    (
        "[PASS] gpio loopback\n[PASS] uart echo\n[FAIL] i2c scan\n2/3 probes passed\n",
        "test_run 3/3 - failed",
    ),
    (
        "[PASS] a\n[PASS] b\nsummary: 2/2 checks ok\n",
        "test_run 2/2 - finished",
    ),
    ("Downloading: libfoo (3/8)\n", "count 3/8 - running"),
    ("Uploading 12 files: 3 (3/12)\n", "count 3/12 - running"),
    (
        "Epoch   GPU_mem  loss\n  3/50   2.1G   0.91:  45%|████      | 58/128 [00:10<00:12, 5.7it/s]\n",
        "count 3/50 - running",
    ),
    (
        "Iter  Cost  Best\n 12/400  3.1  2.9\n 13/400  3.0  2.9\n",
        "count 13/400 - running",
    ),
    (
        "1 000 / 4 812\n2 000 / 4 812\n4 812 / 4 812\ndone\n",
        "count 4812/4812 - finished",
    ),
    (
        "écrit 12 000 / 48 000 lignes\n",
        "count 12000/48000 - running",
    ),
    (
        "Processed 4 812 / 9 100 rows\n",
        "count 4812/9100 - running",
    ),
    ("copied 300 / 400 100 MB/s\n", "count 300/400 - running"),
    ("step 10/20 100 samples\n", "step 10/20 - running"),
    (
        "Synced 12/80 files, failed: 1, error: 0\n",
        "count 12/80 - running",
    ),
    (
        "Phase 1/2  freeze     OK   (2m 03s)\nPhase 2/2  thaw       FAIL (12.1s)\n",
        "step 2/2 - failed",
    ),
    (
        "step 3/3: smoke check passed in 1.2s\n",
        "step 3/3 - finished",
    ),
    (
        "[4/4] upload symbols ... done in 3s\n",
        "count 4/4 - finished",
    ),
    ("Stage 3/3 verify row counts\n", "step 3/3 - running"),
    ("Stage 2/3  restore  OK   (12:07)\n", "step 2/3 - running"),
    (
        "Uploading a.ipa   20%\nUploading a.ipa   45%\n",
        "percent - 45 running",
    ),
    (
        "Test run: 9/40 run, 8 passed, 1 failed\nfailures:\n  (3/40) parse_empty\n",
        "test_run 9/40 - failed",
    ),
    (
        "(39/40) PASS a\n(40/40) PASS b\nSummary: 40 tests run: 39 passed, 1 failed\n(7/40) FAIL c\n",
        "test_run 40/40 - failed",
    ),
    (
        "uploading part 7/31 ... retry 2/3 (503)\n",
        "step 7/31 - running",
    ),
    (
        "Downloaded 40/120 shards, attempt 2\n",
        "count 40/120 - running",
    ),
    (
        "Indexed 12/40 crates, 28 remaining\n",
        "count 12/40 - running",
    ),
    (
        "Scanned 90 of 400 hosts, 310 left\n",
        "count 90/400 - running",
    ),
    (
        "Sheets exported: 9 of 9. Memory peaked at 412 MB.\n",
        "count 9/9 - finished",
    ),
    (
        "Rendering frame 118 / 240 (Mem: 412M, peak 500M)\n",
        "count 118/240 - running",
    ),
    (
        "Compacting shard 3 of 16\nCompacting shard 4 of 16\nerror: compaction aborted: write stall\n",
        "count 4/16 - failed",
    ),
    (
        "pg_dump: dumping contents of table \"orders\"\npg_restore: processed 41/120 items\n",
        "count 41/120 - running",
    ),
    (
        "==> Downloading https://example.org/jq-1.7.tar.gz\n######################################################################## 100.0%\n==> Pouring jq\n",
        "percent - 100 finished",
    ),
    (
        "Fetched 12 of 12 feeds (3 unchanged)\n",
        "count 12/12 - finished",
    ),
    (
        "[1/3] Resolving packages...\n[2/3] Fetching packages...\nerror An unexpected error occurred: \"ENOTFOUND\".\n",
        "step 2/3 - failed",
    ),
    (
        "Translating de.json: 120/480 keys\nTranslating fr.json: 12/480 keys\n",
        "count 12/480 - running",
    ),
    (
        "Epoch 3/20 - loss: 0.412 - val_acc: 0.871\nEpoch 4/20 - loss: 0.388 - val_acc: 0.880\nKeyboardInterrupt\n",
        "step 4/20 - failed",
    ),
    (
        "sweep 18/64 lr=3e-4 bs=32 acc=0.71\nsweep 19/64 lr=1e-3 bs=32 acc=0.69\n",
        "count 19/64 - running",
    ),
    (
        "ok 1 - parses\nok 2 - prints\nnot ok 3 - fails\n1..3\n",
        "test_run 3/3 - failed",
    ),
    (
        "Uploading firmware... 12288/65536 bytes\rUploading firmware... 65536/65536 bytes\nVerifying... OK\n",
        "count 65536/65536 - finished",
    ),
    (
        "Erasing flash... done\nWriting at 0x00010000... (25 %)\nWriting at 0x00014000... (50 %)\nA fatal error occurred: Timed out waiting for packet header\n",
        "percent - 50 failed",
    ),
    (
        "deployment \"web\" 2 of 5 updated replicas are available...\nWaiting for deployment \"web\" rollout to finish: 3 of 5 updated replicas are available...\nerror: deployment \"web\" exceeded its progress deadline\n",
        "count 3/5 - failed",
    ),
    (
        "Rendering frame 118 / 240 (Fra:118 Mem:412M)\nBlender quit\n",
        "count 118/240 - running",
    ),
    (
        "Scanning 4 hosts [1000 ports/host]\nStats: 0:00:12 elapsed; 2 hosts completed (2 up), 2 undergoing Connect Scan\nConnect Scan Timing: About 45.12% done; ETC: 10:12 (0:00:14 remaining)\n",
        "percent - 45.12 running",
    ),
    (
        "time=\"2025-02-01T10:00:00Z\" level=info msg=\"processed chunk\" n=3 total=9\ntime=\"2025-02-01T10:00:02Z\" level=info msg=\"processed chunk\" n=4 total=9\n",
        "count 4/9 - running",
    ),
    (
        "Pruning: 12/40 snapshots removed\nPruning: 40/40 snapshots removed\n",
        "count 40/40 - finished",
    ),
    (
        "Run 3/5 finished: 812 req/s\nRun 4/5 finished: 799 req/s\nRun 5/5 finished: 805 req/s\nmean 805 req/s\n",
        "count 5/5 - finished",
    ),
    (
        "#8 [builder 3/6] RUN cargo build\n#8 12.4 Compiling serde v1.0\n#8 ERROR: process \"/bin/sh -c cargo build\" did not complete successfully: exit code: 101\n",
        "step 3/6 - failed",
    ),
    (
        "Segment 12/40 ✓\nSegment 13/40 ✓\nSegment 14/40 ✗ (checksum)\nretrying segment 14\n",
        "count 14/40 - running",
    ),
    (
        "PASS  src/a.test.ts\nFAIL  src/b.test.ts\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 11 passed, 12 total\n",
        "test_run 12/12 - failed",
    ),
    (
        "inserted 5000 rows (12.5%)\ninserted 10000 rows (25.0%)\ninserted 15000 rows (37.5%)\n",
        "percent - 37.5 running",
    ),
    (
        "Generation 40/200  best=12.1  avg=19.4\nGeneration 41/200  best=12.1  avg=19.2\n",
        "step 41/200 - running",
    ),
    (
        "seq 1 of 3: open\nseq 2 of 3: write\nseq 3 of 3: close\nall sequences ok\n",
        "count 3/3 - finished",
    ),
    (
        "[worker 2] job 18/90 ok\n[worker 1] job 17/90 ok\n[worker 3] job 19/90 failed: timeout\n[worker 2] job 20/90 ok\n",
        "step 20/90 - running",
    ),
    (
        "Sync complete: 480/500 objects copied, 20 errors\n",
        "count 480/500 - failed",
    ),
    (
        "tile 5/9 … done\ntile 6/9 … done\ntile 7/9 … cancelled by user\n",
        "count 7/9 - failed",
    ),
    (
        "Unpacking: 12 of 40 archives\nUnpacking: 13 of 40 archives\ntar: Unexpected EOF in archive\ntar: Error is not recoverable: exiting now\n",
        "count 13/40 - failed",
    ),
    (
        "Reprojecting rasters  [#####.....] 5/10\nReprojecting rasters  [######....] 6/10\n",
        "count 6/10 - running",
    ),
    (
        "Backing up 3 databases\n(1/3) shop ... ok, 412 MB\n(2/3) crm ... ok, 88 MB\n(3/3) logs ... ok, 1.2 GB\nBackup finished\n",
        "count 3/3 - finished",
    ),
    (
        "Backing up 3 databases\n(1/3) shop ... ok, 412 MB\n(2/3) crm ... pg_dump: error: connection to server failed\nbackup.sh: giving up\n",
        "count 2/3 - failed",
    ),
    (
        "Simulated 300 ps of 1000 ps\nSimulated 400 ps of 1000 ps\n",
        "count 400/1000 - running",
    ),
    (
        "Importing levels: 100%|##########| 12/12\nBaking navmesh: 25%|##5       | 3/12\n",
        "count 3/12 25 running",
    ),
    (
        "Flashed slot a (1 of 2)\nFlashed slot b (2 of 2)\nRebooting\n",
        "count 2/2 - finished",
    ),
    (
        "uploading part 7/31 ... retry 1/3 (503)\nuploading part 7/31 ... retry 2/3 (503)\n",
        "step 7/31 - running",
    ),
    (
        "Indexed 12/40 crates, 28 remaining\n",
        "count 12/40 - running",
    ),
    (
        "12 / 40\n13 / 40\n14 / 40\nKilled: 9\n",
        "count 14/40 - failed",
    ),
    (
        "make[2]: *** [a.o] Error 1\n[ 42%] Building C object b.c.o\nmake: *** [all] Error 2\n",
        "percent - 42 failed",
    ),
];

/// What only looks like it.
pub(crate) const PRINTED_NOTHING: &[&str] = &[
    "Available memory: 7 / 8 192 MB\n",
    "quantiles: 50% 90% 99%\n",
    "p50...p90...p99\n",
    "NAME      READY\nweb       2/2\napi       3/3\nworker    1/4\n",
    "web: 2/2\napi: 3/3\nworker: 1/4\n",
    "a.py 40/40\nb.py 12/12\nc.py 3/9\n",
    "Requests: 1200 / 1500 (80%)\nServed from edge: 900 / 1200 (75%)\nOrigin: 300 / 1200 (25%)\n",
    "Lines: 410/500\nBranches: 80/120\nFunctions: 44/60\n",
    "Inodes: 120 / 4000\nMemory: 3 / 8\nProcesses: 40 / 400\n",
    "error: unknown flag --jbos\nUsage: pack <SRC> [--jobs N]\n\nExamples:\n  pack a   # prints: packed 12/40 files\n",
    "build\tSet up job\t2025-01-02T10:11:12.1234567Z Running 12 tests\nbuild\tTests\t2025-01-02T10:11:13.1234567Z 12 passed, 0 failed\n",
    "deploy\tPush\t2025-01-02T10:11:12Z Uploaded 12/40 layers\n",
    "checking deps\n3/4 checks passed\n",
    "12/15 images ok\n",
    "texture uploads: 88 (cached 40/88)\n",
    "Meshes: 412 (merged 3/8)\n",
    "Round  Loss\n4/10   0.2\n",
    "Step   Owner   State\n1/3    ana     open\n",
    "GET /a/7 200 12ms\nGET /a/8 404 3ms\n",
    "disk sda1 900 / 1 800 GB\n",
    "upload     45%\nusers      12%\nrollback   3%\n",
    "a.bin  20%\nb.bin  45%\nc.bin  12%\n",
    "Health check attempt 3/10 failed, retrying in 5s\n",
    "Deployment status: pending (poll 4/60)\nDeployment status: pending (poll 5/60)\n",
    "connecting to db (try 2 of 5)\n",
    "API calls: 12/40, 28 remaining this hour\n",
    "rate limit 4999/5000, 4999 remaining\n",
    "12 of 30 seats booked (40%)\n",
    "Survey: 12 of 30 agreed (40%)\n",
    "Memory 118 / 240 (MB: used)\n",
    "Installing collected packages: a, b, c\nSuccessfully installed a-1 b-2 c-3\n",
    "Filesystem      Size  Used Avail Use% Mounted on\n/dev/sda1        98G   45G   49G  48% /\n",
    "  PID USER      %CPU %MEM\n  812 app       45.2  3.1\n",
    "Coverage: 412/500 lines (82.4%)\n",
    "terraform plan\nPlan: 3 to add, 1 to change, 0 to destroy.\n",
    "aws_instance.web[0]: Still creating... [10s elapsed]\naws_instance.web[0]: Creation complete after 41s\nApply complete! Resources: 3 added, 0 changed, 0 destroyed.\n",
    "frame= 1200 fps= 48 q=28.0 size=    2048kB time=00:00:50.00 bitrate= 335.5kbits/s speed=   2x\n",
    "Score: 8/10\nGrade: B\n",
    "Battery 0: Discharging, 45%, 02:10:00 remaining\n",
    "LAYER (TYPE)  PARAMS\nconv1  1,204\nTotal: 1,204 of 1,204 trainable (100%)\n",
    "Traceback (most recent call last):\n  File \"x.py\", line 3\nValueError: expected 3 of 5 columns\n",
    "warning: 3 of 5 workers idle\n",
    "dosfsck: 12 files, 45/130812 clusters\n",
    "/dev/sdb1: 11/65536 files (0.0% non-contiguous), 8859/262144 blocks\n",
    "Pass 1: Checking inodes, blocks, and sizes\nPass 2: Checking directory structure\n",
    "Candidates:\n  lz4     ratio 2.1   412/512 MB\n  zstd    ratio 3.0   288/512 MB\n",
    "Quota: 412/500 GB used on /scratch\n",
    "Peers 12/50, seeds 3/8, ratio 0.4\n",
    "Round-trip: 5/5 received, 0% packet loss\n",
    "5 packets transmitted, 4 received, 20% packet loss, time 4005ms\n",
    "Branch coverage 61% (220/360)\nLine coverage 80% (812/1012)\n",
    "3 of 14 vulnerabilities fixed automatically; 11 need manual review\n",
    "Battery: 3/5 bars\nGPS: 9/12 satellites locked\n",
    "Build cache: 120/160 tasks from cache, 40 executed\nBUILD SUCCESSFUL in 12s\n160 actionable tasks: 40 executed, 120 from cache\n",
    "Listing page 2/9 of results\n",
    "diff: 40/120 lines changed\n",
    "health: 2/3 nodes up, 1 down\n",
    "node-1 Ready 12/110 pods\nnode-2 Ready 40/110 pods\n",
    "Sharpe 1.4 | win rate 54% | max drawdown 12%\n",
    "Speedup: 45% (12.1s -> 6.6s)\n",
    "gzip: dist/app.js 412 KB -> 120 KB (29%)\n",
    "test result: 3/5 stars\n",
    "TODO 3/12 in src/lib.rs\n",
    "Elapsed 00:12 of 00:45 budget\n",
    "CPU 45%  MEM 61%  SWAP 0%\nCPU 47%  MEM 61%  SWAP 0%\nCPU 52%  MEM 62%  SWAP 0%\n",
    "loss 0.4 at 30%\n",
    "step 500000, will finish Mon Nov 16 12:00:00 2026\n",
    "gmx: step 50000, remaining wall clock time: 120 s\n",
    "Mapped reads: 9,120,344 / 10,000,000 (91.2%)\nProperly paired: 8,900,100 / 9,120,344 (97.6%)\nDuplicates: 120,000 / 9,120,344\n",
    "10000000 + 0 in total\n9120344 + 0 mapped (91.20% : N/A)\n",
    "Notarization: In Progress (poll 3/60)\nNotarization: In Progress (poll 4/60)\n",
];
