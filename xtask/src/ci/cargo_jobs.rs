//! The jobs that are one command of cargo.

use std::time::Duration;

use anyhow::{Context, Result};

use super::process::Cmd;
use super::tools;
use crate::prove::build;

pub(crate) fn fmt() -> Result<()> {
    Cmd::cargo().args(["fmt", "--all", "--check"]).run()
}

pub(crate) fn clippy() -> Result<()> {
    Cmd::cargo()
        .args([
            "clippy",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--locked",
        ])
        .args(["--", "--deny", "warnings"])
        .run()
}

/// The programs in `bench/` that have tests.
const TESTED_BENCHES: [&str; 2] = ["bench/sdk/Cargo.toml", "bench/transcript/Cargo.toml"];

pub(crate) fn test() -> Result<()> {
    tools::NEXTEST.ensure()?;
    tools::ensure_strace()?;
    tools::ensure_bubblewrap()?;
    Cmd::cargo()
        .args(["nextest", "run", "--workspace", "--all-features"])
        .args(["--locked", "--profile", "ci"])
        .run()?;
    for manifest in TESTED_BENCHES {
        Cmd::cargo()
            .args(["test", "--locked", "--manifest-path", manifest])
            .args(["--target-dir".as_ref(), build::target_dir().as_path()])
            .run()?;
    }
    Ok(())
}

/// Builds the tests and the programs that they start. After the job `test`, nothing is left to do.
pub(crate) fn build_tests() -> Result<()> {
    tools::NEXTEST.ensure()?;
    Cmd::cargo()
        .args(["nextest", "run", "--workspace", "--all-features"])
        .args(["--locked", "--no-run"])
        .run()
}

/// Nextest does not run doc tests.
pub(crate) fn doctest() -> Result<()> {
    Cmd::cargo()
        .args(["test", "--doc", "--workspace", "--all-features", "--locked"])
        .run()
}

pub(crate) fn docs() -> Result<()> {
    Cmd::cargo()
        .args([
            "doc",
            "--workspace",
            "--no-deps",
            "--all-features",
            "--locked",
        ])
        .env("RUSTDOCFLAGS", "--deny warnings")
        .run()
}

/// Timeout for fetching the advisory database.
const FETCH_TIME: Duration = Duration::from_secs(120);

/// Licences, bans and sources.
pub(crate) fn deny() -> Result<()> {
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
pub(crate) fn advisories() -> Result<()> {
    tools::DENY.ensure()?;
    let fetch = Cmd::cargo().args(["deny", "fetch", "db"]);
    if let Err(error) = fetch.run_within(FETCH_TIME) {
        if std::env::var_os("GITHUB_ACTIONS").is_some() {
            return Err(error).context("cannot fetch the advisory database: run the job again");
        }
        println!(
            "SKIPPED: the advisory database cannot be fetched here ({error:#}), so dependencies \
             were not checked for known vulnerabilities; the workflow checks them"
        );
        return Ok(());
    }
    Cmd::cargo()
        .args(["deny", "--offline", "check", "advisories"])
        .run()
}
