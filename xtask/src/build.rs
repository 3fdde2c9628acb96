//! Builds of the workspace. All but [`measured`] select the whole workspace with all features, so
//! that tests, examples and programs share one build of everything.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use anyhow::Result;

use crate::ci::process::Cmd;
use crate::packages::{self, Variable};
use crate::place::target_dir;

/// The arguments that select everything.
pub(crate) const ALL: [&str; 3] = ["--workspace", "--all-features", "--locked"];

/// Builds programs of the workspace. Returns their folder.
pub(crate) fn programs(names: &[&str]) -> Result<PathBuf> {
    let names = names.iter().flat_map(|name| ["--bin", name]);
    build(&names.collect::<Vec<_>>())?;
    Ok(target_dir().join("debug"))
}

/// Builds all programs. Nextest builds only those of packages that have tests.
pub(crate) fn all_programs() -> Result<()> {
    build(&["--bins"])
}

fn build(targets: &[&str]) -> Result<()> {
    let build = Cmd::cargo().args(["build", "--quiet"]).args(ALL);
    // With an example, cargo turns on the features that dev-dependencies ask for. Without them it
    // would build half of the workspace again.
    build.args(targets).args(["--example", "decode"]).run()
}

/// Builds programs as they are measured: optimised, and with the features that users have. Returns
/// their folder.
pub(crate) fn measured(manifest: &str, packages: &[&str]) -> Result<PathBuf> {
    Cmd::cargo()
        .args([
            "build",
            "--quiet",
            "--locked",
            "--bins",
            "--profile",
            "measured",
        ])
        .args(["--manifest-path", manifest])
        .args([OsStr::new("--target-dir"), target_dir().as_os_str()])
        .args(packages.iter().flat_map(|name| ["--package", name]))
        .run()?;
    Ok(target_dir().join("measured"))
}

/// Runs a task of the program `proofs`.
pub(crate) fn proofs(task: &str, args: &[OsString]) -> Result<()> {
    proofs_with(&packages::environment()?, task, args)
}

pub(crate) fn proofs_with(environment: &[Variable], task: &str, args: &[OsString]) -> Result<()> {
    let program = programs(&["proofs"])?.join("proofs");
    let command = Cmd::new(program).arg(task).args(args);
    command.envs(environment.iter().cloned()).run()
}
