//! Runs a thousand inputs through each fuzz target, two targets at a time. They are the same ones in
//! each run; `cargo xtask prove fuzz` searches for new ones.

mod inputs;

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::process::Cmd;
use crate::cli_package::workspace_root;
use crate::prove::fuzzer::{self, Build};

/// Inputs for each target, its seeds among them.
const INPUTS: usize = 1000;

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
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    Ok(())
}

/// Runs one target. Its output is part of the error if it fails.
fn fuzz(root: &Path, target: &str) -> Result<()> {
    let folder = tempfile::tempdir().context("cannot make a folder for the inputs")?;
    let inputs = inputs::inputs(root, target, INPUTS)?;
    fuzzer::write_inputs(&inputs, folder.path())?;
    // libFuzzer runs every file of the folder and makes no inputs of its own.
    let launch = fuzzer::Launch::new(Build::Quick, root, target, "-runs=0", folder.path());
    println!("{target}: cargo {}", launch.args.join(" "));
    let output = launch
        .command(root)
        .output()
        .context("cargo did not start")?;
    let log = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "{} with {}; the input is in fuzz/artifacts/{target}",
        fuzzer::end(&log),
        output.status
    );
    let runs = runs_in(&log).with_context(|| fuzzer::end(&log))?;
    println!("{target}: {runs} inputs");
    ensure!(
        runs >= inputs.len(),
        "ran {runs} of {} inputs",
        inputs.len()
    );
    Ok(())
}

/// The number of inputs that libFuzzer ran, from its last line.
fn runs_in(log: &str) -> Option<usize> {
    let rest = log
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("Done "))?;
    rest.split(' ').next()?.parse().ok()
}

fn targets() -> Result<Vec<String>> {
    let metadata: Metadata =
        Cmd::cargo_metadata(&["--no-deps", "--manifest-path=fuzz/Cargo.toml"])?;
    let targets = metadata
        .packages
        .into_iter()
        .flat_map(|package| package.targets);
    let binaries = targets.filter(|target| target.kind.iter().any(|kind| kind == "bin"));
    Ok(binaries.map(|target| target.name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_of_inputs_is_read_from_the_log() {
        let log = "#412\tNEW cov: 7\nDone 412 runs in 301 second(s)\nstat::x: 1\n";
        assert_eq!(runs_in(log), Some(412));
        assert_eq!(runs_in("==1== ERROR"), None);
    }
}
