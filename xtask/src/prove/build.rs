//! Release builds of the programs that the proofs run.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::cli_package::workspace_root;

/// The environment variable by which CI asks for short builds.
pub(crate) const FAST: &str = "XTASK_FAST_BUILD";

/// A short build: link-time optimisation takes longer than everything that CI measures, and CI
/// measures no speed.
const FAST_SETTINGS: &[&str] = &[
    "profile.release.opt-level=1",
    "profile.release.lto='off'",
    "profile.release.codegen-units=16",
    "profile.release.debug=0",
    "profile.release.package.claw-testkit.opt-level=1",
    "profile.release.package.claw-testkit.codegen-units=16",
];

/// Builds what the arguments of cargo select, with the lock file of its workspace.
///
/// Every workspace is built in one target folder and shares what it has in common with the others.
/// Returns the folder of the programs.
pub(crate) fn release(what: &[&str]) -> Result<PathBuf> {
    let (root, target) = (workspace_root(), target_dir());
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--release", "--locked", "--quiet"]);
    if std::env::var_os(FAST).is_some() {
        cargo.args(
            FAST_SETTINGS
                .iter()
                .flat_map(|setting| ["--config", setting]),
        );
    }
    let status = cargo
        .args(what)
        .arg("--target-dir")
        .arg(&target)
        .current_dir(&root)
        .stdin(Stdio::null())
        .status()
        .context("cargo did not start")?;
    ensure!(
        status.success(),
        "{} does not build: {status}",
        what.join(" ")
    );
    Ok(target.join("release"))
}

/// The target folder of every build.
pub(crate) fn target_dir() -> PathBuf {
    let root = workspace_root();
    let folder = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    root.join(folder)
}
