//! `claw-peers GROUP`: comparisons with other SDKs and tools, measured as `claw-bench` measures ours.

mod gateway;
mod install;
mod protocol;
mod sdk;
mod transcript;

fn main() -> anyhow::Result<()> {
    claw_bench::run(
        &[
            protocol::GROUPS,
            sdk::GROUPS,
            gateway::GROUPS,
            transcript::GROUPS,
        ],
        &[
            sdk::PROGRAMS,
            claw_bench::sdk::PROGRAMS,
            claw_bench::gateway::PROGRAMS,
            claw_bench::transcript::PROGRAMS,
        ],
    )
}
