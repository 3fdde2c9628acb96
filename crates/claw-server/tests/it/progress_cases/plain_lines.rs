//! Plain outputs of tools, and others that differ from them in one thing.

/// What a tool prints, and how far it is.
pub(crate) const PRINTED: &[(&str, &str)] = &[
    // A bar under a line that begins like an option, but explains nothing.
    (
        "curl \\\n  --progress-bar \\\n  -O https://example.org/a\n######################                            45.3%",
        "percent - 45.3 running",
    ),
    (
        "OPTIONS\n  none\nDownloading... 45%\n",
        "percent - 45 running",
    ),
    (
        "- downloading\n    ######################                 45.3%\n",
        "percent - 45.3 running",
    ),
    // Tests that are collected and then run.
    (
        "collected 4 items\n\ntests/test_cart.py::test_add PASSED [ 25%]\n",
        "test_run 1/4 25 running",
    ),
    (
        "tests/test_cart.py::test_add\n\n1 test collected in 0.05s\n\n.... [100%]\n4 passed in 0.12s\n",
        "test_run 4/4 - finished",
    ),
    (
        "cart::merge: test\n\n1 test, 0 benchmarks\n\nrunning 3 tests\ntest cart::merge ... ok\n",
        "test_run 1/3 - running",
    ),
    // Lines behind `> ` that a tool prints.
    (
        "> shop@1.0.0 build\n> node build.js\n\nBuilding 12/40 pages...\n",
        "count 12/40 - running",
    ),
    (
        "> Copying 3/5 files\n> Copying 4/5 files\n",
        "count 4/5 - running",
    ),
    (
        "> Task :core:compile\n> Task :app:test\nTest run: 12 tests completed, 0 failed.\n[3/8] packing app\n",
        "count 3/8 - running",
    ),
    // wget without a terminal.
    (
        "2026-11-15 09:12:40 (10.9 MB/s) - ‘dump.sql.zst’ saved [279037952/279037952]\n",
        "count 279037952/279037952 - finished",
    ),
    (
        "Saving to: 'a.tgz'\n\n2026-01-02 10:00:00 (812 KB/s) - 'a.tgz' saved [10240/10240]\n",
        "count 10240/10240 - finished",
    ),
    (
        "2026-01-02 10:00:00 (1,20 MB/s) - »a.tgz« gespeichert [10240/10240]\n",
        "count 10240/10240 - finished",
    ),
    (
        "2026-01-02 10:00:00 (2.1 MB/s) - written to stdout [512/512]\n",
        "count 512/512 - finished",
    ),
    (
        "     0K ........ ........ ........ ........ ........ ........ 11% 10.2M 22s\n229376K ........ ........ ........ 95% 11.0M 1s\n",
        "percent - 95 running",
    ),
    (
        "     0K ,,,,,,,, ,,,,,,,, ........ ........  3% 40.1M 60s\n",
        "percent - 3 running",
    ),
    // Warnings stop nothing.
    (
        "Hashing 7211/51002 files\nwarn: cannot read raw/0412.cr2: Permission denied\n",
        "count 7211/51002 - running",
    ),
    (
        "Hashing 7211/51002 files\n12:00:04 WARN io: connection reset by peer\n",
        "count 7211/51002 - running",
    ),
    (
        "Hashing 7211/51002 files\ntar: warning: a.txt: broken pipe\n",
        "count 7211/51002 - running",
    ),
    (
        "Hashing 7211/51002 files\n[WARNING] checksum mismatch in b.txt\n",
        "count 7211/51002 - running",
    ),
    (
        "Copied 40/40 files\nwarning: a.txt: permission denied\n",
        "count 40/40 - finished",
    ),
    (
        "Hashing 7211/51002 files\nerror: cannot read raw/0412.cr2: Permission denied\n",
        "count 7211/51002 - failed",
    ),
    (
        "Hashing 7211/51002 files\nerror: warnings are treated as errors\n",
        "count 7211/51002 - failed",
    ),
    (
        "Hashing 7211/51002 files\nwarn: slow disk\nKilled\n",
        "count 7211/51002 - failed",
    ),
    // Behind its tests a runner shows those that failed.
    (
        "..........F....s..                        [100%]\n=========== FAILURES ===========\n",
        "test_run - 100 failed",
    ),
    (
        "collected 18 items\n\ntests/test_a.py ..E   [ 16%]\n====== ERRORS ======\n",
        "test_run -/18 16 failed",
    ),
    (
        "running 2 tests\ntest a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\n",
        "test_run 2/2 - failed",
    ),
    (
        "tests/test_a.py .F.   [ 50%]\ntests/test_b.py ...   [100%]\n\n=== FAILURES ===\n___ test_x ___\n",
        "test_run - 100 failed",
    ),
    (
        "collected 3 items\n\n=========== FAILURES ===========\n",
        "test_run 0/3 - failed",
    ),
    (
        "..........F....s..                        [ 52%]\n",
        "test_run - 52 running",
    ),
    (
        "collected 18 items\n\ntests/test_failures.py ..   [ 16%]\nfailures so far: 0\n",
        "test_run -/18 16 running",
    ),
    (
        "running 3 tests\ntest a ... ok\n    failures:\nfailures:\n",
        "test_run 1/3 - running",
    ),
    (
        "model.bin    100%[=======>]   1.12G  8.21MB/s    in 2m 12s\n\n2026-03-04 10:14:02 (8.21 MB/s) - 'model.bin' saved [1202590842/1202590842]\n",
        "percent - 100 finished",
    ),
    (
        "running 2 tests\ntest failures ... ok\n",
        "test_run 1/2 - running",
    ),
    // It says itself where it stopped.
    (
        "error: upload failed at 63% (connection reset by peer)\n",
        "percent - 63 failed",
    ),
    ("Upload aborted at 12%\n", "percent - 12 failed"),
    (
        "2026-03-01 10:00:00 INFO sync: download interrupted at 40 %\n",
        "percent - 40 failed",
    ),
    (
        "backup: error: copying stopped at 7%\n",
        "percent - 7 failed",
    ),
    ("Download abgebrochen bei 63 %\n", "percent - 63 failed"),
    ("uploading: 2 failed at 63%\n", "percent - 63 running"),
    ("Uploading errors.log: 63%\n", "percent - 63 running"),
    ("Upload failed at 63%, resuming\n", "percent - 63 running"),
    // What a step is may have any words.
    (
        "Import: Schritt 2 von 5 – Kunden werden gelesen\n",
        "step 2/5 - running",
    ),
    ("Step 2 of 5 - loading users\n", "step 2/5 - running"),
    ("Phase 3/4 — cache is warmed up\n", "step 3/4 - running"),
    ("Étape 1/3 – clients\n", "step 1/3 - running"),
    ("Migration: stage 2 of 6 → versions\n", "step 2/6 - running"),
    // Logs of now that speak of a day before.
    (
        "Log of the previous run moved to sync.log.1\nCopied 3/8 files\n",
        "count 3/8 - running",
    ),
    (
        "resuming from last session\nCopied 3/8 files\n",
        "count 3/8 - running",
    ),
    (
        "Copied 3/8 files\nwriting log to last.log\n",
        "count 3/8 - running",
    ),
];

