//! A minute of fuzzing for each target: long enough to catch a target that no longer builds or dies at once.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::process::Cmd;
use super::tools;
use crate::cli_package::workspace_root;
use crate::prove::fuzzer;

/// For each target.
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
    for target in &targets {
        let corpus = tempfile::tempdir().context("cannot make a folder for the seeds")?;
        let seeds = fuzzer::write_seeds(&root, target, corpus.path())?;
        println!("{target}: {seeds} seeds");
        let launch = fuzzer::Launch::new(&root, target, SECONDS, corpus.path());
        let fuzz = Cmd::cargo().args(launch.args);
        let fuzz = launch
            .env
            .iter()
            .fold(fuzz, |fuzz, (name, value)| fuzz.env(name, value));
        fuzz.run()?;
    }
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
