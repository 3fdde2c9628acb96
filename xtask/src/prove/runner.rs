//! Builds and runs the tests and bench programs of a proof, and reads the figures they record.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use claw_testkit::figure::{FIGURES, QUICK};
use claw_testkit::real_cli::variables;
use tempfile::TempDir;

use super::build;
use super::figure::Figure;
use super::group::{Bench, Group};
use crate::ci::tools;
use crate::cli_package::{self, CliPackage, workspace_root};
use crate::nats_package;

/// The test binary that needs the CLI.
const REAL_CLI: &str = "real_cli";
/// The test binary that needs NATS servers.
const CHECKER: &str = "checker";
/// The test binaries share their dependencies with the CI job `test`, hence all features.
const TESTS: &[&str] = &[
    "nextest",
    "run",
    "--workspace",
    "--all-features",
    "--locked",
    "--profile",
    "real-cli",
    "--ignore-default-filter",
    "--test",
];
/// The packages whose tests start NATS servers.
const ON_SERVERS: [&str; 2] = ["claw", "claw-gateway"];
/// The program of `bench/` that starts NATS servers.
const BENCH_ON_SERVERS: &str = "store-bench";
/// How much of the output of a failed group its figure shows.
const TAIL: usize = 30;

/// Runs tests and bench programs that are built.
pub(crate) struct Runner {
    quick: bool,
    records: TempDir,
    cli: Option<CliPackage>,
    /// The environment variables that name the NATS servers.
    servers: Vec<nats_package::Server>,
}

impl Runner {
    /// Builds what the groups need, once.
    pub(crate) fn build<'a, I: 'a>(
        groups: impl Iterator<Item = &'a Group<I>>,
        quick: bool,
    ) -> Result<Self> {
        let (mut tests, mut benches) = (Vec::new(), Vec::new());
        let mut needs_servers = false;
        for group in groups {
            needs_servers |= match group {
                Group::Test(package) | Group::It(package, _) => ON_SERVERS.contains(package),
                Group::Bench(bench) => bench.program == BENCH_ON_SERVERS,
                _ => false,
            };
            match group {
                Group::Here(_) => {}
                Group::Test(_) => tests.push(REAL_CLI),
                Group::It(..) => tests.push("it"),
                Group::Checker(_) => tests.push(CHECKER),
                Group::Bench(bench) if benches.contains(bench) => {}
                Group::Bench(bench) => benches.push(bench),
            }
        }
        tests.sort_unstable();
        tests.dedup();
        for binary in &tests {
            tools::NEXTEST.ensure()?;
            let status = cargo(TESTS).args([binary, "--no-run"]).status()?;
            ensure!(status.success(), "the tests do not build: {status}");
        }
        for bench in &benches {
            let manifest = Path::new("bench").join(bench.workspace).join("Cargo.toml");
            let manifest = manifest.to_string_lossy();
            let features = bench.features.join(",");
            build::release(&["--manifest-path", &manifest, "--features", &features])?;
            if !bench.needs.is_empty() {
                build::release(bench.needs)?;
            }
        }
        if needs_servers {
            // The same tests isolate agents.
            tools::ensure_bubblewrap()?;
        }
        let needs_cli = tests.contains(&REAL_CLI) || !benches.is_empty();
        Ok(Self {
            quick,
            records: tempfile::tempdir()?,
            cli: needs_cli.then(cli_package::ensure).transpose()?,
            servers: match needs_servers || tests.contains(&CHECKER) {
                true => nats_package::ensure()?,
                false => Vec::new(),
            },
        })
    }

    /// Runs the test of a package on the real CLI that has the name of the group.
    pub(crate) fn test(&self, package: &str, group: &str) -> Result<Vec<Figure>> {
        self.nextest(REAL_CLI, package, &group.replace('-', "_"), group)
    }

    /// Runs a test in `tests/it` of a package.
    pub(crate) fn it(&self, package: &str, test: &str, group: &str) -> Result<Vec<Figure>> {
        self.nextest("it", package, test, group)
    }

    /// Runs a test in `tests/checker` of the store.
    pub(crate) fn checker(&self, test: &str, group: &str) -> Result<Vec<Figure>> {
        self.nextest(CHECKER, "claw-store", test, group)
    }

    fn nextest(&self, binary: &str, package: &str, test: &str, group: &str) -> Result<Vec<Figure>> {
        let filter = format!("package({package}) & test(={test})");
        self.recorded(cargo(TESTS).args([binary, "-E", &filter]), group)
    }

    /// Runs a program of `bench/` with the name of the group as its argument.
    pub(crate) fn bench(&self, bench: &Bench, group: &str) -> Result<Vec<Figure>> {
        let program = build::target_dir().join("release").join(bench.program);
        self.recorded(Command::new(program).arg(group), group)
    }

    /// Runs a command and reads the record that it writes. A command that fails must have recorded
    /// a figure that falls short.
    fn recorded(&self, command: &mut Command, group: &str) -> Result<Vec<Figure>> {
        let record = self.records.path().join(format!("{group}.json"));
        command.env(FIGURES, self.records.path()).env_remove(QUICK);
        command.envs(self.servers.iter().map(|(name, path)| (name, path)));
        if self.quick {
            command.env(QUICK, "1");
        }
        if let Some(cli) = &self.cli {
            command
                .env(variables::CLI, cli.binary())
                .env(variables::CLI_VERSION, cli_package::CLI_VERSION)
                .env(variables::SDK, cli.root())
                .env(variables::SDK_VERSION, cli_package::PACKAGE_VERSION)
                .env(variables::XTASK, std::env::current_exe()?);
        }
        let output = command
            .current_dir(workspace_root())
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("{command:?} did not start"))?;
        if let Ok(text) = std::fs::read(&record) {
            std::fs::remove_file(&record)?;
            let figures: Vec<Figure> = serde_json::from_slice(&text)
                .with_context(|| format!("the record of {group} cannot be read"))?;
            if output.status.success() || figures.iter().any(|figure| !figure.passed) {
                return Ok(figures);
            }
        }
        let status = output.status;
        let output = [output.stdout, output.stderr].concat();
        let lines: Vec<_> = output.split(|byte| *byte == b'\n').collect();
        let tail = lines[lines.len().saturating_sub(TAIL)..].join(&b'\n');
        let tail = String::from_utf8_lossy(&tail);
        bail!("no figures, or a failure behind them ({status}): {tail}");
    }
}

fn cargo(args: &[&str]) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.args(args).current_dir(workspace_root());
    cargo
}
