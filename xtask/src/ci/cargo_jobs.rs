//! The jobs that are one command of cargo.

use std::time::Duration;

use anyhow::{Context, Result};

use super::process::Cmd;
use super::tools;
use crate::build::{self, ALL};

pub(super) fn fmt() -> Result<()> {
    Cmd::cargo().args(["fmt", "--all", "--check"]).run()
}

pub(super) fn clippy() -> Result<()> {
    Cmd::cargo()
        .args(["clippy", "--all-targets"])
        .args(ALL)
        .args(["--", "--deny", "warnings"])
        .run()
}

/// Builds everything that other jobs run.
pub(super) fn build() -> Result<()> {
    tools::NEXTEST.ensure()?;
    Cmd::cargo().arg("build").args(ALL).arg("--bins").run()?;
    let tests = Cmd::cargo().args(["nextest", "run", "--no-run"]);
    tests.args(ALL).run()
}

pub(super) fn generated() -> Result<()> {
    build::proofs("codegen", &["--check".into()])
}

/// Nextest does not run doc tests.
pub(super) fn doctest() -> Result<()> {
    Cmd::cargo().args(["test", "--doc"]).args(ALL).run()
}

pub(super) fn docs() -> Result<()> {
    Cmd::cargo()
        .args(["doc", "--no-deps"])
        .args(ALL)
        .env("RUSTDOCFLAGS", "--deny warnings")
        .run()
}

/// Timeout for fetching the advisory database.
const FETCH_TIME: Duration = Duration::from_secs(120);

/// Licences, bans and sources.
pub(super) fn deny() -> Result<()> {
    tools::DENY.ensure()?;
    // Offline, cargo-deny reads the manifests of every locked package, on every platform.
    Cmd::cargo().args(["fetch", "--quiet", "--locked"]).run()?;
    Cmd::cargo()
        .args(["deny", "--offline", "check", "licenses", "bans", "sources"])
        .run()
}

/// Checks dependencies for known vulnerabilities. The database is a git repository. If it cannot be
/// fetched, the job passes and prints that the check was skipped, except in the workflow, where it
/// fails.
pub(super) fn advisories() -> Result<()> {
    tools::DENY.ensure()?;
    let fetch = Cmd::cargo().args(["deny", "fetch", "db"]);
    if let Err(error) = fetch.run_within(FETCH_TIME) {
        if std::env::var_os("GITHUB_ACTIONS").is_some() {
            return Err(error).context("cannot fetch the advisory database: run the job again");
        }
        println!("not run here: no database ({error:#}); the workflow checks the dependencies");
        return Ok(());
    }
    Cmd::cargo()
        .args(["deny", "--offline", "check", "advisories"])
        .run()
}
