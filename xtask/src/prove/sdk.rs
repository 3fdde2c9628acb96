//! The figures of the SDK.
//!
//! Figures on the real CLI are tests of the crate, against a scripted Messages API. Faults of a
//! fake CLI, CPU time and memory are measured by `bench/sdk`.

mod people;

use anyhow::Result;

use super::area::{Area, Args};
use super::group::{Bench, Group};
use crate::{cli_package, counterparts};

const BENCH: Bench = Bench {
    workspace: "sdk",
    program: "prove_sdk",
    features: &[],
    needs: &["-p", "claw-testkit", "--bin", "fake-claude"],
};
/// With other SDKs.
const PEERS: Bench = Bench {
    features: &["peers"],
    ..BENCH
};

const TEST: Group<()> = Group::Test("rusty_claw");

/// In the order of the page.
const GROUPS: &[(&str, Group<()>)] = &[
    ("smoke", TEST),
    ("permissions", TEST),
    ("tools", TEST),
    ("elicitations", TEST),
    ("verbs", TEST),
    ("hooks", TEST),
    ("options", TEST),
    (
        "typescript",
        Group::Here(|()| Ok(vec![counterparts::figure(&cli_package::ensure()?)?])),
    ),
    ("settings", TEST),
    ("moved", TEST),
    ("attach", TEST),
    ("faults", Group::Bench(&BENCH)),
    ("faults-real", TEST),
    ("interrupt", Group::Bench(&BENCH)),
    ("turns", TEST),
    ("starts", TEST),
    ("fault-peers", Group::Bench(&PEERS)),
    ("cost-start", Group::Bench(&BENCH)),
    ("cost-turn", Group::Bench(&BENCH)),
    ("cost-messages", Group::Bench(&BENCH)),
    ("cost-idle", Group::Bench(&BENCH)),
    ("sessions", TEST),
    ("people", Group::Here(people::measure)),
    ("messages", TEST),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    let area = Area {
        title: "The SDK, measured",
        command: "cargo xtask prove sdk --write",
        page: "docs/proof/sdk.md",
        groups: GROUPS,
    };
    let stamp = format!(
        "CLI {}, npm package {}",
        cli_package::CLI_VERSION,
        cli_package::PACKAGE_VERSION
    );
    area.run(&(), args, &stamp)
}
