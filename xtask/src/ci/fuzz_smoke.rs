//! A minute of fuzzing: long enough to catch a target that no longer builds or dies at once.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::process::Cmd;
use super::tools;

/// Shared by all targets, so that a new target does not make CI slower.
const SECONDS: usize = 60;

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
    let nightly = tools::has_toolchain("nightly");
    if !nightly {
        println!("no nightly toolchain: using the default one with RUSTC_BOOTSTRAP=1");
    }
    let seconds = format!("-max_total_time={}", (SECONDS / targets.len()).max(1));
    for target in &targets {
        let fuzz = if nightly {
            Cmd::cargo().args(["+nightly"])
        } else {
            Cmd::cargo().env("RUSTC_BOOTSTRAP", "1")
        };
        fuzz.args(["fuzz", "run", target, "--", &seconds]).run()?;
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
