//! Runs the contract suite on each store, and the suite of the gateway on JetStream.

use std::process::Command;

use anyhow::Result;

use super::figure::Figure;
use crate::ci::tools;
use crate::cli_package::workspace_root;
use crate::nats_package;

/// How many tests the suite has.
const TESTS: usize = 43;
/// How many tests the gateway has at least.
const GATEWAY: usize = 50;

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

/// The suite of the gateway on JetStream, and `claw serve` on it.
pub(super) fn gateway(_: &()) -> Result<Vec<Figure>> {
    let servers = nats_package::ensure()?;
    tools::ensure_bubblewrap()?;
    let only = [("CLAW_ON_JETSTREAM", "1")];
    // The recorded frames have the session numbers of a store in memory.
    let filter = "package(claw-gateway) & not test(/fixtures::/)";
    let suite = Run::new("it", filter, &servers, &only)?;
    let serve = Run::new("jetstream", "package(claw)", &servers, &only)?;
    Ok(vec![
        suite.figure("test suite of the gateway on one JetStream server", GATEWAY),
        serve.figure(
            "`claw serve` on one JetStream server: a session that survives a kill",
            1,
        ),
    ])
}

/// Runs the tests of a module. There must be at least so many.
fn suite(
    binary: &str,
    module: &str,
    name: &str,
    least: usize,
    servers: &[nats_package::Server],
) -> Result<Figure> {
    let filter = format!("package(claw-store) & test(/^{module}::/)");
    let run = Run::new(binary, &filter, servers, &[])?;
    Ok(run.figure(&format!("contract suite {name}"), least))
}

/// The results of some tests.
struct Run {
    passed: usize,
    is_success: bool,
    failed: Vec<String>,
}

impl Run {
    fn new(
        binary: &str,
        filter: &str,
        servers: &[nats_package::Server],
        variables: &[(&str, &str)],
    ) -> Result<Self> {
        tools::NEXTEST.ensure()?;
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
            .args(["-E", filter])
            .current_dir(workspace_root())
            .envs(variables.iter().copied())
            .envs(servers.iter().map(|(name, path)| (name, path)));
        let output = cargo.output()?;
        let text = String::from_utf8_lossy(&output.stderr);
        let summary = text.lines().rev().find(|line| line.contains("tests run:"));
        let words = summary.unwrap_or("no tests ran").split_whitespace();
        let passed = words
            .clone()
            .zip(words.skip(1))
            .find(|(_, word)| word.starts_with("passed"))
            .and_then(|(count, _)| count.parse::<usize>().ok())
            .unwrap_or(0);
        let failed = text
            .lines()
            .filter(|line| line.trim_start().starts_with("FAIL ") || line.contains("TIMEOUT"))
            .map(|line| line.trim().to_owned());
        Ok(Self {
            passed,
            is_success: output.status.success(),
            failed: failed.collect(),
        })
    }

    fn figure(self, name: &str, least: usize) -> Figure {
        Figure::new(name, "all pass")
            .measured(
                format!("{} tests pass", self.passed),
                self.is_success && self.passed >= least,
            )
            .list("failed", self.failed)
    }
}
