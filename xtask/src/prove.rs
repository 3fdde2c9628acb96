//! Measures the figures of an area against their bars, and writes them to `docs/proof/`.
//!
//! A group of figures is a test on the real CLI (`tests/real_cli` of a crate), a program of
//! `bench/`, or a function here.

mod area;
mod browser;
pub(crate) mod build;
mod compare;
mod contract;
pub(crate) mod figure;
mod fuzz;
pub(crate) mod fuzzer;
mod gateway;
mod group;
mod measured;
mod mutants;
mod opaque;
mod protocol;
pub(crate) mod recorded;
pub(crate) mod recordings;
mod runner;
mod schemathesis;
mod sdk;
mod served;
mod server;
mod sources;
mod speed;
mod store;
mod survive;
mod transcript;
mod traps;
pub(crate) mod typed;

use anyhow::Result;

/// The area to prove.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    area: AreaArgs,
}

#[derive(Debug, clap::Subcommand)]
enum AreaArgs {
    /// The protocol crate: types, losslessness, hostile lines, speed, memory.
    Protocol(area::Args),
    /// The SDK: callbacks, verbs, hooks, faults, speed, memory.
    Sdk(area::Args),
    /// Session files: usage, checks, repair, export and redaction, beside other tools.
    Transcript(area::Args),
    /// The server crate: documents, projections of recorded sessions, resumability.
    Server(area::Args),
    /// The log: the store crate, and sessions on it.
    Store(area::Args),
    /// The gateway: its API, streams, clients and security.
    Gateway(area::Args),
    /// Sessions that survive: sleep, crashes, lost files, answers that arrive late.
    Survive(area::Args),
    /// Ten minutes of fuzzing for each target; writes the records that other figures cite.
    Fuzz(fuzz::Args),
    /// Planted bugs: a test must fail for each of them.
    Mutants(mutants::Args),
}

pub(crate) fn run(args: &Args) -> Result<()> {
    match &args.area {
        AreaArgs::Protocol(args) => protocol::run(args),
        AreaArgs::Sdk(args) => sdk::run(args),
        AreaArgs::Transcript(args) => transcript::run(args),
        AreaArgs::Server(args) => server::run(args),
        AreaArgs::Store(args) => store::run(args),
        AreaArgs::Gateway(args) => gateway::run(args),
        AreaArgs::Survive(args) => survive::run(args),
        AreaArgs::Fuzz(args) => fuzz::run(args),
        AreaArgs::Mutants(args) => mutants::run(args),
    }
}
