//! Outputs of people's own scripts.

/// What a script prints, and the update in it.
pub(crate) const PRINTED: &[(&str, &str)] = &[
    (
        "[sync] 12/40 buckets mirrored\n[sync] 13/40 buckets mirrored\n",
        "count 13/40 - running",
    ),
    (
        "[deploy] step 1/4 upload ... ok\n[deploy] step 2/4 migrate ... ok\n[deploy] step 3/4 restart ... FAILED\n[deploy] rolled back",
        "step 3/4 - failed",
    ),
    ("(1/3) fetch\n(2/3) build\n", "count 2/3 - running"),
    (
        "10:02:11 [worker-3] processed 1200/4800 (25.0%)\n10:02:12 [worker-3] processed 1300/4800 (27.1%)\n",
        "count 1300/4800 27.1 running",
    ),
    (
        "Rows copied: 120000 / 480000\n",
        "count 120000/480000 - running",
    ),
    (
        "Copied 3.2 GB of 12.8 GB (25%)\n",
        "count 3.2/12.8 25 running",
    ),
    (
        "Progress: |███████-----------------------| 25.0% Complete\n",
        "percent - 25 running",
    ),
    ("Scanning... 45% (1204 files)\n", "percent - 45 running"),
    (
        "Crawled 40 of 200 pages, 3 errors\n",
        "count 40/200 - running",
    ),
    ("Exporting frames 120..240: 50%\n", "percent - 50 running"),
    ("Thumbnails: 12 done, 28 to go\n", "nothing"),
    (
        "backup: 3 of 8 volumes done\nbackup: 4 of 8 volumes done\n",
        "count 4/8 - running",
    ),
    ("[=====>      ] 45% eta 12s\n", "percent - 45 running"),
    (
        "Uploading app.tar.gz  45% 12.1MB 4.1MB/s\n",
        "percent - 45 running",
    ),
    (
        "import: batch 12/40 (1200 rows)\nimport: batch 13/40 (1300 rows)\n",
        "count 13/40 - running",
    ),
    ("Round 3/10: 12 candidates left\n", "step 3/10 - running"),
    ("==== stage 2 of 3 (train) ====\n", "step 2/3 - running"),
    (
        "Flashing 45%\rFlashing 46%\rFlashing 47%",
        "percent - 47 running",
    ),
    ("Verifying 12/12\nOK\n", "count 12/12 - finished"),
    ("Compiling 40 files (.ex)\nGenerated shop app\n", "nothing"),
    ("progress: 45/100\n", "count 45/100 - running"),
    ("PROGRESS 0.45\n", "nothing"),
    (
        "status=running done=12 total=40\nstatus=running done=13 total=40\n",
        "count 13/40 - running",
    ),
    (
        "{\"event\":\"progress\",\"done\":40,\"total\":40}\n",
        "count 40/40 - finished",
    ),
    (
        "{\"event\":\"start\",\"total\":40}\n{\"event\":\"progress\",\"completed\":12,\"total\":40}\n",
        "count 12/40 - running",
    ),
    (
        "Importing 2026-11.csv: 12,000 of 48,000 lines\n",
        "count 12000/48000 - running",
    ),
    (
        "seeding users ... 100/100\nseeding orders ... 45/400\n",
        "count 45/400 - running",
    ),
    ("Resolving: 45 of 120\n", "count 45/120 - running"),
    (
        "mksquashfs: [======|          ] 1204/8120  14%\n",
        "count 1204/8120 14 running",
    ),
    (
        "[1/2] Downloading index\n[2/2] Unpacking\nAll done!\n",
        "count 2/2 - finished",
    ),
    (
        "Task 3/8 (lint) started\nTask 3/8 (lint) finished in 2.1s\nTask 4/8 (types) started\n",
        "step 4/8 - running",
    ),
    ("agents: 2/5 finished\n", "subagent 2/5 - running"),
    (
        "[subagents] 3 of 3 agents finished\n",
        "subagent 3/3 - finished",
    ),
    ("---\n12 of 40 files copied\n", "count 12/40 - running"),
    (
        "Expected:\n    5\nGot:\n    6\n12 tests, 1 failure\n",
        "test_run 12/12 - failed",
    ),
];
