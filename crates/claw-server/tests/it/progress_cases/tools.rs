//! Lines of builders, package managers, version control, training and scripts.

/// What a tool prints, and the update in it.
pub(crate) const PRINTED: &[(&str, &str)] = &[
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
