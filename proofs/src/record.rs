//! `cargo xtask record`: drives the real CLI through scenarios and keeps what both sides wrote.
//!
//! The protocol crate is tested against these recordings.

mod api;
mod driver;
mod files;
mod frame;
mod json_text;
mod neutral;
mod prose;
mod scenario;
mod shape;
mod store;
mod tape;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use claw_testkit::real_cli::variables;
use claw_testkit::recordings::pins;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::repository::{root, variable};
use scenario::{Scenario, Scenarios};

/// How many CLI processes run side by side.
const SIDE_BY_SIDE: usize = 2;
/// How often a scenario is recorded before its difference counts.
const ATTEMPTS: usize = 3;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only scenarios whose name contains one of these texts.
    filters: Vec<String>,
    /// List the scenarios and what each shows.
    #[arg(long)]
    list: bool,
    /// Record into a temporary folder and compare types and fields with what is committed.
    #[arg(long)]
    verify: bool,
    /// Only a fixed tenth of the scenarios.
    #[arg(long)]
    quick: bool,
}

impl Args {
    fn selects(&self, scenario: &Scenario) -> bool {
        let is_named = |filter: &String| scenario.name.contains(filter);
        (scenario.quick || !self.quick)
            && (self.filters.is_empty() || self.filters.iter().any(is_named))
    }
}

/// Runs the task.
pub(crate) fn run(args: &Args) -> Result<()> {
    let all = Scenarios::of_this_repository()?;
    let chosen: Vec<&Scenario> = all.recorded.iter().filter(|s| args.selects(s)).collect();
    ensure!(
        !chosen.is_empty(),
        "no scenario matches; see cargo xtask record --list"
    );
    if args.list {
        for scenario in &chosen {
            println!("{:<34} {}", scenario.name, scenario.about);
        }
        println!("{} scenarios", chosen.len());
        return Ok(());
    }
    let binary = PathBuf::from(variable(variables::CLI)?);
    let runtime = tokio::runtime::Runtime::new()?;
    let record = |chosen: &[&Scenario], folder: &Path| {
        runtime.block_on(run_all(&all, chosen, &binary, folder))
    };
    if args.verify {
        return verify(chosen, record);
    }
    record(&chosen, &recordings())?;
    if chosen.len() == all.recorded.len() {
        remove_stale(&all.recorded)?;
    }
    Ok(())
}

/// The folder of the committed recordings.
fn recordings() -> PathBuf {
    root().join("testdata/cli").join(pins().cli)
}

async fn run_all(
    all: &Scenarios,
    chosen: &[&Scenario],
    binary: &Path,
    folder: &Path,
) -> Result<()> {
    let started = Instant::now();
    let slots = Arc::new(Semaphore::new(SIDE_BY_SIDE));
    let mut runs = JoinSet::new();
    for scenario in chosen {
        let chain: Vec<Scenario> = all.chain(scenario)?.into_iter().cloned().collect();
        let name = scenario.name.clone();
        let (slots, binary) = (Arc::clone(&slots), binary.to_path_buf());
        let folder = folder.to_path_buf();
        runs.spawn(async move {
            let _slot = slots.acquire_owned().await?;
            let run = run_one(&chain, &binary, &folder).await;
            run.with_context(|| format!("{name} failed"))
        });
    }
    let mut failures = 0;
    while let Some(run) = runs.join_next().await {
        if let Err(error) = run.context("a recording panicked")? {
            eprintln!("FAILED {error:#}\n");
            failures += 1;
        }
    }
    let (count, seconds) = (chosen.len(), started.elapsed().as_secs());
    ensure!(
        failures == 0,
        "{failures} of {count} scenarios failed ({seconds} s)"
    );
    println!("{count} scenarios in {seconds} s");
    Ok(())
}

/// Records the last scenario of a chain.
async fn run_one(chain: &[Scenario], binary: &Path, folder: &Path) -> Result<()> {
    let started = Instant::now();
    let recording = driver::record(chain, binary).await?;
    store::write(folder, &recording)?;
    println!(
        "{:<34} {:>5} lines {:>6.1} s",
        recording.name,
        recording.stdout.len(),
        started.elapsed().as_secs_f32()
    );
    Ok(())
}

/// Removes recordings of scenarios that no longer exist.
fn remove_stale(all: &[Scenario]) -> Result<()> {
    for entry in std::fs::read_dir(recordings())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !all.iter().any(|s| s.name == name) {
            println!("removing {name}: no such scenario");
            std::fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Records afresh and compares; what differs is recorded again, on its own.
///
/// Some frames depend on timing, so one recording can differ on a busy machine. A changed CLI
/// differs every time.
fn verify<'a>(
    chosen: Vec<&'a Scenario>,
    record: impl Fn(&[&'a Scenario], &Path) -> Result<()>,
) -> Result<()> {
    let count = chosen.len();
    let mut pending = chosen;
    for attempt in 1..=ATTEMPTS {
        let fresh = tempfile::tempdir()?;
        // What was recorded is compared even when something else failed; what failed is missing.
        if let Err(error) = record(&pending, fresh.path()) {
            println!("{error:#}");
        }
        pending = differing(pending, fresh.path())?;
        if pending.is_empty() {
            println!("{count} scenarios: same types and fields");
            return Ok(());
        }
        if attempt < ATTEMPTS {
            println!("{} to be recorded again", pending.len());
        }
    }
    bail!(
        "{} of {count} scenarios differ from what is committed, {ATTEMPTS} times in a row",
        pending.len()
    )
}

/// The scenarios whose fresh recording is missing or has another shape than the committed one.
fn differing<'a>(scenarios: Vec<&'a Scenario>, fresh: &Path) -> Result<Vec<&'a Scenario>> {
    let mut pending = Vec::new();
    for scenario in scenarios {
        let found = if fresh.join(&scenario.name).exists() {
            let read = |folder: &Path| -> Result<_> {
                Ok(shape::of(store::stdout(folder, &scenario.name)?.lines()))
            };
            shape::differences(&read(&recordings())?, &read(fresh)?, &scenario.races)
        } else {
            vec!["not recorded".to_owned()]
        };
        if !found.is_empty() {
            println!("{}\n  {}", scenario.name, found.join("\n  "));
            pending.push(scenario);
        }
    }
    Ok(pending)
}
