//! Installs what the folders of `peers` pin.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use claw_bench::process::repository;

/// Runs the script `install.sh` of a folder of `peers` in one of the same name below `target/peers`,
/// if the script or one of these files has changed. Returns the latter folder.
pub(crate) fn ensure(name: &str, pins: &[&str]) -> Result<PathBuf> {
    let from = repository("peers").join(name);
    let folder = repository("target/peers").join(name);
    let mut wanted = String::new();
    for file in pins.iter().chain(&["install.sh"]) {
        let path = from.join(file);
        let text = fs::read_to_string(&path);
        wanted += &text.with_context(|| format!("cannot read {}", path.display()))?;
    }
    // Written last, so that an incomplete installation is repeated.
    let note = folder.join("installed.txt");
    if fs::read_to_string(&note).is_ok_and(|installed| installed == wanted) {
        return Ok(folder);
    }
    eprintln!("installing into {}", folder.display());
    fs::create_dir_all(&folder)?;
    let mut script = Command::new("sh");
    script.arg("-eu").arg(from.join("install.sh")).arg(&from);
    let output = script.current_dir(&folder).stdin(Stdio::null()).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{script:?}: {errors}");
    fs::write(note, wanted)?;
    Ok(folder)
}
