//! The tools that need the product. `cargo xtask` builds and starts this program, and passes the
//! installed CLI in the environment variables of `claw_testkit::real_cli`.

mod codegen;
mod drift;
mod lab;
mod record;
mod repository;
mod spelling;
mod type_file;

use anyhow::Result;
use clap::Parser;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Development tools of rusty_claw")]
enum Task {
    /// Drive the real CLI through the scenarios and write what it printed to testdata/cli/.
    Record(record::Args),
    /// List what the type file of the installed CLI package has that we do not model.
    Drift(drift::Args),
    /// Write the generated files again (or check that they are not stale).
    Codegen(codegen::Args),
    /// Serve the MCP server that scenarios and tests use, on stdin and stdout.
    Lab,
}

fn main() -> Result<()> {
    match Task::parse() {
        Task::Record(args) => record::run(&args),
        Task::Drift(args) => drift::run(&args),
        Task::Codegen(args) => codegen::run(&args),
        Task::Lab => lab::serve(),
    }
}
