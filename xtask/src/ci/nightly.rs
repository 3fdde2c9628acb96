//! The jobs of `.ci/run nightly`: what need not gate every push.

use anyhow::{Context, Result, ensure};

use super::process::Cmd;
use super::tests;
use crate::{build, fuzz, packages, prove};

/// The seconds for each fuzz target.
const FUZZ_SECONDS: u64 = 30;
const SEEDS: &str = "20000";
/// The most seeds that may show a violation: those that are known.
const KNOWN_VIOLATIONS: usize = 8;

pub(super) fn record() -> Result<()> {
    build::proofs("record", &["--verify".into(), "--quick".into()])
}

pub(super) fn drift() -> Result<()> {
    build::proofs("drift", &[])
}

pub(super) fn fuzz() -> Result<()> {
    let runs = fuzz::run(FUZZ_SECONDS, &[])?;
    let findings: u64 = runs.iter().map(|run| run.findings).sum();
    ensure!(findings == 0, "{findings} findings: see fuzz/artifacts");
    Ok(())
}

/// Runs many seeds of the simulation. Prints the seeds that show a violation.
pub(super) fn simulation() -> Result<()> {
    let mut command = prove::simulation();
    command.env("SEEDS", SEEDS);
    command.env("MOST_FAILED", (KNOWN_VIOLATIONS + 1).to_string());
    let output = command.output().context("cargo did not start")?;
    let text = String::from_utf8_lossy(&output.stderr);
    let failed: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("SEED="))
        .collect();
    println!("{SEEDS} seeds, {} known violations", failed.len());
    failed.iter().for_each(|line| println!("{line}"));
    let shown = String::from_utf8_lossy(&output.stdout);
    let has_run = shown.contains(&format!("\"{SEEDS} seeds, "))
        && output.status.success() == failed.is_empty();
    ensure!(has_run, "the simulation did not run: {text}");
    ensure!(
        failed.len() <= KNOWN_VIOLATIONS,
        "more than {KNOWN_VIOLATIONS} seeds show a violation"
    );
    Ok(())
}

pub(super) fn store() -> Result<()> {
    tests::nextest("store", None)
}

/// Runs the groups of figures that are too slow for each push, at small sizes.
pub(super) fn proofs() -> Result<()> {
    tests::nextest("nightly", None)
}

/// Runs every bench to its end. The figures of an unoptimised build mean nothing.
pub(super) fn bench() -> Result<()> {
    let programs = build::programs(&["claw-bench", "decode-memory", "claw", "fake-claude"])?;
    let environment = packages::environment()?;
    let mut failed = Vec::new();
    for group in prove::bench_groups() {
        let bench = Cmd::new(programs.join("claw-bench")).arg(group);
        let ran = bench.envs(environment.clone()).run();
        failed.extend(ran.err().map(|error| format!("{error:#}")));
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}
