//! The type files of the CLI package, as a model that Rust can read.
//!
//! A Node script makes the model with the TypeScript compiler; the model of the pinned version is
//! committed, so that samples can be made and checked on a machine without Node.

pub(crate) mod model;
pub(crate) mod samples;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use claw_testkit::recordings::pins;

use crate::repository::{read, root};
use model::TypeModel;

/// Where the model of one package version is kept.
pub(crate) fn path(version: &str) -> PathBuf {
    root()
        .join("testdata/types")
        .join(format!("{version}.json"))
}

/// Reads the committed model of the pinned version.
pub(crate) fn pinned() -> Result<TypeModel> {
    let text = read(&path(&pins().package));
    let text = text.context("there is no type model: run `cargo xtask drift --write-model`")?;
    parse(&text).context("the committed type model cannot be read")
}

/// Reads a model's text.
pub(crate) fn parse(text: &str) -> Result<TypeModel> {
    Ok(serde_json::from_str(text)?)
}

/// Makes the model of the package installed in a folder; the text is what gets committed.
pub(crate) fn dump(folder: &Path) -> Result<String> {
    let script = root().join("proofs/src/type_file/dump.mjs");
    let output = Command::new("node")
        .arg(&script)
        .current_dir(folder)
        .output();
    let output = output.context("node did not start: install Node.js 20 or newer")?;
    ensure!(
        output.status.success(),
        "the type files of {} could not be read ({}): the script {} must follow what changed in them\n{}",
        folder.display(),
        output.status,
        script.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).context("the model is not UTF-8")
}
