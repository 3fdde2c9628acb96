//! Development tasks, run as `cargo xtask <task>`: the same code on a laptop and in CI.
//!
//! It depends on none of our crates, so that it builds in seconds. What needs the product is in
//! `proofs`, `bench` and the tests of the crates, which this program builds and runs.

mod build;
mod ci;
#[path = "../../crates/claw-testkit/src/figure.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "tests and benches write the figures that this program reads"
)]
mod figure;
mod fuzz;
mod mutants;
mod packages;
mod place;
mod prove;
mod size;

use std::ffi::OsString;

use anyhow::Result;
use clap::{Parser, Subcommand};

use packages::cli;

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
    /// Run CI jobs, or list them.
    Ci(ci::Args),
    /// Measure an area against its bars; exits non-zero when one falls short.
    Prove(prove::Args),
    /// Count code lines, long files and import cycles against their budgets.
    Size,
    /// Install the pinned releases of nats-server and print the variables that name them.
    NatsServer,
    /// Drive the real CLI through the scenarios and write what it printed to testdata/cli/.
    Record(Forwarded),
    /// List what the installed CLI package has that we do not model.
    Drift {
        /// Another release of the npm package than the pinned one.
        #[arg(long)]
        version: Option<String>,
        #[command(flatten)]
        task: Forwarded,
    },
    /// Write the generated files again (or check that they are not stale).
    Codegen(Forwarded),
}

/// A task of the program `proofs`, which is built first.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
struct Forwarded {
    /// See `--help` of the task.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

fn main() -> Result<()> {
    match Args::parse().task {
        Task::Ci(args) => ci::run(&args),
        Task::Prove(args) => prove::run(&args),
        Task::Size => size::run(),
        Task::NatsServer => packages::nats::print(),
        Task::Record(task) => build::proofs("record", &task.args),
        Task::Drift { version, task } => {
            let package = version.map_or_else(cli::ensure, |version| cli::install(&version))?;
            build::proofs_with(&packages::with_cli(&package)?, "drift", &task.args)
        }
        // It reads committed files only.
        Task::Codegen(task) => build::proofs_with(&[], "codegen", &task.args),
    }
}
