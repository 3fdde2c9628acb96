//! Writes session files with known totals, for measuring and testing readers of them.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use claw_testkit::corpus::{hostile_files, traps};

/// Writes session files with known totals.
#[derive(Debug, Parser)]
#[command(name = "session-corpus", version)]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Thirty small libraries with one difficulty each, and expected.json with their totals.
    Traps {
        /// The folder to write to.
        out: PathBuf,
    },
    /// Files that a reader must survive and give back byte for byte.
    Hostile {
        /// The folder to write to.
        out: PathBuf,
    },
}

fn main() -> ExitCode {
    match run(Arguments::parse().what) {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("session-corpus: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(what: What) -> io::Result<String> {
    Ok(match what {
        What::Traps { out } => format!("{} traps", traps::write_all(&out)?.len()),
        What::Hostile { out } => format!("{} files", hostile_files(&out)?.len()),
    })
}
