//! `cargo xtask record`: drives the real CLI through scenarios and keeps what both sides wrote.
//!
//! The protocol crate is tested against these recordings.

mod api;
mod driver;
mod files;
mod frame;
mod json_text;
mod neutral;
mod place;
mod prose;
mod scenario;
mod sdk_mcp;
mod shape;
mod store;
mod tape;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::cli_package::{self, CLI_VERSION};
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
    /// Apply the current rules for cutting to the committed recordings, without recording.
    #[arg(long, hide = true)]
    renormalise: bool,
    /// Serve the MCP server that scenarios use, on stdin and stdout.
    #[arg(long, hide = true)]
    mcp_server: bool,
}

/// Runs the task.
pub(crate) fn run(args: &Args) -> Result<()> {
    if args.mcp_server {
        return sdk_mcp::serve_stdio();
    }
    let all = read_scenarios()?;
    let whole = args.filters.is_empty() && !args.quick;
    let chosen: Vec<Scenario> = all
        .recorded
        .iter()
        .filter(|s| !args.quick || s.quick)
        .filter(|s| {
            args.filters.is_empty() || args.filters.iter().any(|f| s.name.contains(f.as_str()))
        })
        .cloned()
        .collect();
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
    let committed = cli_package::workspace_root()
        .join("testdata/cli")
        .join(CLI_VERSION);
    if args.renormalise {
        let mut changed = 0;
        for scenario in &chosen {
            changed += store::renormalise(&committed, scenario)?;
        }
        println!("{changed} files changed in {} scenarios", chosen.len());
        return Ok(());
    }
    let binary = cli_package::ensure()?.binary();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    if args.verify {
        return verify(&runtime, &all, chosen, &binary, &committed);
    }
    runtime.block_on(record_all(&all, &chosen, &binary, &committed))?;
    if whole {
        remove_stale(&all.recorded, &committed)?;
    }
    println!("{}", store::write_index(&committed)?.display());
    Ok(())
}

/// Reads the scenarios of this workspace.
fn read_scenarios() -> Result<Scenarios> {
    Scenarios::read(&cli_package::workspace_root().join("xtask/scenarios"))
}

async fn record_all(
    all: &Scenarios,
    scenarios: &[Scenario],
    binary: &Path,
    folder: &Path,
) -> Result<()> {
    let started = Instant::now();
    let slots = Arc::new(Semaphore::new(SIDE_BY_SIDE));
    let mut runs = JoinSet::new();
    for scenario in scenarios {
        let chain: Vec<Scenario> = all.chain(scenario)?.into_iter().cloned().collect();
        let name = scenario.name.clone();
        let (slots, binary, folder) = (
            Arc::clone(&slots),
            binary.to_path_buf(),
            folder.to_path_buf(),
        );
        runs.spawn(async move {
            let _slot = slots.acquire_owned().await?;
            record_one(&chain, binary, folder)
                .await
                .with_context(|| format!("{name} failed"))
        });
    }
    let mut failures = Vec::new();
    while let Some(run) = runs.join_next().await {
        if let Err(error) = run.context("a recording panicked")? {
            eprintln!("FAILED {error:#}\n");
            failures.push(error);
        }
    }
    let seconds = started.elapsed().as_secs();
    ensure!(
        failures.is_empty(),
        "{} of {} scenarios failed ({seconds} s)",
        failures.len(),
        scenarios.len()
    );
    println!("{} scenarios in {seconds} s", scenarios.len());
    Ok(())
}

/// Records the last scenario of a chain.
async fn record_one(chain: &[Scenario], binary: PathBuf, folder: PathBuf) -> Result<()> {
    let started = Instant::now();
    let recording = driver::record(chain, &binary).await?;
    let scenario = chain.last().context("no scenario")?;
    store::write(&folder, scenario, &recording)?;
    println!(
        "{:<34} {:>5} lines {:>6.1} s",
        scenario.name,
        recording.stdout.len(),
        started.elapsed().as_secs_f32()
    );
    Ok(())
}

/// Removes recordings of scenarios that no longer exist.
fn remove_stale(all: &[Scenario], folder: &Path) -> Result<()> {
    for name in store::names(folder)? {
        if !all.iter().any(|s| s.name == name) {
            println!("removing {name}: no such scenario");
            std::fs::remove_dir_all(folder.join(name))?;
        }
    }
    Ok(())
}

/// Records afresh and compares; what differs is recorded again, on its own.
///
/// Some frames depend on timing, so one recording can differ on a busy machine. A changed CLI
/// differs every time.
fn verify(
    runtime: &tokio::runtime::Runtime,
    all: &Scenarios,
    chosen: Vec<Scenario>,
    binary: &Path,
    committed: &Path,
) -> Result<()> {
    let count = chosen.len();
    let mut pending = chosen;
    for attempt in 1..=ATTEMPTS {
        let fresh = tempfile::tempdir()?;
        // What was recorded is compared even when something else failed; what failed is missing.
        if let Err(error) = runtime.block_on(record_all(all, &pending, binary, fresh.path())) {
            println!("{error:#}");
        }
        pending = differing(pending, committed, fresh.path())?;
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
fn differing(scenarios: Vec<Scenario>, committed: &Path, fresh: &Path) -> Result<Vec<Scenario>> {
    let mut pending = Vec::new();
    for scenario in scenarios {
        let found = if fresh.join(&scenario.name).exists() {
            let old = store::stdout(committed, &scenario.name)?;
            let new = store::stdout(fresh, &scenario.name)?;
            shape::differences(
                &shape::of(old.lines()),
                &shape::of(new.lines()),
                &scenario.races,
            )
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
