//! The figures of CI and of the tools: times, what no longer runs, lines, files.

use std::collections::BTreeSet;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::area::Args;
use super::area::Group::{self, Here};
use super::runner;
use crate::ci::job::SUMMARY;
use crate::ci::process::{Cmd, kill_group};
use crate::ci::tests;
use crate::figure::Figure;
use crate::place::{target_dir, workspace_root};
use crate::size;

/// The most minutes of a run, and of a quick run after a change.
const WHOLE: f64 = 25.0;
const QUICK: f64 = 4.0;
/// The most seconds to the first job.
const FIRST: f64 = 60.0;
/// Tests that ran in CI at commit 947ba917, one on each line.
const BEFORE: &str = "testdata/ci/947ba917.txt";
/// Those that no longer run: a name or a prefix that ends with `*`, a tab, and what replaces it or
/// why it is gone.
const GONE: &str = "testdata/ci/gone.tsv";

pub(super) const GROUPS: &[(&str, Group)] = &[
    ("whole", Here(whole)),
    ("beside", Here(beside)),
    ("quick", Here(quick)),
    ("nightly", Here(nightly)),
    ("gone", Here(gone)),
    (
        "lines",
        Here(|_| size::code_lines_of(&["outside crates", "claw-testkit"])),
    ),
    ("listed", Here(listed)),
    ("gateway-bench", Here(gateway_bench)),
];

/// What a run of `.ci/run` reports.
#[derive(Debug, Deserialize)]
struct Report {
    /// Seconds before the first job.
    before: f64,
    jobs: Vec<Job>,
    #[serde(skip)]
    minutes: f64,
    #[serde(skip)]
    log: String,
}

#[derive(Debug, Deserialize)]
struct Job {
    name: String,
    wall: f64,
    processor: f64,
    not_run: bool,
    error: Option<String>,
}

impl Report {
    fn failed(&self) -> Vec<&str> {
        let is_failed = |job: &&Job| job.error.is_some() && !job.not_run;
        let failed = self.jobs.iter().filter(is_failed);
        failed.map(|job| job.name.as_str()).collect()
    }

    /// The figure of the run, with its table of jobs.
    fn figure(&self, name: &str, bar: &str, most: f64) -> Figure {
        let failed = self.failed();
        let passed = failed.is_empty() && self.minutes <= most;
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        let (minutes, count) = (self.minutes, failed.len());
        let text = format!("{minutes:.1} min on {cores} cores, {count} jobs failed");
        let figure = Figure::new(name, bar).measured(text, passed);
        let not_run = self.jobs.iter().filter(|job| job.not_run);
        let not_run = not_run.filter_map(|job| job.error.as_deref());
        let head = figure
            .list("failed", failed)
            .list("not run here", not_run)
            .note("| job | wall | processor |")
            .note("|---|---|---|")
            .note(format!("| before the first job | {:.1} s | |", self.before));
        let rows = self.jobs.iter();
        let rows = rows.map(|job| {
            format!(
                "| {} | {:.1} s | {:.1} s |",
                job.name, job.wall, job.processor
            )
        });
        rows.fold(head, Figure::note)
    }
}

/// A clone of the committed sources.
struct Clone(PathBuf);

impl Clone {
    /// Clones `HEAD`, without a target folder.
    fn fresh(name: &str) -> Result<Self> {
        let folder = target_dir().join("prove").join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        let place = folder.to_string_lossy().into_owned();
        Cmd::new("git")
            .args(["clone", "--quiet", ".", &place])
            .run()?;
        // In the clone, everything that is committed counts as pushed.
        let git = Cmd::new("git").args(["-C", &place, "update-ref"]);
        git.args(["refs/remotes/origin/main", "HEAD"]).run()?;
        Ok(Self(folder))
    }

    fn run(&self, jobs: &[&str], ci: Option<&str>) -> Result<Report> {
        run(&self.0, jobs, ci)
    }
}

