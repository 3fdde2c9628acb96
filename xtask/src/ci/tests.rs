//! The job that runs the tests, and the environment of tests.

use std::path::Path;

use anyhow::{Context, Result};

use super::process::Cmd;
use super::tools;
use crate::build::ALL;
use crate::figure::{FIGURES, Figure};
use crate::packages;
use crate::prove::page;

/// Runs the tests of a push, and prints the figures that they recorded.
pub(super) fn run() -> Result<()> {
    nextest("ci")
}

/// Runs the tests of a profile in `.config/nextest.toml`, at small sizes, in one invocation.
pub(super) fn nextest(profile: &str) -> Result<()> {
    let figures = tempfile::tempdir()?;
    let ran = command(profile)?
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

/// The nextest command of a profile, with everything that tests start.
pub(crate) fn command(profile: &str) -> Result<Cmd> {
    tools::NEXTEST.ensure()?;
    tools::ensure_strace()?;
    tools::ensure_bubblewrap()?;
    Ok(Cmd::cargo()
        .args(["nextest", "run"])
        .args(ALL)
        .args(["--no-fail-fast", "--profile", profile])
        .envs(packages::environment()?))
}

/// Reads the figures of a group.
pub(crate) fn read(record: &Path) -> Result<Vec<Figure>> {
    let text = std::fs::read(record)?;
    serde_json::from_slice(&text).with_context(|| format!("{} is no record", record.display()))
}
