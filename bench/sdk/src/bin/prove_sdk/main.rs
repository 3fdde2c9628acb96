//! Figures of the SDK that need release builds: faults of the CLI, CPU time and memory.
//!
//! `cargo xtask prove sdk` builds this program and the programs that it starts, and runs it once
//! for each group of figures.

mod cost;
mod faults;
mod peers;
mod rows;
mod run;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use claw_testkit::figure::{quick, record};

fn main() -> Result<()> {
    let group = std::env::args().nth(1).unwrap_or_default();
    let figures = match group.as_str() {
        "faults" => vec![faults::faults()?],
        "interrupt" => vec![faults::interrupt()?],
        // A quick run does not install the other SDKs.
        "fault-peers" if quick() => Vec::new(),
        "fault-peers" => vec![faults::peers()?],
        "cost-start" => vec![cost::start()?],
        "cost-turn" => vec![cost::turn()?],
        "cost-messages" => vec![cost::messages()?],
        "cost-idle" => vec![cost::idle()?],
        _ => bail!("there is no group {group:?}: see xtask/src/prove/sdk.rs"),
    };
    record(&group, figures);
    Ok(())
}

/// A program that was built beside this one.
fn program(name: &str) -> Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(name))
}

/// A path in the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

/// Runs a program and decodes the line of JSON that it prints.
fn ran<T: serde::de::DeserializeOwned>(command: &mut Command) -> Result<T> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{command:?} did not start"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "{command:?}: {}: {errors}",
        output.status
    );
    serde_json::from_slice(&output.stdout).with_context(|| format!("{command:?}: {errors}"))
}
