//! The figures of session files.
//!
//! Time, memory and totals are measured by `bench/transcript`, figures on the real CLI by tests of
//! the crate.

use anyhow::Result;

use super::area::{Area, Args};
use super::fuzz;
use super::group::{Bench, Group};
use crate::cli_package::workspace_root;

const BENCH: Group<()> = Group::Bench(&Bench {
    workspace: "transcript",
    program: "transcript-figures",
    features: &[],
    needs: &["-p", "claw", "-p", "claw-testkit", "--bins"],
});

const TEST: Group<()> = Group::Test("claw-transcript");

/// In the order of the page.
const GROUPS: &[(&str, Group<()>)] = &[
    ("bytes", BENCH),
    ("traps", BENCH),
    ("usage-truth", BENCH),
    ("mutations", BENCH),
    ("repair", TEST),
    ("review", TEST),
    ("redact", TEST),
    ("kinds", BENCH),
    ("usage-speed", BENCH),
    ("check-speed", BENCH),
    ("html-speed", BENCH),
    ("list", BENCH),
    ("memory", BENCH),
    ("search", BENCH),
    ("follow", BENCH),
    (
        "fuzz",
        Group::Here(|()| Ok(vec![fuzz::SESSION_FILES.figure(&workspace_root())?])),
    ),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    let area = Area {
        title: "Session files, measured",
        command: "cargo xtask prove transcript --write",
        page: "docs/proof/transcript.md",
        groups: GROUPS,
    };
    let stamp = "Times are medians of rounds in which all contenders take turns, warm pages, two \
                 processors; beside them the smallest and the largest.";
    area.run(&(), args, stamp)
}
