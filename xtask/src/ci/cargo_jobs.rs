//! The jobs that are one command of cargo.

use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::job::NotRun;
use super::process::Cmd;
use super::tools;
use crate::build::{self, ALL};

pub(super) fn fmt() -> Result<()> {
    Cmd::cargo().args(["fmt", "--all", "--check"]).run()?;
    // Workspaces of their own. `--all` would format the crates that they use again.
    ["fuzz/Cargo.toml", "peers/Cargo.toml"]
        .into_iter()
        .try_for_each(|manifest| {
            let fmt = Cmd::cargo().args(["fmt", "--check", "--manifest-path", manifest]);
            fmt.run()
        })
}

/// What users build, each with its default features.
const PRODUCTS: [&str; 3] = ["claw", "rusty_claw", "claw-store"];

/// Checks what users build. With `--deny warnings` in RUSTFLAGS, cargo would compile every
/// dependency again.
pub(super) fn defaults() -> Result<()> {
    for product in PRODUCTS {
        let check = Cmd::cargo().args(["check", "--locked", "--package", product]);
        let output = check.whole_output()?;
        let text = String::from_utf8_lossy(&output.stderr);
        let is_clean = output.status.success() && !text.contains("warning: ");
        ensure!(is_clean, "{product} with its default features: {text}");
    }
    Ok(())
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
    // In one command, so that all cores have something to do.
    Cmd::cargo()
        .args(["build", "--all-targets"])
        .args(ALL)
        .run()
}

pub(super) fn generated() -> Result<()> {
    build::proofs_with(&[], "codegen", &["--check".into()])
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
/// fetched, the job ends with [`NotRun`], except in the workflow, where it fails.
pub(super) fn advisories() -> Result<()> {
    tools::DENY.ensure()?;
    let fetch = Cmd::cargo().args(["deny", "fetch", "db"]);
    if let Err(error) = fetch.run_within(FETCH_TIME) {
        if std::env::var_os("GITHUB_ACTIONS").is_some() {
            return Err(error).context("cannot fetch the advisory database: run the job again");
        }
        let why = format!("no database ({error:#}); the workflow checks the dependencies");
        return Err(NotRun(why).into());
    }
    Cmd::cargo()
        .args(["deny", "--offline", "check", "advisories"])
        .run()
}
