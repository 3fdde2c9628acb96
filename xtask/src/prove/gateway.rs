//! The figures of the gateway.

use anyhow::Result;

use super::area::{Area, Args};
use super::contract;
use super::group::{Bench, Group};
use super::traps;

const GATEWAY: &str = "claw-gateway";
const BENCH: &Bench = &Bench {
    workspace: "gateway",
    program: "gateway-bench",
    features: &[],
    needs: &["--package", "claw-testkit", "--bin", "fake-claude"],
};

/// In the order of the page.
#[rustfmt::skip] // A table.
const GROUPS: &[(&str, Group<()>)] = &[
    ("traps", Group::Here(traps::figures)),
    ("gateway-killed", Group::Test(GATEWAY)),
    ("disconnects", Group::It(GATEWAY, "client::resuming::a_client_that_is_cut_off_has_the_state_of_one_that_stayed")),
    ("disconnects-typescript", Group::It(GATEWAY, "typescript::programs_of_the_typescript_client_run")),
    ("authorisation", Group::It(GATEWAY, "authorisation::every_route_serves_its_scope_and_its_tenant_only")),
    ("revoked", Group::It(GATEWAY, "hostile::a_revoked_device_is_disconnected_while_it_does_not_read")),
    ("damaged", Group::It(GATEWAY, "hostile::damaged_requests_are_refused_without_server_errors")),
    ("browser", Group::Here(|()| super::browser::measure())),
    ("schemathesis", Group::Here(|()| super::schemathesis::measure())),
    ("jetstream", Group::Here(contract::gateway)),
    ("isolation", Group::Test(GATEWAY)),
    ("latency", Group::Bench(BENCH)),
    ("load", Group::Bench(BENCH)),
    ("clients", Group::Bench(BENCH)),
    ("readme", Group::Here(|()| crate::ci::readme::figures())),
    ("peers", Group::Bench(BENCH)),
    ("size", Group::Here(|()| crate::size::code_lines_of(&["claw-gateway", "claw"]))),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    let area = Area {
        title: "The gateway, measured",
        command: "cargo xtask prove gateway --write",
        page: "docs/proof/gateway.md",
        groups: GROUPS,
    };
    let stamp = "Chance is made from fixed seeds, except for the points at which processes are \
                 killed.";
    area.run(&(), args, stamp)
}
