//! The SDKs that ours is compared with, at pinned versions.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use claw_testkit::real_cli::real_cli;

use crate::run::Driver;
use crate::{program, repository};

/// Everything the Python SDK needs, with versions and hashes.
const REQUIREMENTS: &str = "bench/sdk/peers/requirements.txt";

/// The drivers of the peers: the official SDKs and two crates.
pub(crate) fn drivers() -> Result<Vec<Driver>> {
    let scripts = repository("bench/sdk/peers");
    Ok(vec![
        Driver {
            name: "TypeScript",
            program: "node".into(),
            args: vec![scripts.join("faults.mjs").into(), typescript().into()],
        },
        Driver {
            name: "Python",
            program: python()?,
            args: vec![scripts.join("faults.py").into()],
        },
        Driver {
            name: "claude-wrapper",
            program: program("faults_wrapper")?,
            args: Vec::new(),
        },
        Driver {
            name: "claude-codes",
            program: program("faults_codes")?,
            args: Vec::new(),
        },
    ])
}

/// The folder of the official TypeScript SDK.
pub(crate) fn typescript() -> PathBuf {
    let package = real_cli().package;
    package.join("node_modules/@anthropic-ai/claude-agent-sdk")
}

/// A Python that has the official SDK, installed if it is missing.
pub(crate) fn python() -> Result<PathBuf> {
    let requirements = repository(REQUIREMENTS);
    let wanted = std::fs::read_to_string(&requirements)
        .with_context(|| format!("cannot read {REQUIREMENTS}"))?;
    let folder = repository("target/peers/python");
    let python = folder.join("bin/python");
    // Written last, so that an incomplete installation does not count.
    let note = folder.join("installed.txt");
    if std::fs::read_to_string(&note).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    eprintln!("installing the official Python SDK into target/peers");
    ran(Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(&folder))?;
    ran(Command::new(&python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args(["--only-binary", ":all:", "--require-hashes", "-r"])
        .arg(&requirements))?;
    std::fs::write(&note, wanted)?;
    Ok(python)
}

fn ran(command: &mut Command) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("{command:?} did not start: install Python 3.10 or newer"))?;
    ensure!(status.success(), "{command:?} failed: {status}");
    Ok(())
}
