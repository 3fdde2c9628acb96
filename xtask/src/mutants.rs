//! Plants bugs one by one; each must be found.
//!
//! All bugs of `testdata/mutants` are planted at once in a copy of the workspace, and each run
//! enables one by an environment variable, so that everything is compiled once. What is wrong
//! without a bug does not count as a find.

mod bug;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use self::bug::{Bug, SWITCH};
use crate::ci::process;
use crate::figure::Figure;
use crate::place::{target_dir, workspace_root};

/// What is wrong in a run: failed tests, violated rules, or seeds with a violation.
type Wrong = BTreeSet<String>;

/// What finds bugs: the tests of some binaries.
struct Finder {
    name: &'static str,
    /// The name of its figure.
    figure: &'static str,
    /// Variables and a command, to which the words of the patch are added: names of tests, or the
    /// names of rules, which select no further test.
    command: &'static str,
    /// How a line begins and ends that names something wrong.
    line: (&'static str, &'static str),
    /// Whether a run must show all words of the patch, and not just anything.
    shows_all: bool,
}

// A run that hangs finds nothing. With `tokio_unstable`, tokio polls the branches of `select!` in
// an order that a seed decides.
const FINDERS: &[Finder] = &[
    Finder {
        name: "tests",
        figure: "mutants caught by `cargo test`",
        command: "INSTA_UPDATE=no timeout 600 CARGO_TEST --package PACKAGE --lib --test it --",
        line: ("test ", " ... FAILED"),
        shows_all: false,
    },
    Finder {
        name: "contract",
        figure: "planted bugs that the contract suite finds",
        command: "timeout 600 CARGO_TEST --package claw-store --test it --",
        line: ("test ", " ... FAILED"),
        shows_all: true,
    },
    Finder {
        name: "checker",
        figure: "planted bugs that the checker finds",
        command: "CLAW_CHECKER_SEED=1 timeout 600 CARGO_TEST --package claw-store --test checker \
                  -- quick::memory_",
        line: ("violated: ", ""),
        shows_all: true,
    },
    Finder {
        name: "simulation",
        figure: "planted bugs found by the simulation within 20000 seeds",
        command: "SEEDS=20000 RUSTFLAGS=--cfg=tokio_unstable timeout 3600 CARGO_TEST --release \
                  --package claw-gateway --test simulation -- --exact simulation --nocapture",
        line: ("SEED=", ""),
        shows_all: false,
    },
];

impl Finder {
    fn command(&self, bug: &Bug) -> String {
        let command = self.command.replace("PACKAGE", bug.package());
        command.replace(
            "CARGO_TEST",
            "cargo test --locked --all-features --no-fail-fast",
        )
    }
}

/// Measures the bugs whose names contain one of `only`, by all finders or by one of them. Returns a
/// figure for each finder.
pub(crate) fn measure(only: &[String], found_by: Option<&str>) -> Result<Vec<Figure>> {
    let bugs = bug::read_all()?;
    let stage = Stage::copy(&bugs)?;
    let is_meant = |bug: &&Bug| only.is_empty() || only.iter().any(|part| bug.name.contains(part));
    let mut figures = Vec::new();
    for finder in FINDERS {
        let is_wanted = found_by.is_none_or(|name| name == finder.name);
        let meant = bugs.iter().filter(|bug| is_wanted && is_meant(bug));
        let with_words = meant.filter_map(|bug| Some((bug, bug.words(finder.name)?)));
        let chosen: Vec<_> = with_words.collect();
        if !chosen.is_empty() {
            figures.push(stage.measure(finder, &chosen)?);
        }
    }
    ensure!(!figures.is_empty(), "no planted bug is selected");
    Ok(figures)
}

/// The copy of the workspace in which tests are run.
struct Stage {
    copy: PathBuf,
    target: PathBuf,
}

impl Stage {
    /// Copies the workspace with all bugs.
    fn copy(bugs: &[Bug]) -> Result<Self> {
        let root = workspace_root();
        // Shared, so that dependencies are already compiled.
        let target = target_dir();
        let copy = target.join("mutants/workspace");
        fs::create_dir_all(&copy)?;
        fs::remove_dir_all(&copy)?;
        fs::create_dir(&copy)?;
        for entry in fs::read_dir(&root)? {
            let name = entry?.file_name();
            if name != "crates" && name != "target" && name != ".git" {
                std::os::unix::fs::symlink(root.join(&name), copy.join(&name))?;
            }
        }
        // Files keep their times, so that only those with bugs are compiled again.
        let mut cp = Command::new("cp");
        let copied = cp.arg("-a").args([&root.join("crates"), &copy]).status()?;
        ensure!(copied.success(), "cp cannot copy the crates");
        for (file, text) in bug::planted(bugs)? {
            fs::write(copy.join(file), text)?;
        }
        // No finder compiles all of them.
        let check = process::command("cargo")
            .args(["check", "--locked", "--workspace", "--all-features"])
            .current_dir(&copy)
            .env("CARGO_TARGET_DIR", &target)
            .status()?;
        ensure!(check.success(), "a planted bug does not compile");
        Ok(Self { copy, target })
    }

