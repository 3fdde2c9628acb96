//! The folder of recordings: one folder a scenario.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use claw_testkit::recordings::pins;
use serde::Serialize;

use super::driver::Recording;
use super::scenario::{Exit, Scenario};
use crate::repository::write as write_file;

/// What is known of a recording beside its lines.
#[derive(Serialize)]
struct Meta<'a> {
    name: &'a str,
    about: &'a str,
    cli_version: String,
    argv: &'a [String],
    cwd: &'a str,
    env: &'a BTreeMap<String, String>,
    /// The exit code; absent when a signal ended the process.
    exit_code: Option<i32>,
    /// The signal that ended the process.
    signal: Option<i32>,
    /// The first characters of stderr.
    stderr: &'a str,
    /// How many writes and lines followed each other: `in 1, out 4, eof`.
    exchange: String,
}

/// Writes one recording, replacing an earlier one.
pub(super) fn write(folder: &Path, scenario: &Scenario, recording: &Recording) -> Result<()> {
    let target = folder.join(&scenario.name);
    if target.exists() {
        std::fs::remove_dir_all(&target)?;
    }
    let (exit_code, signal) = match recording.exit {
        Exit::Code(code) => (Some(code), None),
        Exit::Signal(signal) => (None, Some(signal)),
    };
    let meta = Meta {
        name: &scenario.name,
        about: &scenario.about,
        cli_version: pins().cli,
        argv: &recording.args,
        cwd: &scenario.cwd,
        env: &recording.env,
        exit_code,
        signal,
        stderr: &recording.stderr,
        exchange: exchange_text(&recording.exchange),
    };
    let meta = serde_json::to_string_pretty(&meta)? + "\n";
    let stdout: String = recording
        .stdout
        .iter()
        .map(|line| format!("{line}\n"))
        .collect();
    write_file(&target.join("stdin.ndjson"), &recording.stdin)?;
    write_file(&target.join("stdout.ndjson"), stdout)?;
    write_file(&target.join("meta.json"), meta)?;
    for (path, bytes) in &recording.sessions {
        write_file(&target.join("sessions").join(path), bytes)?;
    }
    Ok(())
}

fn exchange_text(runs: &[(&str, usize)]) -> String {
    let run = |(direction, count): &(&str, usize)| match *direction {
        "eof" => "eof".to_owned(),
        direction => format!("{direction} {count}"),
    };
    runs.iter().map(run).collect::<Vec<_>>().join(", ")
}

/// The stdout lines of a recording.
pub(super) fn stdout(folder: &Path, name: &str) -> Result<String> {
    let path = folder.join(name).join("stdout.ndjson");
    let text = std::fs::read_to_string(&path);
    text.with_context(|| {
        format!(
            "no recording at {}: run cargo xtask record {name}",
            path.display()
        )
    })
}
