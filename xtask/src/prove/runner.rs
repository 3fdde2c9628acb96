//! Builds and runs the tests and benches of a proof, and reads the figures that they record.

use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use tempfile::TempDir;

use super::area::{Args, Group, Suite};
use crate::build;
use crate::ci::process::command;
use crate::ci::tests;
use crate::figure::{FIGURES, FULL, Figure};
use crate::packages;
use crate::place::workspace_root;

/// A group by name, and what was measured.
type Found = (&'static str, Result<Vec<Figure>>);

/// How often a bench is measured at most if its misses are within the spread.
const TRIES: usize = 3;

/// Runs groups.
pub(super) struct Runner<'a> {
    args: &'a Args,
    records: TempDir,
}

impl<'a> Runner<'a> {
    pub(super) fn new(args: &'a Args) -> Result<Self> {
        let records = tempfile::tempdir()?;
        Ok(Self { args, records })
    }

    /// Runs all tests at once, then the other groups one by one.
    pub(super) fn run(&self, groups: &[(&'static str, Group)]) -> Result<Vec<Found>> {
        let mut found = self.tests(groups)?;
        for (name, group) in groups {
            let measure: &dyn Fn() -> Result<Vec<Figure>> = match group {
                Group::Test(..) => continue,
                Group::Simulation => &|| self.recorded(&mut simulation(), name),
                Group::Bench => &|| self.bench("Cargo.toml", "claw-bench", name),
                Group::Peers => &|| self.bench("peers/Cargo.toml", "claw-peers", name),
                Group::Suite(suite) => &|| self.suite(suite),
                Group::Here(measure) => &|| measure(self.args),
            };
            eprintln!("measuring: {name}");
            found.push((*name, retried(measure)));
        }
        for (name, figures) in &mut found {
            if figures.as_ref().is_ok_and(Vec::is_empty) {
                *figures = Err(anyhow!("{name} has no figures"));
            }
        }
        Ok(found)
    }

    /// Runs the tests of all groups in one invocation, one after the other.
    fn tests(&self, groups: &[(&'static str, Group)]) -> Result<Vec<Found>> {
        let of_tests = groups.iter().filter_map(|(name, group)| match group {
            Group::Test(package, binary, test) => Some((*name, (package, binary, test))),
            _ => None,
        });
        let of_tests: Vec<_> = of_tests.collect();
        if of_tests.is_empty() {
            return Ok(Vec::new());
        }
        let filters = of_tests.iter().map(|(_, (package, binary, test))| {
            format!("(package({package}) & binary({binary}) & test(={test}))")
        });
        let filters: Vec<String> = filters.collect();
        build::all_programs()?;
        let mut nextest = tests::command("proof")?
            .args(["-E", &filters.join(" | ")])
            .env(FIGURES, &self.records.path().to_string_lossy());
        if !self.args.quick {
            nextest = nextest.env(FULL, "1");
        }
        // A test that fails is in the report.
        let _ = nextest.run();
        // Nextest writes it there, also with another target folder.
        let report = workspace_root().join("target/nextest/proof/junit.xml");
        let report = std::fs::read_to_string(report).context("nextest wrote no report")?;
        let read = |name: &str, test: &str| {
            let record = self.records.path().join(format!("{name}.json"));
            let figures = tests::read(&record).context("no figures: see the output of the test")?;
            let is_short = figures.iter().any(|figure| !figure.passed);
            ensure!(
                is_short || has_passed(&report, test),
                "the test failed, although its figures reach their bars"
            );
            Ok(figures)
        };
        let found = of_tests
            .iter()
            .map(|(name, (_, _, test))| (*name, read(name, test)));
        Ok(found.collect())
    }

    /// Runs a group of a bench, which is built as users build the product.
    fn bench(&self, manifest: &str, program: &str, group: &str) -> Result<Vec<Figure>> {
        let product = ["claw-bench", "claw", "claw-testkit"];
        let folder = build::measured("Cargo.toml", &product)?;
        if manifest != "Cargo.toml" {
            build::measured(manifest, &[program])?;
        }
        self.recorded(Command::new(folder.join(program)).arg(group), group)
    }

    /// Runs a command and reads the figures that it records.
    fn recorded(&self, command: &mut Command, group: &str) -> Result<Vec<Figure>> {
        let record = self.records.path().join(format!("{group}.json"));
        command.envs(packages::environment()?);
        command.env_remove("CLAW_FAKE_CLAUDE");
        command.env(FIGURES, self.records.path()).env_remove(FULL);
        if !self.args.quick {
            command.env(FULL, "1");
        }
        let status = command
            .current_dir(workspace_root())
            .stdin(Stdio::null())
            .status()
            .with_context(|| format!("{command:?} did not start"))?;
        let figures = tests::read(&record).with_context(|| format!("no figures ({status})"))?;
        std::fs::remove_file(&record)?;
        let is_short = figures.iter().any(|figure| !figure.passed);
        ensure!(
            status.success() || is_short,
            "{status}, although the figures reach their bars"
        );
        Ok(figures)
    }

    /// Runs tests and counts those that pass.
    fn suite(&self, suite: &Suite) -> Result<Vec<Figure>> {
        build::all_programs()?;
        let mut command = tests::command("proof")?
            .args(["--color", "never", "-E", suite.filter])
            .envs(suite.variables.iter().copied());
        if suite.other_servers {
            command = command.envs(packages::nats::others()?);
        }
        let output = command.whole_output()?;
        let text = String::from_utf8_lossy(&output.stderr);
        // `Summary [ 1.2s] 47 tests run: 47 passed, 3 skipped`
        let summary = text
            .lines()
            .rev()
            .find_map(|line| line.split_once("tests run: "));
        let Some((_, summary)) = summary else {
            bail!("no tests ran: {text}");
        };
        let passed = summary
            .split(' ')
            .next()
            .and_then(|count| count.parse().ok());
        let passed: usize = passed.unwrap_or(0);
        let failed = text.lines().map(str::trim);
        let failed = failed.filter(|line| line.starts_with("FAIL ") || line.contains("TIMEOUT"));
        let figure = Figure::new(suite.name, "all pass").measured(
            format!("{passed} tests pass"),
            output.status.success() && passed >= suite.least,
        );
        Ok(vec![figure.list("failed", failed)])
    }
}

/// Whether a test is in a report of JUnit, without a failure.
fn has_passed(report: &str, test: &str) -> bool {
    let cases = report.split("<testcase ").skip(1);
    let mut of_test = cases.filter(|case| case.starts_with(&format!("name=\"{test}\"")));
    of_test.next().is_some_and(|case| {
        let case = case.split("</testcase>").next().unwrap_or_default();
        !case.contains("<failure") && !case.contains("<error")
    })
}

/// The command that runs the simulation of the gateway. With `tokio_unstable`, a seed decides the
/// order in which tokio polls the branches of `select!`.
pub(crate) fn simulation() -> Command {
    let mut command = command("cargo");
    command
        .args(["test", "--release", "--all-features", "--locked"])
        .args(["--package", "claw-gateway", "--test", "simulation"])
        .args(["--", "--exact", "simulation", "--nocapture"])
        .env("RUSTFLAGS", "--cfg tokio_unstable")
        // With full optimisation, compiling would take longer than all seeds.
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
        .current_dir(workspace_root());
    command
}

/// Measures again as long as every miss is within its own spread.
fn retried(measure: &dyn Fn() -> Result<Vec<Figure>>) -> Result<Vec<Figure>> {
    for again in 1..TRIES {
        let figures = measure()?;
        let mut short = figures.iter().filter(|figure| !figure.passed).peekable();
        if short.peek().is_none() || !short.all(|figure| figure.within_spread) {
            return Ok(figures);
        }
        eprintln!("a miss within the spread: measuring again ({again})");
    }
    measure()
}

#[cfg(test)]
mod tests_of_retries {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn failures_are_in_the_report() {
        let report = "<testcase name=\"a\" time=\"1\"></testcase>\n\
                      <testcase name=\"b\"><failure>x</failure></testcase>";
        assert_eq!(
            ["a", "b", "c"].map(|test| has_passed(report, test)),
            [true, false, false]
        );
    }

    #[test]
    fn only_misses_within_the_spread_are_measured_again() {
        fn figure(passed: bool, within_spread: bool) -> Figure {
            let mut figure = Figure::new("", "").measured("", passed);
            figure.within_spread = within_spread;
            figure
        }
        let tries = Cell::new(0);
        let close = || {
            tries.set(tries.get() + 1);
            Ok(vec![figure(tries.get() == 2, true)])
        };
        assert!(retried(&close).unwrap()[0].passed);
        assert_eq!(tries.take(), 2);
        let far = || {
            tries.set(tries.get() + 1);
            Ok(vec![figure(false, true), figure(false, false)])
        };
        assert!(!retried(&far).unwrap()[0].passed);
        assert_eq!(tries.get(), 1);
    }
}