    /// Returns the figure of a finder.
    fn measure(&self, finder: &Finder, bugs: &[(&Bug, &str)]) -> Result<Figure> {
        let mut without: BTreeMap<String, String> = BTreeMap::new();
        for (bug, words) in bugs {
            *without.entry(finder.command(bug)).or_default() += words;
        }
        let mut left_out = Wrong::new();
        for (command, words) in without {
            let all = [("MOST_FAILED", "1000000")];
            left_out.extend(self.run(finder, &(command + &words), &all)?);
        }
        let are_seeds = left_out.is_empty() || finder.name == "simulation";
        ensure!(are_seeds, "without a bug, these fail: {left_out:?}");
        let seeds = left_out.iter().filter_map(|seed| seed.split(':').next());
        let skip = Vec::from_iter(seeds).join(",");
        let (mut rows, mut missed) = (Vec::new(), Vec::new());
        for (bug, words) in bugs {
            let name = bug.name.as_str();
            let on = [(SWITCH, name), ("MOST_FAILED", "1"), ("SKIP", &skip)];
            let run = self.run(finder, &(finder.command(bug) + words), &on);
            let printed = run.inspect_err(|error| eprintln!("{name}: {error:#}"));
            let wrong = printed.unwrap_or_default();
            let is_shown = |word: &str| !finder.shows_all || wrong.contains(word);
            if wrong.is_empty() || !words.split_whitespace().all(is_shown) {
                missed.push(format!("{name}: {}", bug.breaks));
            }
            let cell = Vec::from_iter(wrong).join(", ").replace('|', "/");
            eprintln!("{name}: {cell}");
            rows.push(format!("| {name} | {} | {cell} |", bug.breaks));
        }
        let found = format!("{} of {}", bugs.len() - missed.len(), bugs.len());
        let figure = Figure::new(finder.figure, "all")
            .measured(found, missed.is_empty())
            .list("not found", missed)
            .list("left out, because they fail without a bug", left_out)
            .note("|  | the bug | found by |")
            .note("|---|---|---|");
        let all_rows = rows.into_iter();
        Ok(all_rows.fold(figure, |figure, row| figure.note(row)))
    }

    /// Runs a command of a finder. Returns what is wrong.
    fn run(&self, finder: &Finder, command: &str, on: &[(&str, &str)]) -> Result<Wrong> {
        let run = process::command("env")
            .args(command.split(' '))
            .current_dir(&self.copy)
            .env("CARGO_TARGET_DIR", &self.target)
            .envs(on.iter().copied())
            .output()?;
        let bytes = [run.stdout, run.stderr].concat();
        let output = String::from_utf8_lossy(&bytes);
        let (lines, (begin, end)) = (output.lines(), finder.line);
        let named = lines.filter_map(|line| line.strip_prefix(begin)?.strip_suffix(end));
        let wrong: Wrong = named.map(str::to_owned).collect();
        // Otherwise something does not compile, hangs or crashes.
        let has_failed = !run.status.success();
        ensure!(has_failed != wrong.is_empty(), "{}: {output}", run.status);
        Ok(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bug_applies_once_and_names_what_finds_it() {
        let bugs = bug::read_all().unwrap();
        bug::planted(&bugs).unwrap();
        for bug in &bugs {
            assert!(
                !bug.breaks.is_empty() && !bug.found_by.is_empty(),
                "{bug:?}"
            );
            for line in &bug.found_by {
                let (name, words) = line.split_once(' ').unwrap_or((line, ""));
                assert!(FINDERS.iter().any(|finder| finder.name == name), "{bug:?}");
                assert_eq!(name == "simulation", words.is_empty(), "{bug:?}");
            }
        }
        for (name, least) in [
            ("tests", 100),
            ("contract", 12),
            ("checker", 12),
            ("simulation", 12),
        ] {
            let found = bugs.iter().filter(|bug| bug.words(name).is_some());
            assert!(found.count() >= least, "{name}");
        }
    }
}
