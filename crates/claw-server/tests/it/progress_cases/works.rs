//! Outputs of whole programs at work, as they stand in a terminal.

/// What a tool prints, and the update in it.
pub(crate) const PRINTED: &[(&str, &str)] = &[
    // Builders
    (
        "-- Configuring done (0.4s)\n-- Generating done (0.1s)\n-- Build files have been written to: /home/user/vox/build\n[1/92] Building CXX object src/CMakeFiles/vox.dir/ring.cpp.o\n[2/92] Building CXX object src/CMakeFiles/vox.dir/wav.cpp.o",
        "count 2/92 - running",
    ),
    (
        "[91/92] Linking CXX static library libvox.a\n[92/92] Linking CXX executable vox\n",
        "count 92/92 - finished",
    ),
    (
        "[14/92] Building CXX object src/a.cpp.o\nFAILED: src/CMakeFiles/vox.dir/a.cpp.o\n/usr/bin/c++ -O2 -c a.cpp\na.cpp:3:1: error: unknown type name 'foo'\nninja: build stopped: subcommand failed.",
        "count 14/92 - failed",
    ),
    (
        "[ 98%] Linking CXX executable vox\n[100%] Built target vox\n",
        "percent - 100 finished",
    ),
    (
        "[1/5] Validating package.json...\n[2/5] Resolving packages...\n[3/5] Fetching packages...\n",
        "step 3/5 - running",
    ),
    (
        "yarn install v1.22.22\n[1/4] Resolving packages...\n[2/4] Fetching packages...\n[3/4] Linking dependencies...\n[4/4] Building fresh packages...\nsuccess Saved lockfile.\nDone in 12.31s.",
        "step 4/4 - finished",
    ),
    (
        "#10 [builder 5/9] RUN cargo build --release\n#10 1.204    Compiling libc v0.2.155\n#10 4.112    Compiling serde v1.0.204",
        "step 5/9 - running",
    ),
    (
        "[+] Building 31.2s (9/14)                                    docker:default\n => [internal] load build definition from Dockerfile                  0.0s\n => CACHED [stage-1 2/5] WORKDIR /app                                 0.0s",
        "count 9/14 - running",
    ),
    (
        "[+] Running 4/7\n ✔ Network shop_default  Created   0.1s\n ✔ Container shop-db-1   Started   0.4s\n",
        "count 4/7 - running",
    ),
    (
        "> Task :app:compileKotlin\n> Task :app:processResources\n<=========----> 72% EXECUTING [14s]",
        "percent - 72 running",
    ),
    (
        "[INFO] Reactor Build Order:\n[INFO] \n[INFO] Building shop-core 1.4.0                          [1/3]\n[INFO] --------------------------------[ jar ]---------------------------------\n[INFO] Building shop-web 1.4.0                           [2/3]",
        "count 2/3 - running",
    ),
    (
        "[ 3 of 17] Compiling Data.Queue       ( src/Data/Queue.hs, dist/Data/Queue.o )\n[ 4 of 17] Compiling Data.Queue.Types ( src/Data/Queue/Types.hs, dist/Data/Queue/Types.o )",
        "count 4/17 - running",
    ),
    (
        "    Building [=======================> ] 301/318: regex-automata, tokio, syn",
        "count 301/318 - running",
    ),
    (
        "INFO: Analyzed 12 targets (0 packages loaded, 0 targets configured).\n[4,120 / 4,121] Linking server/server; 2s local\nINFO: Build completed successfully, 4121 total actions",
        "count 4120/4121 - running",
    ),
    (
        "Collecting page data  ...\n   Generating static pages (0/14)\n   Generating static pages (3/14)\n   Generating static pages (7/14)\n ✓ Generating static pages (14/14)",
        "count 14/14 - finished",
    ),
    // Packages and transfers
    (
        "remote: Enumerating objects: 8120, done.\nremote: Counting objects: 100% (8120/8120), done.\nremote: Compressing objects: 100% (2904/2904), done.\nReceiving objects:  61% (4954/8120), 12.31 MiB | 4.10 MiB/s",
        "count 4954/8120 61 running",
    ),
    (
        "Receiving objects: 100% (8120/8120), 20.11 MiB | 4.90 MiB/s, done.\nResolving deltas: 100% (4120/4120), done.\nUpdating files: 100% (612/612), done.",
        "count 612/612 100 finished",
    ),
    (
        "Enumerating objects: 21, done.\nCounting objects: 100% (21/21), done.\nDelta compression using up to 8 threads\nCompressing objects: 100% (11/11), done.\nWriting objects: 100% (11/11), 2.41 KiB | 2.41 MiB/s, done.\nTotal 11 (delta 9), reused 0 (delta 0), pack-reused 0",
        "count 11/11 100 finished",
    ),
    (
        "Collecting torch\n  Downloading torch-2.3.1-cp312-cp312-manylinux1_x86_64.whl (779.1 MB)\n     ━━━━━━━━━━━━━━╸━━━━━━━━━━━━━━━━━━━━━━━━━ 284.2/779.1 MB 41.2 MB/s eta 0:00:13",
        "count 284.2/779.1 - running",
    ),
    (
        "Progress: resolved 412, reused 380, downloaded 12, added 301\n",
        "nothing",
    ),
    (
        "(12/37) installing libxml2                         [######################] 100%\n(13/37) installing icu                             [########--------------]  38%",
        "count 13/37 - running",
    ),
    (
        "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n                                 Dload  Upload   Total   Spent    Left  Speed\n\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0\r 37  812M   37  301M    0     0  24.1M      0  0:00:33  0:00:12  0:00:21 25.0M",
        "percent - 37 running",
    ),
    (
        "          1.21G  43%   84.10MB/s    0:00:18 (xfr#120, to-chk=310/540)",
        "percent - 43 running",
    ),
    (
        "Copying: 45% |====      | 12/27 files",
        "count 12/27 45 running",
    ),
    (
        "Transferred:       1.204 GiB / 4.812 GiB, 25%, 31.2 MiB/s, ETA 1m58s\nChecks:               120 / 120, 100%\nTransferred:          310 / 1204, 26%\nElapsed time:        40.1s",
        "count 310/1204 26 running",
    ),
    (
        "pulling manifest\npulling 6a0746a1ec1a...  45% ▕███████         ▏ 2.1 GB/4.7 GB   41 MB/s     1m2s",
        "count 2.1/4.7 45 running",
    ),
    (
        "Fetching 8 files:  62%|██████▎   | 5/8 [00:41<00:24,  8.21s/it]",
        "count 5/8 62 running",
    ),
    (
        "Get:12 http://deb.example.org/debian bookworm/main amd64 gcc-12 [19.3 MB]\n45% [12 gcc-12 8,812 kB/19.3 MB 46%]",
        "percent - 45 running",
    ),
    (
        "Reading package lists... Done\nBuilding dependency tree... Done\nUnpacking libedit2 ...\nProgress: [ 45%] [##########################................................]",
        "percent - 45 running",
    ),
    ("⠹ Preparing packages... (12/41)\n", "count 12/41 - running"),
    (
        "frame= 1204 fps= 31 q=28.0 size=    8192kB time=00:00:40.13 bitrate=1672.1kbits/s speed=1.03x",
        "nothing",
    ),
    // Data, migrations, infrastructure
    (
        "== 20260214 AddOrders: migrating ======\n-- create_table(:orders)\n   -> 0.0041s\n== 20260214 AddOrders: migrated (0.0042s) ======",
        "nothing",
    ),
    (
        "Migrating 3/12: 20260301_add_refunds\nMigrating 4/12: 20260302_add_taxes\n",
        "count 4/12 - running",
    ),
    (
        "INFO:root:Indexed 12000/48000 documents\nINFO:root:Indexed 13000/48000 documents",
        "count 13000/48000 - running",
    ),
    (
        "Waiting for deployment \"api\" rollout to finish: 2 out of 5 new replicas have been updated...\nWaiting for deployment \"api\" rollout to finish: 4 out of 5 new replicas have been updated...",
        "count 4/5 - running",
    ),
    ("deployment \"api\" successfully rolled out", "nothing"),
    (
        "aws_instance.web: Still creating... [10s elapsed]\naws_instance.web: Still creating... [20s elapsed]",
        "nothing",
    ),
    (
        "{\"level\":\"info\",\"msg\":\"batch written\",\"processed\":400,\"total\":2000}\n{\"level\":\"info\",\"msg\":\"batch written\",\"processed\":800,\"total\":2000}",
        "count 800/2000 - running",
    ),
    (
        "time=10:02:11 level=info msg=\"copying rows\" done=1200 total=4800\ntime=10:02:19 level=info msg=\"copying rows\" done=2400 total=4800",
        "count 2400/4800 - running",
    ),
    (
        "level=info msg=backfill progress=12/40\n",
        "count 12/40 - running",
    ),
    (
        "{\"type\":\"progress\",\"percent\":62.5}\n",
        "percent - 62.5 running",
    ),
    (
        "pg_restore: processing data for table \"public.orders\"\n[restore] 12 of 31 tables restored\n[restore] 13 of 31 tables restored\n[restore] error: relation \"refunds\" already exists",
        "count 13/31 - failed",
    ),
    ("Vacuuming: 45.0% complete\n", "percent - 45 running"),
    // Training
    (
        "Epoch 3/10\n 120/469 ━━━━━━━━━━━━━━━━━━━━ 12s 36ms/step - accuracy: 0.9123 - loss: 0.2912",
        "step 3/10 - running",
    ),
    (
        "Epoch [2/5], Step [300/600], Loss: 0.1821",
        "step 2/5 - running",
    ),
    (
        "step 1200/5000 | loss 2.8123 | lr 3.0e-04 | 41.2k tok/s\nstep 1210/5000 | loss 2.8011 | lr 3.0e-04 | 41.1k tok/s",
        "step 1210/5000 - running",
    ),
    (
        "Trial 12/50: lr=0.001 dropout=0.2\n",
        "step 12/50 - running",
    ),
    // Linters and scripts that count what they do
    (
        "Checking 120 files...\n[checks] 40/120 files checked\n[checks] 80/120 files checked\n[checks] 120/120 files checked\n[checks] done",
        "count 120/120 - finished",
    ),
    ("Processing images: 12 of 40\n", "count 12/40 - running"),
    (
        "==> Step 2/4: build\nok\n==> Step 3/4: sign\n",
        "step 3/4 - running",
    ),
    (
        ">>> [3/6] Copying assets\n>>> [4/6] Signing bundle\nTraceback (most recent call last):\n  File \"sign.py\", line 12, in <module>\nKeyError: 'KEY'",
        "count 4/6 - failed",
    ),
    (
        "Phase 2 of 3: verify\n  chunk 12 ok\n  chunk 13 ok\n",
        "step 2/3 - running",
    ),
    (
        "mutants: 41/312 mutants tested in 2m 11s, 3 missed, 38 caught\n",
        "count 41/312 - running",
    ),
    // More programs
    (
        "shop | 3/12 | 10:02:11 AM | CREATE_COMPLETE | AWS::S3::Bucket | Assets\nshop | 4/12 | 10:02:14 AM | CREATE_IN_PROGRESS | AWS::Lambda::Function | Api",
        "count 4/12 - running",
    ),
    (
        "[12/40 built, 3/12 copied (41.2/120.1 MiB), 8.1 MiB DL] building gcc-13.2.0",
        "count 12/40 - running",
    ),
    (
        "(12/41): foo-1.2.3.x86_64.rpm              4.1 MB/s | 1.2 MB     00:00\n(13/41): bar-2.0.0.x86_64.rpm              3.9 MB/s | 812 kB     00:00",
        "count 13/41 - running",
    ),
    (
        "  Installing       : foo-1.2.3-4.x86_64                        12/41\n  Installing       : bar-2.0.0-1.x86_64                        13/41",
        "count 13/41 - running",
    ),
    (
        "(12/41) Installing musl-dev (1.2.5-r0)\n(13/41) Installing gcc (13.2.1-r0)\n",
        "count 13/41 - running",
    ),
    (
        ">>> Emerging (12 of 41) dev-libs/foo-1.2.3::gentoo\n",
        "count 12/41 - running",
    ),
    (
        "info: downloading component 'rustc'\n 12.3 MiB /  45.6 MiB ( 27 %)   4.1 MiB/s in  3s ETA:  8s",
        "count 12.3/45.6 27 running",
    ),
    (
        "- [12/40 files][ 41.2 MiB/120.1 MiB]  34% Done   4.1 MiB/s ETA 00:00:19",
        "count 12/40 34 running",
    ),
    (
        "Completed 12.3 MiB/45.6 MiB (4.1 MiB/s) with 12 file(s) remaining\n",
        "count 12.3/45.6 - running",
    ),
    (
        "45.2 %, 12 Done, 0 Failed, 28 Pending, 0 Skipped, 40 Total, 2-sec Throughput (Mb/s): 41.2\n",
        "count 12/40 45.2 running",
    ),
    (
        "1.20GiB 0:00:12 [ 102MiB/s] [==================>                   ] 45% ETA 0:00:14",
        "percent - 45 running",
    ),
    (
        "Encoding: task 1 of 2, 45.20 % (31.20 fps, avg 30.10 fps, ETA 00h12m31s)\n",
        "step 1/2 - running",
    ),
    (
        "2026-11-15T10:02:11.000+0000\t[##########..............] shop.orders  1.2MB/4.5MB  (26.7%)",
        "count 1.2/4.5 26.7 running",
    ),
    (
        "reading sources... [ 45%] install\rreading sources... [ 50%] usage\r",
        "percent - 50 running",
    ),
    (
        "10% building 0/1 modules\r45% building 12/40 modules\r",
        "count 12/40 45 running",
    ),
    (
        "==[ shop-core (build) ]===============================================[ 12 of 40 ]==\n",
        "count 12/40 - running",
    ),
    (
        "[12/40] Compiling Shop Cart.swift\n[13/40] Compiling Shop Money.swift\nBuild complete! (4.12s)\n",
        "count 13/40 - running",
    ),
    (
        "Downloading LFS objects:  45% (12/27), 41 MB | 4.1 MB/s",
        "count 12/27 45 running",
    ),
    (
        "Rewrite 4f1c2d3e5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d (12/40) (3 seconds passed, remaining 7 predicted)",
        "count 12/40 - running",
    ),
    (
        "files [=========>                ] 120/310 12s\n",
        "count 120/310 - running",
    ),
    (
        "4f1c2d3e5a6b: Downloading [=======>                 ]  12.3MB/45.6MB\n",
        "count 12.3/45.6 - running",
    ),
    (
        "Mutation testing  [=========           ] 45% (elapsed: ~1m, remaining: ~2m) 120/310 tested (12 survived, 0 timed out)",
        "count 120/310 45 running",
    ),
    (
        "[12/40 eval 1.2s] Evaluation done; writing results to q.bqrs.\n[13/40 eval 0.4s] Evaluation done; writing results to r.bqrs.",
        "count 13/40 - running",
    ),
    (
        "Applying: wire: check the length\nApplying: wire: split decode\n",
        "nothing",
    ),
    (
        "✓ 412 modules transformed.\nrendering chunks (12)...\n",
        "nothing",
    ),
    (
        "Tasks:    3 successful, 4 total\nCached:    1 cached, 4 total\n  Time:    4.12s\n",
        "count 3/4 - failed",
    ),
    (
        "Fetching: 45% (12/27) platform/build\rFetching: 48% (13/27) platform/art\r",
        "count 13/27 48 running",
    ),
    (
        "Extracting  [============>       ]  63%\n",
        "percent - 63 running",
    ),
    (
        "#################################                                 45.2%\r######################################                            52.8%",
        "percent - 52.8 running",
    ),
    (
        "\rnumpy-1.26.4         | 6.2 MB    | ##########5          |  45% ",
        "percent - 45 running",
    ),
    (
        "Downloading from central: https://repo.example.org/a.jar\nProgress (1): 12/45 kB\rProgress (1): 45/45 kB\r",
        "count 45/45 - finished",
    ),
    (
        "Optimizing: trial 12 of 50, best 0.912\n",
        "step 12/50 - running",
    ),
    (
        "Waiting for 3 pods... 1/3 ready\nWaiting for 3 pods... 2/3 ready\n",
        "count 2/3 - running",
    ),
];
