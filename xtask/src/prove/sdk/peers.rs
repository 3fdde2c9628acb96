//! The SDKs that ours is compared with, at pinned versions.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::faults::Driver;
use super::programs::Programs;
use crate::cli_package::{CliPackage, workspace_root};

/// Everything the Python SDK needs, with versions and hashes.
const REQUIREMENTS: &str = "bench/sdk/peers/requirements.txt";

/// The drivers of the peers: the official SDKs and two crates.
pub(super) fn drivers(cli: &CliPackage, programs: &Programs) -> Result<Vec<Driver>> {
    let scripts = workspace_root().join("bench/sdk/peers");
    let package = cli
        .root()
        .join("node_modules/@anthropic-ai/claude-agent-sdk");
    Ok(vec![
        Driver {
            name: "TypeScript",
            program: "node".into(),
            args: vec![scripts.join("faults.mjs").into(), package.into()],
        },
        Driver {
            name: "Python",
            program: python()?,
            args: vec![scripts.join("faults.py").into()],
        },
        Driver {
            name: "claude-wrapper",
            program: programs.bench("faults_wrapper"),
            args: Vec::new(),
        },
        Driver {
            name: "claude-codes",
            program: programs.bench("faults_codes"),
            args: Vec::new(),
        },
    ])
}

/// A Python that has the official SDK, made when it is not there.
pub(super) fn python() -> Result<PathBuf> {
    let root = workspace_root();
    let requirements = root.join(REQUIREMENTS);
    let wanted = std::fs::read_to_string(&requirements)
        .with_context(|| format!("cannot read {REQUIREMENTS}"))?;
    let folder = root.join("target/peers/python");
    let python = folder.join("bin/python");
    // What was installed is noted last, so a half made folder does not count.
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
