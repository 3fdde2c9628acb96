//! Pinned packages of others that tests run: the CLI and nats-server.

pub(crate) mod cli;
pub(crate) mod nats;

use std::ffi::OsString;

use anyhow::Result;

use crate::place::target_dir;

/// An environment variable and its value.
pub(crate) type Variable = (&'static str, OsString);

/// The environment variables by which tests find what they run. Installs the packages.
pub(crate) fn environment() -> Result<Vec<Variable>> {
    with_cli(&cli::ensure()?)
}

/// The same with another release of the CLI.
pub(crate) fn with_cli(cli: &cli::CliPackage) -> Result<Vec<Variable>> {
    let programs = target_dir().join("debug");
    let mut all = cli.variables().to_vec();
    all.push(("CLAW_LAB", programs.join("proofs").into()));
    // Otherwise every test process would ask cargo to build it.
    all.push(("CLAW_FAKE_CLAUDE", programs.join("fake-claude").into()));
    all.push((nats::SERVER, nats::ensure()?.into()));
    Ok(all)
}
