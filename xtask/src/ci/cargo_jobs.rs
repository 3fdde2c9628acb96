//! The jobs that are one command of cargo.

use anyhow::Result;

use super::process::Cmd;
use super::tools;

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

pub(crate) fn test() -> Result<()> {
    tools::NEXTEST.ensure()?;
    Cmd::cargo()
        .args([
            "nextest",
            "run",
            "--workspace",
            "--all-features",
            "--locked",
            "--profile",
            "ci",
        ])
        .run()
}

/// Doc tests have a runner of their own: nextest does not see them.
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

/// Licences, bans and sources. Advisories need a database from the network and would make an
/// unchanged commit fail one day, so they are not part of CI.
pub(crate) fn deny() -> Result<()> {
    tools::DENY.ensure()?;
    // Offline, cargo-deny reads the manifests of every locked package, on every platform.
    Cmd::cargo().args(["fetch", "--quiet", "--locked"]).run()?;
    Cmd::cargo()
        .args(["deny", "--offline", "check", "licenses", "bans", "sources"])
        .run()
}
