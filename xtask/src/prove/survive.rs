//! The figures of sessions that survive sleep, crashes, upgrades and lost files.

use anyhow::Result;

use super::area::{Area, Args};
use super::group::Group;

const CLAW: &str = "claw";
const GATEWAY: &str = "claw-gateway";

/// In the order of the page.
#[rustfmt::skip] // A table.
const GROUPS: &[(&str, Group<()>)] = &[
    ("killed-anywhere", Group::Test(CLAW)),
    ("upgraded", Group::Test(CLAW)),
    ("awake-limit", Group::Test(CLAW)),
    ("restored", Group::Test(GATEWAY)),
    ("asleep", Group::It(GATEWAY, "asleep::a_wake_takes_as_long_among_many_sleeping_sessions")),
    ("size", Group::Here(|()| crate::size::code_lines_of(&["claw-gateway"]))),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    let area = Area {
        title: "Sessions that survive, measured",
        command: "cargo xtask prove survive --write",
        page: "docs/proof/survive.md",
        groups: GROUPS,
    };
    let stamp = "Chance is made from fixed seeds, except for the points at which processes are \
                 killed.";
    area.run(&(), args, stamp)
}
