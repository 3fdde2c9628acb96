use super::*;
use crate::progress::TextOrigin::ToolOutput;
use crate::progress::parser::tests::{Case, check, check_rows};

const CASES: &[Case] = &[
    (
        "build with steps",
        "[+] Building 18.4s (7/12)",
        "count 7/12 - running",
    ),
    (
        "build with steps",
        "[+] Running 4/4",
        "count 4/4 - finished",
    ),
    (
        "stage with steps",
        "#11 [build 4/6] RUN cargo build --release",
        "step 4/6 - running",
    ),
    (
        "share and counter in brackets",
        "[ 18% 14202/77112] //icu:libicuuc clang++",
        "count 14202/77112 18 running",
    ),
    (
        "counter in brackets",
        "[12/340] CC foo.o",
        "count 12/340 - running",
    ),
    (
        "counter in brackets",
        "[1,204 / 3,511] Compiling a.cc; 12s",
        "count 1204/3511 - running",
    ),
    (
        "counter in brackets",
        "[18 of 42] Compiling Clock ( Clock.hs, Clock.o )",
        "count 18/42 - running",
    ),
    (
        "counter in parentheses",
        "(3/8) Installing nginx",
        "count 3/8 - running",
    ),
    (
        "step n of m",
        "Step 3/9 : RUN npm ci\n",
        "step 3/9 - running",
    ),
    (
        "step n of m",
        "==> Stage 2 of 3: apply",
        "step 2/3 - running",
    ),
    (
        "bar with share and counter",
        " 45%|████▌     | 450/1000 [00:12<00:15, 36.10it/s]",
        "count 450/1000 45 running",
    ),
    (
        "label with share and counter",
        "Receiving objects:  45% (450/1000), 3.12 MiB | 2.01 MiB/s",
        "count 450/1000 45 running",
    ),
    (
        "label with share and counter",
        "Resolving deltas: 100% (30127/30127), done.",
        "count 30127/30127 100 finished",
    ),
    (
        "bar with share, then a counter",
        "[#######   ] 70% | ETA: 12s | 7,000/10,000",
        "count 7000/10000 70 running",
    ),
    (
        "size in brackets",
        "[#2089b0 14MiB/33MiB(42%) CN:4 DL:11MiB ETA:1s]",
        "count 14/33 42 running",
    ),
    (
        "counter before a bar",
        " 51/74 [===================>--------]  68%",
        "count 51/74 68 running",
    ),
    (
        "share of a size",
        "pulling 8eeb52...  23% ▕████       ▏ 1.1 GB/4.7 GB   41 MB/s",
        "count 1.1/4.7 23 running",
    ),
    (
        "size with a bar",
        "a2abf6c4d29d: Downloading [=======>      ]  12.3MB/45.6MB",
        "count 12.3/45.6 - running",
    ),
    (
        "size with a rate",
        "Downloading model 340/1200 MB at 12 MB/s",
        "count 340/1200 - running",
    ),
    (
        "bar with a counter",
        "    Building [=======>         ] 120/340: syn, rustix",
        "count 120/340 - running",
    ),
    (
        "counter of work in hand",
        "Migrating 3 of 12: 20260114_add_orders.sql",
        "count 3/12 - running",
    ),
    (
        "work in hand with a counter behind",
        "  Installing       : libedit-3.1-38.x86_64        7/14",
        "count 7/14 - running",
    ),
    (
        "items done with a share",
        "12 of 48 steps (25%) done",
        "count 12/48 25 running",
    ),
    (
        "files of a transfer",
        "Transferred:          118 / 240, 49%",
        "count 118/240 49 running",
    ),
    (
        "tasks of a build",
        " Tasks:    6 successful, 6 total",
        "count 6/6 - finished",
    ),
    (
        "share in brackets",
        "[ 45%] Building CXX object a.cc.o",
        "percent -/- 45 running",
    ),
    (
        "share in brackets",
        "[100%] Built target zip",
        "percent -/- 100 finished",
    ),
    (
        "share with a rate",
        "     14,680,064  37%   12.31MB/s    0:00:02",
        "percent -/- 37 running",
    ),
    (
        "bar with a share",
        "<=====--------> 41% EXECUTING [12s]",
        "percent -/- 41 running",
    ),
    (
        "share before a bar",
        "model.bin            45%[========>           ] 512.30M",
        "percent -/- 45 running",
    ),
    (
        "share of work in hand",
        "Checking segments  81.2%",
        "percent -/- 81.2 running",
    ),
    (
        "share before work in hand",
        "<s> [webpack.Progress] 92% sealing asset processing",
        "percent -/- 92 running",
    ),
    (
        "table of a transfer",
        " 45 12.0M   45 5532k    0     0  1102k      0  0:00:11  0:00:05",
        "percent -/- 45 running",
    ),
    (
        "share of a scan",
        "SYN Stealth Scan Timing: About 46.05% done; ETC: 10:33",
        "percent -/- 46.05 running",
    ),
    (
        "clock and share",
        "[0:12] 31.82%  /home/user/media",
        "percent -/- 31.82 running",
    ),
    (
        "share with its name",
        "Progress: 58%",
        "percent -/- 58 running",
    ),
];

#[test]
fn each_pattern_matches() {
    assert_eq!(TABLE.len(), FORMS.len(), "a row is no regular expression");
    check_rows(FORMS, CASES, ToolOutput, |line| {
        Some(TABLE.find(bare(line))?.0.name)
    });
}

#[test]
fn increasing_counters_match_in_any_form() {
    check(
        &[
            ("19/44 files checked", "nothing"),
            (
                "18/44 files checked\n19/44 files checked",
                "count 19/44 - running",
            ),
            (
                "shard 7 ok (41/128)\nshard 9 ok (42/128)",
                "count 42/128 - running",
            ),
            (
                "2026-03-04 10:14:02 loaded 3/12 tables\n2026-03-04 10:14:09 loaded 4/12 tables",
                "count 4/12 - running",
            ),
            // The counter does not increase, or the lines belong to different things.
            ("api 2/3\nweb 2/3", "nothing"),
            ("19/44 files checked\n18/44 files checked", "nothing"),
            // Gauges.
            ("quality 58/70\nquality 60/70", "nothing"),
            ("volume 10%\nvolume 20%", "nothing"),
            // Tables, code and other languages.
            ("| read | 45% |\n| sort | 55% |", "nothing"),
            ("print(\"1/3\")\nprint(\"2/3\")", "nothing"),
            ("Größe geprüft 1/3\nGröße geprüft 2/3", "nothing"),
        ],
        ToolOutput,
    );
}

#[test]
fn counters_of_other_things_are_ignored() {
    for line in [
        "Attempt 2 of 5 failed, retrying in 3s",
        "page 2 of 7",
        "Running shard 2/4",
        "[1/3] Which database do you use?",
        "Using 4 of 8 cores",
        "Showing 10 of 340 rows",
        "Keeping 3 of 10 backups",
        "Memory: 512/2048 MB",
        "Accuracy: 95.1% (506/532)",
        "Lines        : 81.25% ( 130/160 )",
        "=> [build 3/7] RUN npm ci",
        "2026-03-04 10:14:02 [12/340] CC foo.o",
        "src/a.rs:12: [2/7] Linking",
        "- [2/7] Linking",
        "50% of users",
    ] {
        check(&[(line, "nothing")], ToolOutput);
    }
}