/// Runs `.ci/run` in a checkout and measures it. `ci` is the variable `CI`.
fn run(checkout: &Path, jobs: &[&str], ci: Option<&str>) -> Result<Report> {
    let folder = target_dir().join("prove");
    std::fs::create_dir_all(&folder)?;
    let place = folder.join("ci-run");
    let (summary, log) = (place.with_extension("json"), place.with_extension("log"));
    let mut command = Command::new("bash");
    command
        .arg(".ci/run")
        .args(jobs)
        .env(SUMMARY, &summary)
        .env_remove("CI")
        .env_remove("CARGO_TARGET_DIR")
        .envs(ci.map(|value| ("CI", value)));
    // That of another run must not count.
    let _ = std::fs::remove_file(&summary);
    let output = std::fs::File::create(&log)?;
    let start = Instant::now();
    let status = command
        .current_dir(checkout)
        .stdin(Stdio::null())
        .stderr(output.try_clone()?)
        .stdout(output)
        .status()?;
    let minutes = start.elapsed().as_secs_f64() / 60.0;
    let text = std::fs::read(&summary);
    let text = text.with_context(|| format!("{status}: see {}", log.display()))?;
    let report = Report {
        minutes,
        log: std::fs::read_to_string(&log)?,
        ..serde_json::from_slice(&text)?
    };
    let is_whole = status.success() == report.failed().is_empty();
    ensure!(is_whole, "{status}: see {}", log.display());
    Ok(report)
}

impl Drop for Clone {
    /// Removes the clone, because its target folder is large.
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn whole(_: &Args) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let mut first = 0.0_f64;
    for number in ["first", "second"] {
        let report = Clone::fresh("whole")?.run(&["all"], Some("true"))?;
        first = first.max(report.before);
        let name = format!("whole `.ci/run` from an empty target folder, {number} run");
        let bar = format!("≤ {WHOLE} min, no failure");
        figures.push(report.figure(&name, &bar, WHOLE));
    }
    let name = "from a fresh clone to the first job";
    let figure = Figure::new(name, format!("≤ {FIRST} s"));
    figures.push(figure.measured(format!("{first:.1} s at most"), first <= FIRST));
    Ok(figures)
}

fn beside(_: &Args) -> Result<Vec<Figure>> {
    let other = Clone::fresh("other")?;
    // The loop ends if a build fails.
    let again = "while cargo build --quiet --workspace --all-targets; do cargo clean --quiet; done";
    let mut builds = Command::new("bash");
    let builds = builds.args(["-c", again]).current_dir(&other.0);
    let mut builds = builds.stderr(Stdio::null()).process_group(0).spawn()?;
    let report = Clone::fresh("whole").and_then(|clone| clone.run(&["all"], Some("true")));
    let was_beside = builds.try_wait()?.is_none();
    kill_group(builds)?;
    let report = report?;
    ensure!(was_beside, "the builds beside the run ended before it");
    let name = "the same beside a running build";
    Ok(vec![report.figure(name, "no failure", f64::INFINITY)])
}

fn quick(_: &Args) -> Result<Vec<Figure>> {
    let clone = Clone::fresh("quick")?;
    // What a quick run compiles and installs.
    let warm = clone.run(&["clippy", "build", "drift", "typescript"], None)?;
    ensure!(warm.failed().is_empty(), "failed: {:?}", warm.failed());
    let changed = clone.0.join("crates/claw-gateway/src/lib.rs");
    let text = std::fs::read_to_string(&changed)?;
    std::fs::write(
        &changed,
        text + "\n/// A change.\npub const CHANGED: u8 = 0;\n",
    )?;
    let report = clone.run(&["quick"], None)?;
    let name = "`.ci/run quick`, warm, after a change in `claw-gateway`";
    Ok(vec![report.figure(name, &format!("≤ {QUICK} min"), QUICK)])
}