/// What a tool prints that is no progress.
pub(crate) const PRINTED_NOTHING: &[&str] = &[
    // Manuals.
    "       -#, --progress-bar\n              Make curl display transfer progress as a simple bar.\n\n              ######################                            45.3%\n",
    "  --bar        \n        Draws a bar:\n        [#######       ] 12/40 files\n",
    "CURL(1)                 User Commands                 CURL(1)\n\nMETER\n   [####    ] 45%\n",
    "NAME\n     pv - monitor a pipe\n\nEXAMPLES\n     pv draws this:\n\n     [====>        ] 42% ETA 0:00:12\n",
    "OPTIONS\n   -p, --progress\n          Report progress, as in\n\n          Copying 3/5 files\n",
    "   -?, --help\n      Shows [3/8] Building when it builds.\n",
    // Listings of tests.
    "tests/test_cart.py::test_add\ntests/test_cart.py::test_merge[1/2]\ntests/test_cart.py::test_merge[2/2]\n\n4 tests collected in 0.05s\n",
    "tests/test_cart.py::test_merge[1/2]\ntests/test_cart.py::test_merge[2/2]\n\n2/9 tests collected (7 deselected) in 0.05s\n",
    "collected 2 items\n\n<Module test_cart.py>\n  <Function test_merge[1/2]>\n  <Function test_merge[2/2]>\n\n======= 2 tests collected in 0.05s =======\n",
    "cart::merge_1/2: test\ncart::merge_2/2: test\n\n2 tests, 0 benchmarks\n",
    "Test project /home/user/shop\n  Test #1: merge_1/2\n  Test #2: merge_2/2\n\nTotal Tests: 2\n",
    // Quotations.
    "> On Nov 12 a colleague wrote:\n> The import on staging is at 60 %, 72,000 of 120,000 rows.\n> I will look again tomorrow.\n\nThanks, noted.\n",
    "Anna schrieb:\n> Kopiert 300/1000 Dateien\n",
    "> Importing is at 60 %.\n>\n> It will take until the evening, I think.\n",
    ">> Uploaded 3/8 files, the rest is for tomorrow.\n> Fine, go on with them.\n",
    "Re: import\n\nOn Monday Ben said:\n> Processed 300/1000 records\n> ok?\n",
    // Saved, and not by wget.
    "2026-11-15 09:12:40 - snapshot saved [3/3]\n",
    "state saved [12/40]\n",
    "2026-11-15 09:12:40 (10.9 MB/s) - ‘index.html’ saved [5120]\n",
    // Steps that are no work.
    "Step 2 of 5 – 41 % of users\n",
    "Round 3/5 - Score 2:1\n",
    "page 2 of 5 – users\n",
    "question 2 of 5 - versions\n",
    // Logs of another day.
    "2026-02-11 03:12:44 INFO  worker: processed 300/1000 records\n2026-02-11 03:12:49 ERROR worker: out of memory\n(log of last night, 2 of 6 files)\n",
    "Output of the previous run:\nCopied 3/8 files\nCopied 4/8 files\n",
    "--- log from yesterday ---\n[3/8] Building app\n",
    "Last night's log:\nUploading... 45%\n",
    "[3/8] Building app\n[4/8] Building docs\n# log of last week\n",
];
