//! The figures of the server crate, measured by its tests and by `bench/server`.

use anyhow::Result;

use super::area::{Area, Args};
use super::group::{Bench, Group};

const PACKAGE: &str = "claw-server";
const BENCH: &Bench = &Bench {
    workspace: "server",
    program: "server-bench",
    features: &[],
    needs: &["--package", "claw-testkit", "--bin", "fake-claude"],
};

/// In the order of the page.
#[rustfmt::skip] // A table.
const GROUPS: &[(&str, Group<()>)] = &[
    ("documents", Group::It(PACKAGE, "documents::examples_are_reproduced_as_printed")),
    ("recordings", Group::It(PACKAGE, "resumability::every_recorded_turn_and_tool_ends_once")),
    ("resumability", Group::It(PACKAGE, "resumability::clients_resume_anywhere_and_show_what_is_stored")),
    ("real", Group::Test(PACKAGE)),
    ("rules", Group::It(PACKAGE, "rules::hostile_commands_and_paths_are_asked_and_benign_ones_allowed")),
    ("decisions", Group::Bench(BENCH)),
    ("progress", Group::It(PACKAGE, "progress_texts::parser_is_precise_and_small")),
    ("streams", Group::It(PACKAGE, "progress_streams::progress_is_that_of_the_labels_and_goes_back_for_a_reason_only")),
    ("slow_sink", Group::Bench(BENCH)),
    ("sessions", Group::Bench(BENCH)),
    ("speed", Group::Bench(BENCH)),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    let area = Area {
        title: "The server crate, measured",
        command: "cargo xtask prove server --write",
        page: "docs/proof/server.md",
        groups: GROUPS,
    };
    let stamp = "Chance is made from fixed seeds, so every run has the same cases.";
    area.run(&(), args, stamp)
}
