//! Measures an area against its bars.
//!
//! What is measured is what the issue tracker asks for, row by row; each figure says what it found,
//! so that a miss can be worked on from the output alone.

mod area;
pub(crate) mod build;
mod compare;
mod documents;
pub(crate) mod figure;
mod fuzz;
pub(crate) mod fuzzer;
mod hostile;
mod mutants;
pub(crate) mod opaque;
mod protocol;
mod recorded;
mod recordings;
mod samples;
mod sdk;
mod sdk_options;
mod server;
mod sessions;
mod sources;
mod speed;
mod transcript;
mod typed;

use anyhow::Result;

/// What to prove.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    area: AreaArgs,
}

#[derive(Debug, clap::Subcommand)]
enum AreaArgs {
    /// The protocol crate: types, losslessness, hostile lines, speed, memory.
    Protocol(protocol::Args),
    /// The SDK: callbacks, verbs, hooks, faults, speed, memory.
    Sdk(sdk::Args),
    /// Session files: counted, checked, listed and exported, beside the tools of others.
    Transcript(transcript::Args),
    /// The server crate: documents, projections of recorded sessions, resumability.
    Server(server::Args),
    /// Ten minutes of fuzzing for each target; writes the records that other figures cite.
    Fuzz(fuzz::Args),
    /// Session files: the real CLI resumes what the session functions changed or made.
    Sessions(sessions::Args),
    /// Planted bugs: a test must fail for each of them.
    Mutants(mutants::Args),
    /// Reads hostile lines and prints what becomes of each; a part of the protocol figures.
    #[command(hide = true)]
    HostileLines(hostile::Args),
}

pub(crate) fn run(args: &Args) -> Result<()> {
    match &args.area {
        AreaArgs::Protocol(args) => protocol::run(args),
        AreaArgs::Sdk(args) => sdk::run(args),
        AreaArgs::Transcript(args) => transcript::run(args),
        AreaArgs::Server(args) => server::run(args),
        AreaArgs::Fuzz(args) => fuzz::run(args),
        AreaArgs::Sessions(args) => sessions::run(args),
        AreaArgs::Mutants(args) => mutants::run(args),
        AreaArgs::HostileLines(args) => hostile::run(args),
    }
}
