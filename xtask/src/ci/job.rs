//! Runs jobs one after the other and prints how each ended.

use std::io::Write as _;
use std::time::{Duration, Instant};

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
    error: Option<String>,
}

/// Runs every job, also after a failure, and returns how many failed.
pub(crate) fn run_all(jobs: &[&Job]) -> Result<usize> {
    let mut outcomes = Vec::new();
    for job in jobs {
        print_line(&format!("\n=== {}: {}", job.name, job.what))?;
        let start = Instant::now();
        let result = job.run();
        let outcome = Outcome {
            name: job.name,
            time: start.elapsed(),
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
    print_line("\nsummary")?;
    for outcome in outcomes {
        print_line(&format!("  {}", verdict(outcome)))?;
        // Often only the end of the output is kept.
        if let Some(error) = &outcome.error {
            print_line(error)?;
        }
    }
    print_line(&format!(
        "  {:<14} {:>8.1} s",
        "together",
        time.as_secs_f64()
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
        "{:<14} {:>8.1} s  {verdict}",
        outcome.name,
        outcome.time.as_secs_f64()
    )
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
    fn failures_are_counted_and_later_jobs_still_run() {
        static FAILS: Job = Job::call("a", Runs::Quick, "", || anyhow::bail!("no"));
        static PASSES: Job = Job::call("b", Runs::Quick, "", || Ok(()));
        assert_eq!(run_all(&[&FAILS, &PASSES, &FAILS]).unwrap(), 2);
        assert_eq!(run_all(&[&PASSES]).unwrap(), 0);
    }
}
