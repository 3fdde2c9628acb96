//! Writes session files to try things out on.

use std::error::Error;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Parser;
use claw_testkit::corpus::write_demo;

/// Writes session files to try things out on.
#[derive(Debug, Parser)]
#[command(name = "session-corpus", version)]
enum Arguments {
    /// A handful of conversations that a person can read, under OUT/.claude/projects; one of them
    /// is damaged.
    Demo {
        /// The folder to write to.
        out: PathBuf,
    },
}

fn main() -> Result<(), Box<dyn Error>> {
    let Arguments::Demo { out } = Arguments::parse();
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
    let sessions = write_demo(&out, i64::try_from(now)?)?.len();
    println!("{sessions} sessions in {}", out.join(".claude").display());
    Ok(())
}
