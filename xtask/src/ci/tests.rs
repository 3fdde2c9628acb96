//! The job that runs the tests, and the environment of tests.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};

use super::process::Cmd;
use super::tools;
use crate::build::{self, ALL};
use crate::figure::{FIGURES, Figure};
use crate::packages;
use crate::place::workspace_root;
use crate::prove::page;

/// Runs the tests of a push, and prints the figures that they recorded.
pub(super) fn run() -> Result<()> {
    nextest("ci", None)
}

/// Runs the tests that unpushed changes can break: those of the changed crates and of their
/// dependents. Runs all tests if nothing has changed, or a file outside of `crates/`.
pub(super) fn run_changed() -> Result<()> {
    let git = |args: &[&str]| Cmd::new("git").args(args).text();
    // Without a remote, the change is what is not committed.
    let pushed = git(&["rev-parse", "--verify", "--quiet", "origin/main"]);
    let base = pushed.map_or("HEAD", |_| "origin/main");
    let changed = git(&["diff", "--name-only", "--no-renames", "--merge-base", base])?;
    let files = changed + &git(&["ls-files", "--others", "--exclude-standard"])?;
    let crates: BTreeSet<Option<&str>> = files.lines().map(package_of).collect();
    let crates: Option<Vec<&str>> = crates.into_iter().collect();
    match crates.as_deref() {
        None | Some([]) => run(),
        Some(crates) => {
            // Tests of xtask read the sources of all crates.
            let filters = crates.iter().map(|name| format!("rdeps(={name})"));
            let filters: Vec<String> = filters.chain(["package(xtask)".to_owned()]).collect();
            nextest("ci", Some(&filters.join(" | ")))
        }
    }
}

/// The package of a file in `crates/`. Any test may read the other files, so they have none.
fn package_of(file: &str) -> Option<&str> {
    let (name, _) = file.strip_prefix("crates/")?.split_once('/')?;
    let manifest = workspace_root().join(format!("crates/{name}/Cargo.toml"));
    manifest.is_file().then_some(name)
}

/// Runs the tests of a profile in `.config/nextest.toml`, at small sizes, in one invocation.
pub(super) fn nextest(profile: &str, filter: Option<&str>) -> Result<()> {
    let figures = tempfile::tempdir()?;
    let command = command(profile)?;
    // After the job `build`, this has nothing to compile.
    build::all_programs()?;
    let ran = command
        .args(filter.iter().flat_map(|filter| ["-E", filter]))
        .env(FIGURES, &figures.path().to_string_lossy())
        .run();
    let mut found: Vec<Figure> = Vec::new();
    for path in std::fs::read_dir(figures.path())? {
        found.extend(read(&path?.path())?);
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    println!("{}", page::table(&found));
    ran
}

/// The tests of a profile: a binary and a test on each line.
pub(crate) fn list(profile: &str) -> Result<String> {
    let list = Cmd::cargo().args(["nextest", "list"]).args(ALL);
    let list = list.args(["--profile", profile, "--message-format", "oneline"]);
    list.envs(packages::environment()?).text()
}

/// The nextest command of a profile. Installs the programs that tests start.
pub(crate) fn command(profile: &str) -> Result<Cmd> {
    tools::NEXTEST.ensure()?;
    tools::ensure_packages()?;
    Ok(Cmd::cargo()
        .args(["nextest", "run"])
        .args(ALL)
        .args(["--no-fail-fast", "--no-tests=fail", "--profile", profile])
        .envs(packages::environment()?))
}

/// Reads the figures of a group.
pub(crate) fn read(record: &Path) -> Result<Vec<Figure>> {
    let text = std::fs::read(record)?;
    serde_json::from_slice(&text).with_context(|| format!("{} is no record", record.display()))
}

#[cfg(test)]
mod tests_of_changes {
    use super::*;

    #[test]
    fn files_outside_of_crates_can_break_every_test() {
        assert_eq!(package_of("crates/claw-store/src/a.rs"), Some("claw-store"));
        assert_eq!(
            package_of("crates/claw-store/tests/it/a.rs"),
            Some("claw-store")
        );
        assert!(
            [
                "testdata/a",
                "Cargo.lock",
                "xtask/src/ci.rs",
                "crates/gone/a"
            ]
            .iter()
            .all(|file| package_of(file).is_none())
        );
    }
}
