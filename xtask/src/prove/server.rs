//! The figures of the server crate.
//!
//! What is said of projections is said by the laws that the tests of the crate hold them to, with
//! ten times as many cases.

mod decisions;
#[path = "../../../crates/claw-server/tests/it/document_examples.rs"]
mod document_examples;
mod documents;
#[path = "../../../crates/claw-server/tests/it/generator.rs"]
mod generator;
#[path = "../../../crates/claw-server/tests/it/laws.rs"]
mod laws;
mod load;
mod progress;
#[path = "../../../crates/claw-server/tests/it/progress_laws.rs"]
mod progress_laws;
#[path = "../../../crates/claw-server/tests/it/progress_score.rs"]
mod progress_score;
#[path = "../../../crates/claw-server/tests/it/progress_streams.rs"]
mod progress_streams;
mod projections;
#[path = "../../../crates/claw-server/tests/it/random.rs"]
mod random;
mod real;
#[path = "../../../crates/claw-server/tests/it/reconnecting.rs"]
mod reconnecting;
#[path = "../../../crates/claw-server/tests/it/recorded.rs"]
mod recorded;
#[allow(clippy::unwrap_used, reason = "a test whose data is in the repository")]
#[path = "../../../crates/claw-server/tests/it/rule_cases.rs"]
mod rule_cases;
mod rules;
mod speed;
mod streams;

use std::path::PathBuf;

use anyhow::Result;

use super::area::{Area, Group};
use crate::cli_package::workspace_root;

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A tenth of the cases, for CI; times are left out, every other figure is still measured.
    #[arg(long)]
    quick: bool,
    /// Only these groups of figures: see the list in the error for a wrong name.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Write the output to docs/proof/server.md.
    #[arg(long)]
    write: bool,
}

/// What several groups read.
pub(crate) struct Inputs {
    root: PathBuf,
    quick: bool,
}

/// In the order of the table.
const GROUPS: &[(&str, Group<Inputs>)] = &[
    ("documents", documents::measure),
    ("recordings", projections::recordings),
    ("resumability", projections::resumability),
    ("real", real::measure),
    ("rules", rules::measure),
    ("decisions", decisions::measure),
    ("progress", progress::measure),
    ("streams", streams::measure),
    ("slow_sink", load::slow_sink),
    ("sessions", load::sessions),
    ("speed", speed::measure),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    let area = Area {
        title: "The server crate, measured",
        command: "cargo xtask prove server --write",
        page: "docs/proof/server.md",
        groups: GROUPS,
    };
    let inputs = Inputs {
        root: workspace_root(),
        quick: args.quick,
    };
    let stamp = "Chance is made from fixed seeds, so every run has the same cases.";
    area.run(&inputs, &args.only, args.write, args.quick, stamp)
}
