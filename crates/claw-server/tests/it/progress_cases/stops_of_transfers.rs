//! Downloads, installers and builders, by how they end.

/// What is printed, and the update in it.
pub(crate) const PRINTED: &[(&str, &str)] = &[
    (
        "Get:3 http://example.org/debian bookworm/main libfoo [120 kB]\n45% [3 libfoo 12.3 kB/45.6 kB 27%]\nE: Failed to fetch http://example.org/debian/libfoo.deb  Connection failed\nE: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?\n",
        "percent - 45 failed",
    ),
    (
        "(3/12): bash-5.2.rpm                          1.2 MB/s | 1.8 MB     00:01\n(4/12): zlib-1.3.rpm                          1.2 MB/s |  98 kB     00:00\n[MIRROR] glibc.rpm: Curl error (28): Timeout was reached\n[FAILED] glibc.rpm: No more mirrors to try - All mirrors were already tried without success\n",
        "count 4/12 - failed",
    ),
    (
        "(1/5) Installing musl (1.2.5)\n(2/5) Installing zlib (1.3)\n(3/5) Installing openssl (3.3)\n(4/5) Installing curl (8.9)\n(5/5) Installing git (2.45)\nExecuting busybox-1.36.trigger\nOK: 42 MiB in 31 packages\n",
        "count 5/5 - finished",
    ),
    (
        "(1/5) Installing musl (1.2.5)\n(2/5) Installing zlib (1.3)\nERROR: zlib-1.3: package mentioned in index not found (try 'apk update')\n",
        "count 2/5 - failed",
    ),
    (
        "info: downloading component 'rustc'\n 45.1 MiB /  61.2 MiB ( 74 %)  12.0 MiB/s in  4s ETA:  1s\nerror: component download failed for rustc: could not download file\n",
        "count 45.1/61.2 74 failed",
    ),
    (
        "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n                                 Dload  Upload   Total   Spent    Left  Speed\n 45  120M   45 54.0M    0     0  3100k      0  0:00:39  0:00:17  0:00:22 3210k\ncurl: (18) transfer closed with 69206016 bytes remaining to read\n",
        "percent - 45 failed",
    ),
    (
        "a.tar                                    45%   54MB   3.1MB/s   00:21 ETA\nclient_loop: send disconnect: Broken pipe\nscp: Connection closed\n",
        "percent - 45 failed",
    ),
    (
        "     54,000,000  45%    3.10MB/s    0:00:21  \nrsync: [sender] write error: Broken pipe (32)\nrsync error: error in socket IO (code 10) at io.c(848) [sender=3.2.7]\n",
        "percent - 45 failed",
    ),
    (
        "    120,000,000 100%    3.10MB/s    0:00:38 (xfr#12, to-chk=0/40)\n\nsent 120,031,204 bytes  received 812 bytes  3,115,000.00 bytes/sec\ntotal size is 120,000,000  speedup is 1.00\n",
        "percent - 100 finished",
    ),
    (
        "Completed 12.0 MiB/120.0 MiB (3.1 MiB/s) with 1 file(s) remaining\nupload failed: ./a.tar to s3://example/a.tar Connection was closed before we received a valid response\n",
        "count 12/120 - failed",
    ),
    (
        "[0:12] 31.82%  120 files 1.204 GiB, total 400 files 3.784 GiB, 0 errors ETA 0:26\nFatal: unable to save snapshot: context canceled\n",
        "count 120/400 31.82 failed",
    ),
    (
        "Downloading shop:dev: layer 3/7\nDownloading shop:dev: layer 4/7\ntoomanyrequests: You have reached your pull rate limit.\n",
        "count 4/7 - running",
    ),
    (
        "Preparing: 1/4\nPreparing: 2/4\nPreparing: 3/4\nPreparing: 4/4\nAll 4 prepared.\n",
        "count 4/4 - finished",
    ),
    (
        "Generating static pages (12/45)\nError occurred prerendering page \"/about\". Read more: https://example.org/err\nTypeError: Cannot read properties of undefined\nExport encountered errors on following paths:\n\t/about\n",
        "count 12/45 - failed",
    ),
    (
        "webpack 45% building 120/300 modules\nERROR in ./src/cart.ts 12:5\nModule not found: Error: Can't resolve './total'\nwebpack 5.90.0 compiled with 1 error in 1204 ms\n",
        "count 120/300 45 failed",
    ),
    (
        "[ 12%] Building C object a.c.o\n[ 25%] Building C object b.c.o\nb.c:4:10: fatal error: zlib.h: No such file or directory\ncompilation terminated.\nmake[2]: *** [CMakeFiles/zip.dir/build.make:90: b.c.o] Error 1\n",
        "percent - 25 failed",
    ),
    (
        "[1,204 / 3,511] Compiling src/core/a.cc; 12s linux-sandbox\nERROR: /home/user/shop/src/core/BUILD:12:11: Compiling src/core/a.cc failed: (Exit 1): gcc failed\nTarget //shop:app failed to build\n",
        "count 1204/3511 - failed",
    ),
    (
        "Objects: 45% (450/1000)\rObjects: 100% (1000/1000), done.\nerror: failed to push some refs to 'example.com:shop.git'\n",
        "count 1000/1000 100 failed",
    ),
    (
        "Writing objects: 100% (9/9), 1.10 KiB | 1.10 MiB/s, done.\nTotal 9 (delta 4), reused 0 (delta 0), pack-reused 0\nremote: Resolving deltas: 100% (4/4), completed with 2 local objects.\nTo example.com:shop.git\n ! [remote rejected] main -> main (protected branch hook declined)\nerror: failed to push some refs to 'example.com:shop.git'\n",
        "count 4/4 100 finished",
    ),
    (
        "Validation: 0it [00:00, ?it/s]\n  8%|▊         | 80/1000 [00:10<02:00,  7.60it/s]\nTraceback (most recent call last):\n  File \"train.py\", line 80, in <module>\nKeyboardInterrupt\n",
        "count 80/1000 8 failed",
    ),
    (
        "Vectorized 4,096 / 10,000 passages\nopenai.RateLimitError: Error code: 429 - quota exceeded\n",
        "count 4096/10000 - failed",
    ),
    (
        "embedding chunk 40/120\nembedding chunk 41/120\nInterrupted.\n",
        "count 41/120 - failed",
    ),
    (
        "Pages built: 12 of 80\nPages built: 80 of 80\nSite ready.\n",
        "count 80/80 - finished",
    ),
    (
        "12 of 80 pages built\nbuild aborted\n",
        "count 12/80 - failed",
    ),
    (
        "Tiles: 512/2048\nTiles: 600/2048\nGPU error: device lost\n",
        "count 600/2048 - failed",
    ),
    ("Archived 3 of 3 mailboxes.\n", "count 3/3 - finished"),
    (
        "mailbox 2 of 3: alice\nmailbox 3 of 3: bob\nIMAP error: authentication failed\n",
        "count 3/3 - failed",
    ),
    (
        "Purging 12 of 12 caches ... done\n",
        "count 12/12 - finished",
    ),
    (
        "Reconciled 98/120 accounts\nReconciliation stopped: ledger is locked\n",
        "count 98/120 - failed",
    ),
    (
        "Compressing: 31/64 MB\nCompressing: 64/64 MB\nwritten to backup.tar.zst\n",
        "count 64/64 - finished",
    ),
    (
        "Decrypted 4/9 volumes\nWrong passphrase, aborting.\n",
        "count 4/9 - failed",
    ),
    (
        "Geocoded 400/1000 addresses (40%)\nquota exceeded, stopping\n",
        "count 400/1000 40 failed",
    ),
    (
        "Screenshots: 4/12\nScreenshots: 5/12\npage.goto: Timeout 30000ms exceeded.\n",
        "count 5/12 - failed",
    ),
    (
        "Stitching 7/7 panoramas\nFinished!\n",
        "count 7/7 - finished",
    ),
    (
        "Probing 254/254 hosts\nscan finished, 12 hosts up\n",
        "count 254/254 - finished",
    ),
    (
        "Warming 40/40 routes: 38 ok, 2 errors\n",
        "count 40/40 - failed",
    ),
    (
        "Benchmark 3 of 6: parse\nBenchmark 4 of 6: print\nBenchmark 4 of 6 failed: out of memory\n",
        "count 4/6 - failed",
    ),
    (
        "Unpacked 12/31 packages\ndpkg: error processing archive libfoo.deb (--unpack):\n trying to overwrite '/usr/lib/libfoo.so'\nErrors were encountered while processing:\n libfoo.deb\n",
        "count 12/31 - failed",
    ),
    (
        "Bundled 120/120 modules, 2 with errors\n",
        "count 120/120 - failed",
    ),
    (
        "Kernels warmed: 3/16\nKernels warmed: 4/16\nterminated\n",
        "count 4/16 - failed",
    ),
    ("gizmo 1 of 8\ngizmo 2 of 8\n", "count 2/8 - running"),
    (
        "Sprites (3/40)\nSprites (4/40)\nSprites (40/40)\nok\n",
        "count 40/40 - finished",
    ),
];

