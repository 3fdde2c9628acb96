//! Development tasks, run as `cargo xtask <task>`: the same code on a laptop and in CI.

mod ci;
mod cli_package;
mod codegen;
mod counterparts;
mod drift;
mod nats_package;
mod prove;
mod record;
mod size;
mod type_file;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    about = "Development tasks of rusty_claw",
    version
)]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run one CI job, or list them.
    Ci(ci::Args),
    /// Drive the real CLI through the scenarios and write what it printed to testdata/cli/.
    Record(record::Args),
    /// List what the installed CLI package has that we do not model.
    Drift(drift::Args),
    /// Measure an area against its bars; exits non-zero when one falls short.
    Prove(prove::Args),
    /// Install the pinned releases of nats-server and print the environment variables that point to them.
    NatsServer,
    /// Count code lines, long files and import cycles against their bars.
    Size(size::Args),
    /// Write the generated files again (or check that they are not stale).
    Codegen(codegen::Args),
}

fn main() -> Result<()> {
    match Args::parse().task {
        Task::Ci(args) => ci::run(&args),
        Task::Record(args) => record::run(&args),
        Task::Drift(args) => drift::run(&args),
        Task::Prove(args) => prove::run(&args),
        Task::NatsServer => nats_package::print(),
        Task::Size(args) => size::run(&args),
        Task::Codegen(args) => codegen::run(&args),
    }
}