fn nightly(_: &Args) -> Result<Vec<Figure>> {
    // Here and not in a clone, so that `.ci/guarded` records what has passed.
    let report = run(&workspace_root(), &["nightly"], Some("true"))?;
    let name = "`.ci/run nightly`, whole";
    let bar = "no failure but known violations of the simulation";
    let seeds = report.log.lines().filter(|line| line.starts_with("SEED="));
    let figure = report.figure(name, bar, f64::INFINITY);
    Ok(vec![
        figure.list("known violations of the simulation", seeds),
    ])
}

/// Compares the tests that ran with those that run now, in a push or at night.
fn gone(_: &Args) -> Result<Vec<Figure>> {
    let mut now = BTreeSet::new();
    for profile in ["ci", "store", "nightly"] {
        let list = tests::list(profile)?;
        now.extend(list.lines().map(str::to_owned));
    }
    let read = |path: &str| std::fs::read_to_string(workspace_root().join(path));
    let (before, reasons) = (read(BEFORE)?, read(GONE)?);
    let reasons: Vec<(&str, &str)> = reasons
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let reason = |test: &str| reasons.iter().find(|(name, _)| is_of(name, test));
    let missing: Vec<&str> = before.lines().filter(|test| !now.contains(*test)).collect();
    for (name, _) in &reasons {
        let is_used = missing.iter().any(|test| is_of(name, test));
        ensure!(is_used, "{GONE}: no test that is gone matches `{name}`");
    }
    let without: Vec<&&str> = missing
        .iter()
        .filter(|test| reason(test).is_none())
        .collect();
    let name = "tests that ran in CI at 947ba917 and run neither in CI nor at night";
    let measured = format!(
        "{} of {}, {} without a reason",
        missing.len(),
        before.lines().count(),
        without.len()
    );
    let passed = without.is_empty() && !now.is_empty();
    let figure = Figure::new(name, "each listed with a reason").measured(measured, passed);
    let shown = reasons
        .iter()
        .map(|(name, reason)| format!("`{name}`: {reason}"));
    Ok(vec![
        figure
            .list("without a reason", without)
            .list("reasons", shown),
    ])
}

/// Whether a name or a prefix that ends with `*` covers a test.
fn is_of(name: &str, test: &str) -> bool {
    match name.strip_suffix('*') {
        Some(prefix) => test.starts_with(prefix),
        None => test == name,
    }
}

fn listed(_: &Args) -> Result<Vec<Figure>> {
    let figure = Figure::new("lock files and `docs/` pages checked by a job", "all");
    let job = ["xtask", "ci", "listed"];
    let output = Cmd::cargo().args(job).whole_output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let counts = text
        .lines()
        .filter(|line| line.ends_with(" lock files") || line.ends_with(" pages"));
    let counts: Vec<&str> = counts.collect();
    Ok(vec![
        figure.measured(counts.join(", "), output.status.success()),
    ])
}

/// Runs the benches of the gateway at full size.
fn gateway_bench(args: &Args) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for group in ["latency", "load", "clients"] {
        let start = Instant::now();
        let found = runner::Runner::new(args)?.run(&[(group, Group::Bench)])?;
        let minutes = start.elapsed().as_secs_f64() / 60.0;
        let name = format!("`claw-bench {group}` at full size");
        let figure = Figure::new(name, "ends with figures");
        for (_, found) in found {
            let (measured, passed) = match &found {
                Ok(found) => (
                    format!("{} figures in {minutes:.1} min", found.len()),
                    !found.is_empty(),
                ),
                Err(error) => (format!("{error:#}"), false),
            };
            let rows = found.into_iter().flatten().map(|one| {
                let verdict = if one.passed { "ok" } else { "SHORT" };
                format!(
                    "{}: {} (bar: {}) {verdict}",
                    one.name, one.measured, one.bar
                )
            });
            figures.push(
                figure
                    .clone()
                    .measured(measured, passed)
                    .list("figures", rows),
            );
        }
    }
    Ok(figures)
}
