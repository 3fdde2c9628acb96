//! Runs jobs one after the other and prints how each ended.

use std::io::Write as _;
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use serde::Serialize;

use super::guards;

/// The sets that a job belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runs {
    /// In `quick` and in `all`.
    Quick,
    /// In `quick` only.
    Local,
    /// In `all` only.
    Full,
    /// In `nightly`, and in `all` after a change to the paths that it guards.
    Nightly,
}

impl Runs {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Local => "quick only",
            Self::Full => "all",
            Self::Nightly => "nightly",
        }
    }
}

/// One line of the job table.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) name: &'static str,
    pub(crate) runs: Runs,
    pub(crate) what: &'static str,
    run: fn() -> Result<()>,
}

impl Job {
    pub(crate) const fn new(
        name: &'static str,
        runs: Runs,
        what: &'static str,
        run: fn() -> Result<()>,
    ) -> Self {
        Self {
            name,
            runs,
            what,
            run,
        }
    }
}

/// The environment variable that names a file for the outcomes as JSON.
pub(crate) const SUMMARY: &str = "CI_SUMMARY";

/// How a job ended.
#[derive(Debug, Serialize)]
struct Outcome {
    name: &'static str,
    /// In seconds.
    wall: f64,
    /// In seconds, of this process and its children.
    processor: f64,
    /// Whether this machine lacks what the job needs.
    not_run: bool,
    error: Option<String>,
}

const PASSED: &str = "passed";
const FAILED: &str = "FAILED";
const NOT_RUN: &str = "not run here";

impl Outcome {
    fn verdict(&self) -> &'static str {
        if self.not_run {
            return NOT_RUN;
        }
        self.error.as_ref().map_or(PASSED, |_| FAILED)
    }
}

/// The error of a job that cannot run on this machine, for example without a network. It does not
/// count as a failure, and does not update `.ci/guarded`.
#[derive(Debug)]
pub(super) struct NotRun(pub(super) String);

impl std::error::Error for NotRun {}

impl std::fmt::Display for NotRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{NOT_RUN}: {}", self.0)
    }
}

/// Runs every job, also after a failure, and returns how many failed. Writes the outcomes to a file.
pub(crate) fn run_all(jobs: &[&Job], file: Option<&Path>) -> Result<usize> {
    let before = seconds_before_the_first_job();
    print_line(&format!("first job after {before:.1} s"))?;
    let mut outcomes = Vec::new();
    for job in jobs {
        print_line(&format!("\n=== {}: {}", job.name, job.what))?;
        let (start, used) = (Instant::now(), processor_seconds());
        let error = run_guarded(job).err();
        let is_not_run = |error: &anyhow::Error| error.is::<NotRun>();
        let outcome = Outcome {
            name: job.name,
            wall: start.elapsed().as_secs_f64(),
            processor: processor_seconds() - used,
            not_run: error.as_ref().is_some_and(is_not_run),
            error: error.map(|error| format!("{error:#}")),
        };
        if let Some(error) = &outcome.error {
            print_line(error)?;
        }
        print_line(&format!("=== {}", row(&outcome)))?;
        outcomes.push(outcome);
    }
    if let Some(path) = file {
        let summary = serde_json::json!({ "before": before, "jobs": outcomes });
        std::fs::write(path, summary.to_string())?;
    }
    summary(before, &outcomes)
}

/// Runs a job. If it passes, records the state of the paths that it guards.
fn run_guarded(job: &Job) -> Result<()> {
    let state = guards::state(job.name)?;
    (job.run)()?;
    guards::passed(job.name, state)
}

fn summary(before: f64, outcomes: &[Outcome]) -> Result<usize> {
    let count = |verdict: &str| outcomes.iter().filter(|it| it.verdict() == verdict).count();
    let (passed, failed, not_run) = (count(PASSED), count(FAILED), count(NOT_RUN));
    print_line(&format!(
        "\n{:<24} {:>8} {:>12}",
        "summary", "wall", "processor"
    ))?;
    print_line(&format!("  {:<22} {before:>8.1} s", "before the first job"))?;
    for outcome in outcomes {
        print_line(&format!("  {}", row(outcome)))?;
        // Often only the end of the output is kept.
        if let Some(error) = &outcome.error {
            print_line(error)?;
        }
    }
    print_line(&format!(
        "  {:<22} {:>8.1} s {:>8.1} s",
        "together",
        before + outcomes.iter().map(|outcome| outcome.wall).sum::<f64>(),
        outcomes
            .iter()
            .map(|outcome| outcome.processor)
            .sum::<f64>()
    ))?;
    if not_run > 0 {
        print_line(&format!("{not_run} {NOT_RUN}"))?;
    }
    print_line(&format!("{passed} passed, {failed} failed"))?;
    Ok(failed)
}

fn row(outcome: &Outcome) -> String {
    let (name, verdict) = (outcome.name, outcome.verdict());
    let (wall, processor) = (outcome.wall, outcome.processor);
    format!("{name:<22} {wall:>8.1} s {processor:>8.1} s  {verdict}")
}

/// The seconds between the start of `.ci/run` and now; 0 without it.
fn seconds_before_the_first_job() -> f64 {
    let started = std::env::var("CI_STARTED").ok();
    let started: Option<f64> = started.and_then(|started| started.parse().ok());
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    started.map_or(0.0, |started| {
        now.unwrap_or_default().as_secs_f64() - started
    })
}

/// The processor time of this process and of its children that have ended.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    // utime, stime, cutime and cstime, in hundredths of a second: see proc_pid_stat(5).
    let ticks = fields.split_whitespace().skip(11).take(4);
    ticks
        .filter_map(|field| field.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

/// Prints a line at once, before the output of the next child process.
fn print_line(line: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_time_of_children_is_counted() {
        let (used, start) = (processor_seconds(), Instant::now());
        while processor_seconds() <= used {
            assert!(start.elapsed().as_secs() < 30);
            assert!(std::process::Command::new("true").output().is_ok());
        }
    }

    #[test]
    fn failures_are_counted_and_later_jobs_still_run() {
        static FAILS: Job = Job::new("a", Runs::Quick, "", || anyhow::bail!("no"));
        static PASSES: Job = Job::new("b", Runs::Quick, "", || Ok(()));
        static LACKS: Job = Job::new("c", Runs::Quick, "", || Err(NotRun("x".to_owned()).into()));
        assert_eq!(
            run_all(&[&FAILS, &PASSES, &LACKS, &FAILS], None).unwrap(),
            2
        );
        assert_eq!(run_all(&[&PASSES], None).unwrap(), 0);
    }
}
