//! Runs schemathesis, which makes requests from an OpenAPI document, against `claw serve`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use claw_testkit::figure::quick;

use super::build;
use super::figure::Figure;
use super::served::{Gateway, clean};

const VERSION: &str = "4.32.5";
/// What each response is checked for.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_schema_conformance,missing_required_header,unsupported_method";

/// Runs it with a token of each scope.
pub(crate) fn measure() -> Result<Vec<Figure>> {
    let program = install()?;
    let mut gateway = Gateway::start(&["--rate", "100000"])?;
    let mut failed = Vec::new();
    let mut requests = 0;
    for scope in ["view", "answer", "drive", "admin"] {
        let (count, errors) = check(&mut gateway, &program, scope)?;
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

/// Returns the number of requests, and what failed.
fn check(gateway: &mut Gateway, program: &Path, scope: &str) -> Result<(u64, Option<String>)> {
    let token = gateway.token(scope)?;
    let examples = if quick() { "5" } else { "100" };
    let output = clean(program, gateway.home())
        .args(["run", &format!("{}/v1/openapi.json", gateway.url)])
        .args([
            "--header",
            &format!("Authorization: Bearer {token}"),
            "--checks",
            CHECKS,
        ])
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
    ensure!(gateway.is_running()?, "claw serve has ended");
    let text = String::from_utf8_lossy(&output.stdout);
    let requests = text.lines().find_map(|line| {
        let (count, rest) = line.trim().split_once(' ')?;
        let is_total = rest.starts_with("generated");
        is_total.then(|| count.parse().ok())?
    });
    let failed = (!output.status.success()).then(|| text.into_owned());
    Ok((requests.unwrap_or(0), failed))
}
