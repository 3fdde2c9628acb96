//! The official SDKs, at pinned versions.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};
use claw_bench::process::repository;
use claw_bench::sdk::run::Driver;
use claw_testkit::real_cli::real_cli;

/// A script in `peers/sdk` for the TypeScript SDK.
pub(super) fn typescript(script: &str) -> Driver {
    let package = real_cli().package;
    let sdk = package.join("node_modules/@anthropic-ai/claude-agent-sdk");
    Driver {
        name: "TypeScript",
        program: "node".into(),
        args: vec![repository("peers/sdk").join(script).into(), sdk.into()],
    }
}

/// A script in `peers/sdk` for the Python SDK.
pub(super) fn python(script: &str) -> Result<Driver> {
    Ok(Driver {
        name: "Python",
        program: installed()?,
        args: vec![repository("peers/sdk").join(script).into()],
    })
}

/// A Python that has the official SDK, installed if it is missing.
fn installed() -> Result<PathBuf> {
    // Everything the SDK needs, with versions and hashes.
    let requirements = repository("peers/sdk/requirements.txt");
    let wanted = std::fs::read_to_string(&requirements)?;
    let folder = repository("target/peers/python");
    let python = folder.join("bin/python");
    // Written last, so that an incomplete installation does not count.
    let note = folder.join("installed.txt");
    if std::fs::read_to_string(&note).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    eprintln!("installing the official Python SDK into target/peers");
    let install = "python3 -m venv --clear $0 && $0/bin/python -m pip install --quiet \
        --disable-pip-version-check --only-binary :all: --require-hashes -r $1";
    let mut command = Command::new("sh");
    command
        .args(["-c", install])
        .arg(&folder)
        .arg(&requirements);
    let status = command.status()?;
    ensure!(
        status.success(),
        "{command:?}: {status}: install Python 3.10 or newer"
    );
    std::fs::write(&note, wanted)?;
    Ok(python)
}
