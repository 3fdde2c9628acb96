//! The figures of the log: the store crate, and sessions on it.

use anyhow::Result;

use super::area::{Area, Args};
use super::contract;
use super::group::{Bench, Group};

const GATEWAY: &str = "claw-gateway";
const STORE: &str = "claw-store";
const BENCH: &Bench = &Bench {
    workspace: "store",
    program: "store-bench",
    features: &[],
    needs: &[],
};

/// In the order of the page.
#[rustfmt::skip] // A table.
const GROUPS: &[(&str, Group<()>)] = &[
    ("contract-memory", Group::Here(contract::memory)),
    ("contract-sqlite", Group::Here(contract::sqlite)),
    ("contract-one", Group::Here(contract::one_server)),
    ("contract-three", Group::Here(contract::three_servers)),
    ("versions", Group::Here(contract::versions)),
    ("laws", Group::It(GATEWAY, "following::clients_of_stores_resume_anywhere")),
    ("answers", Group::It(GATEWAY, "answering::answers_on_stores_count_once")),
    ("killed", Group::It(GATEWAY, "killed::nothing_acknowledged_is_lost_when_the_owner_is_killed")),
    ("killed-real", Group::Test(GATEWAY)),
    ("open", Group::Bench(BENCH)),
    ("append-sqlite", Group::Bench(BENCH)),
    ("visible-sqlite", Group::Bench(BENCH)),
    ("replay-sqlite", Group::Bench(BENCH)),
    ("scale-sqlite", Group::Bench(BENCH)),
    ("followers", Group::Bench(BENCH)),
    ("erased", Group::Bench(BENCH)),
    ("append-jetstream", Group::Bench(BENCH)),
    ("visible-jetstream", Group::Bench(BENCH)),
    ("scale-jetstream", Group::Bench(BENCH)),
    ("planted", Group::Checker("planted::each_planted_bug_is_found")),
    ("sqlite-kills", Group::Checker("sqlite::kills_during_load_lose_and_double_nothing")),
    ("sqlite-power", Group::It(STORE, "sqlite::crashes::files_without_unsynced_writes_open_and_have_every_acknowledged_event")),
    ("faults-kills", Group::Checker("nemesis::killed_servers_lose_and_double_nothing")),
    ("faults-pauses", Group::Checker("nemesis::paused_leaders_lose_and_double_nothing")),
    ("faults-networks", Group::Checker("nemesis::cut_networks_lose_and_double_nothing")),
    ("faults-processes", Group::Checker("nemesis::processes_that_are_cut_off_or_paused_lose_their_sessions_only")),
    ("faults-power", Group::Checker("nemesis::power_cuts_lose_and_double_nothing")),
    ("faults-slow", Group::Checker("nemesis::slow_networks_lose_and_double_nothing")),
    ("takeover-sqlite", Group::Checker("takeover::sqlite_sessions_get_a_new_owner_in_time")),
    ("takeover-jetstream", Group::Checker("takeover::jetstream_sessions_get_a_new_owner_in_time_and_none_is_stolen")),
    ("size", Group::Here(|()| crate::size::code_lines_of(&["claw-store", "claw-server"]))),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    let area = Area {
        title: "The log, measured",
        command: "cargo xtask prove store --write",
        page: "docs/proof/store.md",
        groups: GROUPS,
    };
    let stamp = "Chance is made from fixed seeds, except for the points at which processes are \
                 killed. Events have 1 KB on average.";
    area.run(&(), args, stamp)
}
