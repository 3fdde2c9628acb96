//! `claw-bench GROUP`: see the library.

use claw_bench::{gateway, protocol, sdk, server, store, transcript};

fn main() -> anyhow::Result<()> {
    claw_bench::run(
        &[
            protocol::GROUPS,
            sdk::GROUPS,
            server::GROUPS,
            store::GROUPS,
            gateway::GROUPS,
            transcript::GROUPS,
        ],
        &[
            sdk::PROGRAMS,
            server::PROGRAMS,
            store::PROGRAMS,
            gateway::PROGRAMS,
            transcript::PROGRAMS,
        ],
    )
}
