//! The type files of the CLI package, as a model that Rust can read.
//!
//! A Node script makes the model with the TypeScript compiler; the model of the pinned version is
//! committed, so that samples can be made and checked on a machine without Node.

pub(crate) mod model;
pub(crate) mod samples;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::cli_package::{self, CliPackage};
use model::TypeModel;

/// Where the model of one package version is kept.
pub(crate) fn model_path(root: &Path, version: &str) -> PathBuf {
    root.join("testdata/types").join(format!("{version}.json"))
}

/// Reads the committed model of the pinned version.
pub(crate) fn pinned(root: &Path) -> Result<TypeModel> {
    parse(&pinned_text(root)?).context("the committed type model cannot be read")
}

/// Fails when the committed model is not what the script makes of the pinned package.
pub(crate) fn check_pinned(root: &Path, made: &str) -> Result<()> {
    ensure!(
        pinned_text(root)? == made,
        "{} is stale: run `cargo xtask drift --write-model`",
        model_path(root, cli_package::PACKAGE_VERSION).display()
    );
    Ok(())
}

fn pinned_text(root: &Path) -> Result<String> {
    let path = model_path(root, cli_package::PACKAGE_VERSION);
    std::fs::read_to_string(&path).with_context(|| {
        format!(
            "cannot read {}: `cargo xtask drift --write-model` makes it from the installed package",
            path.display()
        )
    })
}

/// Reads a model's text.
pub(crate) fn parse(text: &str) -> Result<TypeModel> {
    Ok(serde_json::from_str(text)?)
}

/// Makes the model of an installed package; the text is what gets committed.
pub(crate) fn dump(package: &CliPackage) -> Result<String> {
    let script = cli_package::workspace_root().join("xtask/src/type_file/dump.mjs");
    let output = Command::new("node")
        .arg(&script)
        .current_dir(package.root())
        .output()
        .context("node did not start: install Node.js 20 or newer")?;
    ensure!(
        output.status.success(),
        "the type files of {} could not be read ({}): the script {} must follow what changed in them\n{}",
        package.root().display(),
        output.status,
        script.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).context("the model is not UTF-8")
}
