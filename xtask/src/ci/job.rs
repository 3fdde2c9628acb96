//! Runs jobs one after the other and prints how each ended.

use std::io::Write as _;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};

use super::process::Cmd;
use crate::prove::build;

/// When a job runs without being named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runs {
    /// In `quick` and in `all`.
    Quick,
    /// In `all` only.
    Full,
}

impl Runs {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Full => "all",
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Action {
    Call(fn() -> Result<()>),
    /// Runs as its own process, so that the task can exit as it likes.
    Xtask(&'static [&'static str]),
}

/// One line of the job table.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) name: &'static str,
    pub(crate) runs: Runs,
    pub(crate) what: &'static str,
    action: Action,
}

impl Job {
    /// A job that is a function of this program.
    pub(crate) const fn call(
        name: &'static str,
        runs: Runs,
        what: &'static str,
        function: fn() -> Result<()>,
    ) -> Self {
        Self {
            name,
            runs,
            what,
            action: Action::Call(function),
        }
    }

    /// A job that is another task of this program.
    pub(crate) const fn xtask(
        name: &'static str,
        runs: Runs,
        what: &'static str,
        args: &'static [&'static str],
    ) -> Self {
        Self {
            name,
            runs,
            what,
            action: Action::Xtask(args),
        }
    }

    fn run(&self) -> Result<()> {
        match self.action {
            Action::Call(function) => function(),
            Action::Xtask(args) => {
                let program = std::env::current_exe().context("cannot find this program")?;
                Cmd::new(program).args(args).env(build::FAST, "1").run()
            }
        }
    }
}

struct Outcome {
    name: &'static str,
    time: Duration,
    processor: Duration,
    error: Option<String>,
}

/// Runs every job, also after a failure, and returns how many failed.
pub(crate) fn run_all(jobs: &[&Job]) -> Result<usize> {
    if let Some(before) = time_before_the_first_job() {
        print_line(&format!("first job after {before:.1} s"))?;
    }
    let mut outcomes = Vec::new();
    for job in jobs {
        print_line(&format!("\n=== {}: {}", job.name, job.what))?;
        let (start, used) = (Instant::now(), processor_time());
        let result = job.run();
        let outcome = Outcome {
            name: job.name,
            time: start.elapsed(),
            processor: processor_time().saturating_sub(used),
            error: result.err().map(|error| format!("{error:#}")),
        };
        if let Some(error) = &outcome.error {
            print_line(error)?;
        }
        print_line(&format!("=== {}", verdict(&outcome)))?;
        outcomes.push(outcome);
    }
    summary(&outcomes)
}

fn summary(outcomes: &[Outcome]) -> Result<usize> {
    let failed = outcomes
        .iter()
        .filter(|outcome| outcome.error.is_some())
        .count();
    let time: Duration = outcomes.iter().map(|outcome| outcome.time).sum();
    let processor: Duration = outcomes.iter().map(|outcome| outcome.processor).sum();
    print_line(&format!("\nsummary {:>25} {:>10}", "wall", "processor"))?;
    for outcome in outcomes {
        print_line(&format!("  {}", verdict(outcome)))?;
        // Often only the end of the output is kept.
        if let Some(error) = &outcome.error {
            print_line(error)?;
        }
    }
    print_line(&format!(
        "  {:<22} {:>8.1} s {:>8.1} s",
        "together",
        time.as_secs_f64(),
        processor.as_secs_f64()
    ))?;
    print_line(&format!(
        "{} passed, {failed} failed",
        outcomes.len() - failed
    ))?;
    Ok(failed)
}

fn verdict(outcome: &Outcome) -> String {
    let verdict = match outcome.error {
        None => "passed",
        Some(_) => "FAILED",
    };
    format!(
        "{:<22} {:>8.1} s {:>8.1} s  {verdict}",
        outcome.name,
        outcome.time.as_secs_f64(),
        outcome.processor.as_secs_f64()
    )
}

/// The seconds between the start of `.ci/run` and now.
fn time_before_the_first_job() -> Option<f64> {
    let started: f64 = std::env::var("CI_STARTED").ok()?.parse().ok()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Some(now.as_secs_f64() - started)
}

/// The processor time of this process and of its children that have ended.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    // utime, stime, cutime and cstime, in hundredths of a second: see proc_pid_stat(5).
    let ticks = fields.split_whitespace().skip(11).take(4);
    let ticks = ticks
        .filter_map(|field| field.parse::<u64>().ok())
        .sum::<u64>();
    Duration::from_millis(ticks * 10)
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
        let used = processor_time();
        let start = Instant::now();
        while processor_time() == used {
            assert!(start.elapsed() < Duration::from_secs(30));
            assert!(
                std::process::Command::new("true")
                    .status()
                    .unwrap()
                    .success()
            );
        }
    }

    #[test]
    fn failures_are_counted_and_later_jobs_still_run() {
        static FAILS: Job = Job::call("a", Runs::Quick, "", || anyhow::bail!("no"));
        static PASSES: Job = Job::call("b", Runs::Quick, "", || Ok(()));
        assert_eq!(run_all(&[&FAILS, &PASSES, &FAILS]).unwrap(), 2);
        assert_eq!(run_all(&[&PASSES]).unwrap(), 0);
    }
}
