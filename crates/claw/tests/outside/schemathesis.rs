//! Runs schemathesis, which makes requests from an OpenAPI document, against `claw serve`.

use std::path::{Path, PathBuf};
use std::process::Command;

use claw_testkit::figure::{Figure, quick};

use crate::gateway::{Home, Served};
use crate::{home, token};

const VERSION: &str = "4.32.5";
/// What each response is checked for.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_schema_conformance,missing_required_header,unsupported_method";

/// Left out: streams, which do not end, and the revocation of devices, which would end its own.
const EXCLUDED: &str = "/events$|/devices/";

/// Runs it with a token of each scope.
pub(crate) fn figure() -> Figure {
    let program = install();
    let home = home();
    let mut served = home.serve(&["--rate", "100000"]);
    let mut failed = Vec::new();
    let mut requests = 0;
    for scope in ["view", "answer", "drive", "admin"] {
        let (count, errors) = check(&home, &served, &program, scope);
        assert!(
            served.child.try_wait().unwrap().is_none(),
            "claw serve has ended"
        );
        requests += count;
        failed.extend(errors.map(|errors| format!("{scope}: {errors}")));
    }
    let name = format!("schemathesis {VERSION} with a token of each scope");
    let measured = format!("{} runs of 4 failed; {requests} requests", failed.len());
    Figure::new(name, "0 breaches, 0 server errors")
        .measured(measured, failed.is_empty() && requests > 1000)
        .note(format!(
            "Checks: `{CHECKS}`. Without the paths `{EXCLUDED}`."
        ))
        .list("failures", failed)
}

/// Installs it into the target folder.
fn install() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = target.join("schemathesis").join(VERSION);
    let program = folder.join("bin/schemathesis");
    if !program.is_file() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder));
        let package = format!("schemathesis=={VERSION}");
        run(Command::new(folder.join("bin/pip")).args(["install", "--quiet", &package]));
    }
    program
}

fn run(command: &mut Command) {
    let status = command.status().expect("python3 does not start");
    assert!(status.success(), "{command:?} failed: {status}");
}

/// Returns the number of requests, and what failed.
fn check(home: &Home, served: &Served, program: &Path, scope: &str) -> (u64, Option<String>) {
    let token = token(home, scope);
    let output = Command::new(program)
        .env_clear()
        .env("HOME", home.path("work"))
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .args(["run", &format!("http://{}/v1/openapi.json", served.address)])
        .args(["--header", &format!("Authorization: Bearer {token}")])
        .args(["--checks", CHECKS, "--exclude-path-regex", EXCLUDED])
        .args(["--max-examples", if quick() { "5" } else { "100" }])
        .args([
            "--phases",
            "examples,coverage,fuzzing",
            "--continue-on-failure",
        ])
        .args([
            "--generation-deterministic",
            "--request-timeout",
            "20",
            "--no-color",
        ])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let requests = text.lines().find_map(|line| {
        let (count, rest) = line.trim().split_once(' ')?;
        let count = count.parse().ok()?;
        rest.starts_with("generated").then_some(count)
    });
    let failed = (!output.status.success()).then(|| text.into_owned());
    (requests.unwrap_or(0), failed)
}
