//! Runs schemathesis, which makes requests from an OpenAPI document, against `claw serve`.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use claw_testkit::figure::quick;
use serde_json::Value;

use super::build;
use super::figure::Figure;

const VERSION: &str = "4.32.5";
/// What each response is checked for.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_schema_conformance,missing_required_header,unsupported_method";

/// Runs it with a token of each scope.
pub(crate) fn measure() -> Result<Vec<Figure>> {
    let program = install()?;
    let what = ["claw", "fake-claude"].map(|name| ["--bin", name]);
    let packages = ["--package", "claw", "--package", "claw-testkit"];
    let programs = build::release(&[&packages[..], &what.concat()[..]].concat())?;
    let home = tempfile::tempdir()?;
    let mut gateway = Gateway::start(&programs, home.path())?;
    let mut failed = Vec::new();
    let mut requests = 0;
    for scope in ["view", "answer", "drive", "admin"] {
        let (count, errors) = gateway.check(&program, scope)?;
        requests += count;
        failed.extend(errors.map(|errors| format!("{scope}: {errors}")));
    }
    let figure = Figure::new(
        format!("schemathesis {VERSION} with a token of each scope"),
        "0 breaches, 0 server errors",
    );
    let measured = format!("{} runs of 4 failed; {requests} requests", failed.len());
    let figure = figure.measured(measured, failed.is_empty() && requests > 1000);
    let checks = format!(
        "Checks: `{CHECKS}`. Left out: streams, which do \
                          not end, and the revocation of devices, which would end its own."
    );
    Ok(vec![figure.note(checks).list("failures", failed)])
}

/// Installs it into the target folder.
fn install() -> Result<PathBuf> {
    let folder = build::target_dir().join("schemathesis").join(VERSION);
    let program = folder.join("bin/schemathesis");
    if !program.is_file() {
        let mut create = Command::new("python3");
        run(create.args(["-m", "venv"]).arg(&folder))?;
        let mut install = Command::new(folder.join("bin/pip"));
        run(install.args(["install", "--quiet", &format!("schemathesis=={VERSION}")]))?;
    }
    Ok(program)
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.stdin(Stdio::null()).status();
    let status = status.with_context(|| format!("{command:?} does not start"))?;
    ensure!(status.success(), "{command:?} failed: {status}");
    Ok(())
}

/// A gateway with a stand-in for the CLI, in a home folder of its own.
struct Gateway<'a> {
    claw: PathBuf,
    home: &'a Path,
    child: Child,
    url: String,
}

impl<'a> Gateway<'a> {
    fn start(programs: &Path, home: &'a Path) -> Result<Self> {
        let claw = programs.join("claw");
        let mut command = Self::command(&claw, home);
        command
            .args([
                "serve",
                "--json",
                "--listen",
                "127.0.0.1:0",
                "--log",
                "error",
            ])
            .args(["--rate", "100000", "--claude"])
            .arg(programs.join("fake-claude"))
            .current_dir(home);
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        let stdout = child.stdout.take().context("claw serve has no output")?;
        BufReader::new(stdout).read_line(&mut line)?;
        let started: Value = serde_json::from_str(&line).context("claw serve did not start")?;
        let url = started["url"].as_str().context("no URL")?.to_owned();
        Ok(Self {
            claw,
            home,
            child,
            url,
        })
    }

    fn command(program: &Path, home: &Path) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.env_clear().env("HOME", home).env("PATH", path);
        command.stdin(Stdio::null());
        command
    }

    /// Returns the number of requests, and what failed.
    fn check(&mut self, program: &Path, scope: &str) -> Result<(u64, Option<String>)> {
        let added = Self::command(&self.claw, self.home)
            .args(["devices", "add", scope, "--scope", scope, "--json"])
            .output()?;
        let added: Value = serde_json::from_slice(&added.stdout).context("claw devices add")?;
        let token = added["token"].as_str().context("claw devices add")?;
        let examples = if quick() { "5" } else { "100" };
        let output = Self::command(program, self.home)
            .args([
                "run",
                &format!("{}/v1/openapi.json", self.url),
                "--checks",
                CHECKS,
            ])
            .args(["--header", &format!("Authorization: Bearer {token}")])
            .args([
                "--exclude-path-regex",
                "/events$|/devices/",
                "--generation-deterministic",
            ])
            .args([
                "--max-examples",
                examples,
                "--request-timeout",
                "20",
                "--no-color",
            ])
            .args([
                "--phases",
                "examples,coverage,fuzzing",
                "--continue-on-failure",
            ])
            .output()?;
        if let Some(status) = self.child.try_wait()? {
            bail!("claw serve has ended: {status}");
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let requests = text.lines().find_map(|line| {
            let (count, rest) = line.trim().split_once(' ')?;
            let is_total = rest.starts_with("generated");
            is_total.then(|| count.parse().ok())?
        });
        let failed = (!output.status.success()).then(|| text.into_owned());
        Ok((requests.unwrap_or(0), failed))
    }
}

impl Drop for Gateway<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
