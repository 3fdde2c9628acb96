//! A short run of each fuzz target, two at a time: long enough to catch a target that no longer
//! builds or dies at once.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::process::Cmd;
use super::tools;
use crate::cli_package::workspace_root;
use crate::prove::fuzzer::{self, Build};

/// Inputs for each target, its seeds among them. With a number and a fixed seed, a run is the same
/// on every machine that finishes it in time.
const RUNS: u64 = 1000;

/// The time limit of a target, in seconds. A target that reaches it has run fewer inputs; the job
/// prints that and passes.
const SECONDS: u64 = 60;

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

pub(crate) fn run() -> Result<()> {
    let targets = targets()?;
    ensure!(
        !targets.is_empty(),
        "fuzz/Cargo.toml lists no [[bin]]: there is nothing to fuzz"
    );
    tools::FUZZ.ensure()?;
    let root = workspace_root();
    fuzzer::build(Build::Quick, &root)?;
    let runs = fuzzer::side_by_side(&targets, |target| fuzz(&root, target));
    let mut failed = Vec::new();
    for (target, run) in targets.iter().zip(runs) {
        if let Err(error) = run {
            println!("\n--- {target} FAILED\n{error:#}");
            failed.push(target.as_str());
        }
    }
    ensure!(failed.is_empty(), "found something: {}", failed.join(", "));
    Ok(())
}

/// Runs one target. What it says is kept apart from the other's, and told when it fails.
fn fuzz(root: &Path, target: &str) -> Result<()> {
    let corpus = tempfile::tempdir().context("cannot make a folder for the seeds")?;
    let seeds = fuzzer::write_seeds(root, target, corpus.path())?;
    let mut launch = fuzzer::Launch::new(Build::Quick, root, target, SECONDS, corpus.path());
    launch.args.push("-seed=1".to_owned());
    launch.args.push(format!("-runs={RUNS}"));
    println!("{target}: {seeds} seeds, cargo {}", launch.args.join(" "));
    let output = launch
        .command(root)
        .output()
        .context("cargo did not start")?;
    let log = String::from_utf8_lossy(&output.stderr);
    let counted = log.lines().rev().find(|line| line.starts_with("Done "));
    println!("{target}: {}", counted.unwrap_or("ended early"));
    ensure!(
        output.status.success(),
        "{} with {}; the input is in fuzz/artifacts/{target}",
        fuzzer::end(&log),
        output.status
    );
    Ok(())
}

fn targets() -> Result<Vec<String>> {
    let metadata = Cmd::cargo()
        .args([
            "metadata",
            "--no-deps",
            "--format-version=1",
            "--manifest-path=fuzz/Cargo.toml",
        ])
        .output()?;
    let metadata: Metadata =
        serde_json::from_slice(&metadata).context("cannot read the metadata of fuzz/")?;
    let targets = metadata
        .packages
        .into_iter()
        .flat_map(|package| package.targets);
    let binaries = targets.filter(|target| target.kind.iter().any(|kind| kind == "bin"));
    Ok(binaries.map(|target| target.name).collect())
}
