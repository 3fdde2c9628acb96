//! The jobs of `.ci/run nightly`: what need not gate every push.

use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::process::Cmd;
use super::tests;
use crate::prove::page;
use crate::{build, fuzz, mutants, packages, prove};

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

/// Runs many seeds of the simulation, and its other tests. Prints the seeds that show a violation.
pub(super) fn simulation() -> Result<()> {
    let mut command = prove::simulation();
    command.args([
        "quick::kept_seeds_have_no_violation",
        "quick::a_seed_has_the_same_history_each_time",
    ]);
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
    ensure!(
        failed.len() <= KNOWN_VIOLATIONS,
        "more than {KNOWN_VIOLATIONS} seeds show a violation"
    );
    // A seed with a violation fails its test, and no other test may fail.
    let shown = String::from_utf8_lossy(&output.stdout);
    let others = usize::from(!failed.is_empty());
    let ended = format!("{} passed; {others} failed;", 3 - others);
    let has_run = shown.contains(&format!("\"{SEEDS} seeds, ")) && shown.contains(&ended);
    ensure!(has_run, "the simulation did not run: {shown}{text}");
    Ok(())
}

/// Plants the bugs of stores. The contract suite and the checker find each.
pub(super) fn planted() -> Result<()> {
    let mut figures = mutants::measure(&[], Some("contract"))?;
    figures.extend(mutants::measure(&[], Some("checker"))?);
    print!("{}", page::render(&figures));
    let are_found = figures.iter().all(|figure| figure.passed);
    ensure!(are_found, "a planted bug is not found");
    Ok(())
}

pub(super) fn store() -> Result<()> {
    tests::nextest("store", None)
}

/// Runs the groups of figures that are too slow for each push, at small sizes.
pub(super) fn proofs() -> Result<()> {
    tests::nextest("nightly", None)
}

/// The longest that a bench may take.
const BENCH_TIME: Duration = Duration::from_secs(600);
/// The groups that the job `test` runs.
const TESTED: [&str; 2] = ["cost-idle", "many-sessions"];

/// Runs every other bench to its end. The figures of an unoptimised build mean nothing.
pub(super) fn bench() -> Result<()> {
    let programs = build::programs(&["claw-bench", "decode-memory", "claw", "fake-claude"])?;
    let environment = packages::environment()?;
    let mut failed = Vec::new();
    for group in prove::bench_groups().filter(|group| !TESTED.contains(group)) {
        let bench = Cmd::new(programs.join("claw-bench")).arg(group);
        let ran = bench.envs(environment.clone()).run_within(BENCH_TIME);
        failed.extend(ran.err().map(|error| format!("{error:#}")));
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}
