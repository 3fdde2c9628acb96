//! Plants bugs one by one; each must make `cargo test` fail.
//!
//! A mutant is a text and its replacement, in `testdata/mutants`. All replacements are applied at
//! once to a copy of the workspace, where `@on@` becomes a check of an environment variable. So
//! everything is compiled once, and each test run enables one mutant.

mod patch;
mod simulated;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use self::patch::{Mutant, SWITCH, TESTED};
pub(super) use self::simulated::measure as measure_simulated;
use super::area::{self, Area};
use super::figure::Figure;
use super::group::Group;
use crate::cli_package::workspace_root;

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Run only mutants whose file name contains one of these.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Write the output to docs/proof/mutants.md.
    #[arg(long)]
    write: bool,
}

/// Timeout of one test run, in seconds. A run that hangs catches nothing.
const TIMEOUT_SECONDS: &str = "600";

pub(crate) fn run(args: &Args) -> Result<()> {
    ensure!(
        !args.write || args.only.is_empty(),
        "--write needs a full run: remove --only"
    );
    let area = Area {
        title: "Planted bugs",
        command: "cargo xtask prove mutants --write",
        page: "docs/proof/mutants.md",
        groups: &[("mutants", Group::Here(measure))],
    };
    let stamp = "The mutants are listed in \
                 [testdata/mutants](../../testdata/mutants/README.md).";
    area.run(args, &area::Args::whole(args.write), stamp)
}

fn measure(args: &Args) -> Result<Vec<Figure>> {
    let root = workspace_root();
    let mutants = patch::read_all(&root, TESTED)?;
    let stage = Stage::copy(&root, &mutants)?;
    stage.build(&mutants)?;
    let is_meant = |mutant: &&Mutant| {
        let mut only = args.only.iter();
        args.only.is_empty() || only.any(|part| mutant.name.contains(part.as_str()))
    };
    let chosen: Vec<&Mutant> = mutants.iter().filter(is_meant).collect();
    ensure!(!chosen.is_empty(), "no mutant matches --only");
    stage.without_mutants(&chosen)?;
    let (mut rows, mut survivors) = (Vec::new(), Vec::new());
    for mutant in &chosen {
        let failed = stage.failing_tests(mutant)?;
        let caught = match failed.as_slice() {
            [] => "nothing".to_owned(),
            [one] => format!("`{one}`"),
            [one, more @ ..] => format!("`{one}` and {} more", more.len()),
        };
        eprintln!("{}: {caught}", mutant.name);
        if failed.is_empty() {
            survivors.push(format!("{}: {}", mutant.name, mutant.breaks));
        }
        rows.push(format!(
            "| {} | {} | {caught} |",
            mutant.name, mutant.breaks
        ));
    }
    let caught = chosen.len() - survivors.len();
    let measured = format!("{caught} of {} mutants caught", chosen.len());
    let mut figure = Figure::new("mutants caught by `cargo test`", "all")
        .measured(measured, survivors.is_empty())
        .list("not caught", survivors)
        .note("|  | the bug | caught by |")
        .note("|---|---|---|");
    figure.notes.extend(rows);
    Ok(vec![figure])
}

/// The copy of the workspace in which tests are run.
struct Stage {
    copy: PathBuf,
    target: PathBuf,
}

/// The result of a test run.
struct Run {
    has_succeeded: bool,
    tests: usize,
    failed: Vec<String>,
    output: String,
}

impl Stage {
    /// Copies the workspace with all mutants.
    fn copy(root: &Path, mutants: &[Mutant]) -> Result<Self> {
        let stage = Self {
            copy: root.join("target/mutants/workspace"),
            // Shared, so that dependencies are already compiled.
            target: root.join("target"),
        };
        // Files keep their times, so that only those with mutants are compiled again.
        if stage.copy.exists() {
            fs::remove_dir_all(&stage.copy)?;
        }
        fs::create_dir_all(&stage.copy)?;
        for entry in fs::read_dir(root)? {
            let name = entry?.file_name();
            if name != "crates" && name != "target" && name != ".git" {
                std::os::unix::fs::symlink(root.join(&name), stage.copy.join(&name))?;
            }
        }
        let mut cp = Command::new("cp");
        let copied = cp.arg("-a").args([&root.join("crates"), &stage.copy]);
        ensure!(copied.status()?.success(), "cp cannot copy the crates");
        for (file, text) in patch::applied(root, mutants)? {
            fs::write(stage.copy.join(file), text)?;
        }
        Ok(stage)
    }

    /// Compiles the tests.
    fn build(&self, mutants: &[Mutant]) -> Result<()> {
        for package in packages(mutants) {
            let run = self.test(package, &["--no-run"], &[], "")?;
            if !run.has_succeeded {
                bail!("a mutant of {package} does not compile:\n{}", run.output);
            }
        }
        Ok(())
    }

    /// Runs the tests that should catch mutants, with no mutant enabled.
    fn without_mutants(&self, mutants: &[&Mutant]) -> Result<()> {
        for package in packages(mutants.iter().copied()) {
            let of_package = mutants.iter().filter(|mutant| mutant.package == package);
            let mut tests: Vec<&str> = of_package.flat_map(|mutant| mutant.tests()).collect();
            tests.sort_unstable();
            tests.dedup();
            let run = self.test(package, &[], &tests, "")?;
            if !run.has_succeeded {
                bail!("tests of {package} fail without a mutant:\n{}", run.output);
            }
        }
        Ok(())
    }

    /// The tests that fail with a mutant: among those that it names, or else among all tests of its
    /// package.
    fn failing_tests(&self, mutant: &Mutant) -> Result<Vec<String>> {
        let named: Vec<&str> = mutant.tests().collect();
        for tests in [named.as_slice(), &[]] {
            let run = self.test(&mutant.package, &[], tests, &mutant.name)?;
            ensure!(run.tests > 0, "{}: no test matches its names", mutant.name);
            if !run.failed.is_empty() {
                return Ok(run.failed);
            }
            ensure!(run.has_succeeded, "{}: {}", mutant.name, run.output);
        }
        Ok(Vec::new())
    }

    fn test(&self, package: &str, options: &[&str], tests: &[&str], on: &str) -> Result<Run> {
        let run = Command::new("timeout")
            .args([TIMEOUT_SECONDS, "cargo", "test", "--package", package])
            .args(["--lib", "--test", "it", "--no-fail-fast"])
            .args(options)
            .arg("--")
            .args(tests)
            .current_dir(&self.copy)
            .env("CARGO_TARGET_DIR", &self.target)
            .env("INSTA_UPDATE", "no")
            .env(SWITCH, on)
            .output()
            .context("cannot run cargo test")?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let output = format!("{}{}", text(&run.stdout), text(&run.stderr));
        let results = output.lines().filter_map(|line| line.strip_prefix("test "));
        let results = results.filter_map(|line| line.rsplit_once(" ... "));
        let failed = results.clone().filter(|(_, result)| *result == "FAILED");
        Ok(Run {
            has_succeeded: run.status.success(),
            tests: results.clone().count(),
            failed: failed.map(|(test, _)| test.to_owned()).collect(),
            output,
        })
    }
}

/// The packages that have mutants.
fn packages<'a>(mutants: impl IntoIterator<Item = &'a Mutant>) -> Vec<&'a str> {
    let mut packages: Vec<&str> = mutants
        .into_iter()
        .map(|one| one.package.as_str())
        .collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}
