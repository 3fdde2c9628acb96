//! Runs the contract suite on each store.

use std::process::Command;

use anyhow::Result;

use super::figure::Figure;
use crate::ci::tools;
use crate::cli_package::workspace_root;
use crate::nats_package;

/// How many tests the suite has.
const TESTS: usize = 43;

pub(super) fn memory(_: &()) -> Result<Vec<Figure>> {
    let figure = suite("it", "memory", "in memory", TESTS, &[])?;
    Ok(vec![figure.note(
        "Excused: 36, 37, 40 and 41, which need a disk; they pass as tests of that list.",
    )])
}

pub(super) fn sqlite(_: &()) -> Result<Vec<Figure>> {
    Ok(vec![suite("it", "sqlite", "on SQLite", TESTS, &[])?])
}

pub(super) fn one_server(_: &()) -> Result<Vec<Figure>> {
    let servers = nats_package::ensure()?;
    let name = "on JetStream 2.15.1, one server";
    let faults = "on JetStream: lost acknowledgements, a server that lags, new partitions";
    Ok(vec![
        suite("jetstream", "one", name, TESTS, &servers)?,
        suite(
            "jetstream",
            "(lost_acks|lagging|partitions)",
            faults,
            4,
            &servers,
        )?,
    ])
}

/// Debian's package is needed, so CI leaves this out.
pub(super) fn versions(_: &()) -> Result<Vec<Figure>> {
    let servers = nats_package::ensure_all()?;
    let name = "on JetStream: 2.9.10 is refused, 2.12.8 works, durability is what servers report";
    Ok(vec![suite("jetstream", "servers", name, 5, &servers)?])
}

pub(super) fn three_servers(_: &()) -> Result<Vec<Figure>> {
    let servers = nats_package::ensure()?;
    let name = "on JetStream 2.15.1, three servers";
    Ok(vec![suite("jetstream", "three", name, TESTS, &servers)?])
}

/// Runs the tests of a module. There must be at least so many.
fn suite(
    binary: &str,
    module: &str,
    name: &str,
    least: usize,
    servers: &[nats_package::Server],
) -> Result<Figure> {
    tools::NEXTEST.ensure()?;
    let filter = format!("package(claw-store) & test(/^{module}::/)");
    let mut cargo = Command::new("cargo");
    cargo
        .args([
            "nextest",
            "run",
            "--workspace",
            "--all-features",
            "--locked",
        ])
        .args(["--profile", "jetstream", "--ignore-default-filter"])
        .args(["--no-fail-fast", "--color", "never", "--test", binary])
        .args(["-E", &filter])
        .current_dir(workspace_root())
        .envs(servers.iter().map(|(name, path)| (name, path)));
    let output = cargo.output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let summary = text.lines().rev().find(|line| line.contains("tests run:"));
    let summary = summary.unwrap_or("no tests ran").trim().to_owned();
    let passed = summary
        .split_whitespace()
        .zip(summary.split_whitespace().skip(1))
        .find(|(_, word)| word.starts_with("passed"))
        .and_then(|(count, _)| count.parse::<usize>().ok())
        .unwrap_or(0);
    let failed = text
        .lines()
        .filter(|line| line.trim_start().starts_with("FAIL ") || line.contains("TIMEOUT"))
        .map(|line| line.trim().to_owned());
    let failed: Vec<String> = failed.collect();
    Ok(Figure::new(format!("contract suite {name}"), "all pass")
        .measured(
            format!("{passed} tests pass"),
            output.status.success() && passed >= least,
        )
        .list("failed", failed))
}
