//! The folder of recordings: one folder a scenario.

use std::path::Path;

use anyhow::{Context, Result};

use super::driver::Recording;
use crate::repository::{read, write as write_file};

/// Writes one recording, replacing an earlier one.
pub(super) fn write(folder: &Path, recording: &Recording) -> Result<()> {
    let target = folder.join(&recording.name);
    if target.exists() {
        std::fs::remove_dir_all(&target)?;
    }
    let meta = serde_json::to_string_pretty(recording)? + "\n";
    let lines = recording.stdout.iter().map(|line| format!("{line}\n"));
    write_file(&target.join("stdin.ndjson"), &recording.stdin)?;
    write_file(&target.join("stdout.ndjson"), lines.collect::<String>())?;
    write_file(&target.join("meta.json"), meta)?;
    for (path, bytes) in &recording.sessions {
        write_file(&target.join("sessions").join(path), bytes)?;
    }
    Ok(())
}

/// The stdout lines of a recording.
pub(super) fn stdout(folder: &Path, name: &str) -> Result<String> {
    let text = read(&folder.join(name).join("stdout.ndjson"));
    text.with_context(|| format!("run cargo xtask record {name}"))
}