/// What is printed, and nothing in it is progress.
pub(crate) const PRINTED_NOTHING: &[&str] = &[
    "vite v5.2.0 building for production...\ntransforming (120) src/cart.ts\n",
    "==> Installing dependencies for ffmpeg: aom, dav1d\n==> Installing ffmpeg dependency: aom\n",
    "toomanyrequests: You have reached your pull rate limit.\n",
    "sent 120,031,204 bytes  received 812 bytes  3,115,000.00 bytes/sec\ntotal size is 120,000,000  speedup is 1.00\n",
    " ! [remote rejected] main -> main (protected branch hook declined)\nerror: failed to push some refs to 'example.com:shop.git'\n",
    "OK: 42 MiB in 31 packages\n",
    "0 upgraded, 3 newly installed, 0 to remove and 12 not upgraded.\nE: Unable to fetch some archives\n",
    "webpack 5.90.0 compiled with 1 error in 1204 ms\n",
    "compilation terminated.\n",
    "Downloaded 12 crates (1.2 MB) in 0.41s\nerror: failed to compile `shop v0.1.0`\n",
    "npm warn deprecated glob@7.2.3\nadded 312 packages, and audited 313 packages in 4s\n40 packages are looking for funding\n",
    "Get:3 http://example.org/debian bookworm/main libfoo [120 kB]\nFetched 120 kB in 1s (98 kB/s)\n",
    "error: process didn't exit successfully: `target/debug/shop` (exit status: 101)\n",
    "thread 'main' panicked at src/main.rs:5:20:\nattempt to divide 5 by 0\n",
    "Error: page 3 of 7 not found\n",
    "413: limit is 10 of 10 MB\n",
    "kubectl: 2 of 3 contexts are unreachable\n",
    "2 of 9 volumes are encrypted\n",
    "Geocoding quota: 400/1000\n",
    "12 of 254 hosts up\n",
    "Timeout 30000ms exceeded.\n",
    "Wrong passphrase, attempt 2 of 3\n",
    "Site ready. 12 of 80 pages are drafts\n",
    "GPU 0: 45% 600/2048 MiB\n",
    "Ledger: 98/120 accounts balanced in March\n",
    "quota exceeded: 1000/1000\n",
    "bob has 3 of 3 mailboxes in use\n",
    "build aborted\n",
    "12 of 12 caches are cold\n",
    "caches: 3/12 expired\n",
    "route 4/12 has no handler\n",
    "[WARN] 2/31 packages are held back\n",
    "alice: 3/10\nalice: 4/10\nbob: 2/10\n",
    "seats: 12/40\nusers: 13/40\n",
    "Disk: 45/100 GB\nDisk: 46/100 GB\n",
    "Slide 3/12: Goals\nSlide 4/12: Plan\n",
    "Question 1 of 5: Which one?\nQuestion 2 of 5: Why?\n",
    "Score: 3/10\nScore: 7/10\n",
    "Replica 1/3 is behind\nReplica 2/3 is behind\n",
    "Memory: 512/2048 MB\nMemory: 600/2048 MB\n",
    "Connections 3/10\nConnections 4/10\n",
    "Version 1/2\nVersion 2/2\n",
    "Retry 1/5\nRetry 2/5\nRetry 3/5\n",
    "coverage: 40/100 lines\ncoverage: 45/100 lines\n",
];
