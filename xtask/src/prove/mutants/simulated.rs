//! Bugs that the simulation must find.

use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::Stage;
use super::patch::{self, Mutant, SIMULATED, SWITCH};
use crate::cli_package::workspace_root;
use crate::prove::figure::Figure;
use crate::prove::runner;

/// Within how many seeds a bug must be found.
const SEEDS: &str = "20000";
const PACKAGE: &str = "claw-gateway";

/// Plants the bugs one by one, and runs seeds until one shows a violation.
pub(in crate::prove) fn measure() -> Result<Vec<Figure>> {
    let root = workspace_root();
    let mutants = patch::read_all(&root, SIMULATED)?;
    let stage = Stage::copy(&root, &mutants)?;
    let simulation = |on: &str| {
        let mut command = runner::simulation(PACKAGE);
        command
            .current_dir(&stage.copy)
            .env("CARGO_TARGET_DIR", &stage.target)
            .env("SEEDS", SEEDS)
            .env("MOST_FAILED", "1")
            .env(SWITCH, on);
        command
    };
    let built = simulation("").arg("--no-run").output()?;
    if !built.status.success() {
        let output = String::from_utf8_lossy(&built.stderr);
        bail!("a planted bug does not compile:\n{output}");
    }
    let (mut rows, mut missed) = (Vec::new(), Vec::new());
    for mutant in &mutants {
        let found = first_seed(mutant, simulation(&mutant.name))?;
        eprintln!("{}: {found:?}", mutant.name);
        let Mutant { name, breaks, .. } = mutant;
        match found {
            Some((seed, wrong)) => rows.push(format!("| {name} | {breaks} | {seed} | {wrong} |")),
            None => missed.push(format!("{name}: {breaks}")),
        }
    }
    let measured = format!("{} of {} found", rows.len(), mutants.len());
    let mut figure = Figure::new(
        format!("planted bugs found by the simulation within {SEEDS} seeds"),
        "all, and at least 12",
    )
    .measured(measured, missed.is_empty() && mutants.len() >= 12)
    .list("not found", missed)
    .note("|  | the bug | first seed | violation |")
    .note("|---|---|---|---|");
    figure.notes.extend(rows);
    Ok(vec![figure])
}

/// Returns the first seed that shows the bug, and the violation.
fn first_seed(mutant: &Mutant, mut command: Command) -> Result<Option<(u64, String)>> {
    command.args(["--", "--exact", "simulation", "--nocapture"]);
    let run = command.output().context("cannot run cargo test")?;
    let output = String::from_utf8_lossy(&run.stderr);
    let found = output.lines().find_map(|line| {
        let (seed, wrong) = line.strip_prefix("SEED=")?.split_once(": ")?;
        Some((seed.parse().ok()?, wrong.replace('|', "/")))
    });
    let is_consistent = run.status.success() == found.is_none();
    ensure!(is_consistent, "{}: {output}", mutant.name);
    Ok(found)
}
