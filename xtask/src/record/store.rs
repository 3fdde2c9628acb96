//! The folder of recordings: one folder a scenario, and an index made from them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rusty_claw_protocol::messages::Message;
use serde::{Deserialize, Serialize};

use super::driver::Recording;
use super::neutral::Neutral;
use super::scenario::{Exit, Scenario};
use super::{files, frame};
use crate::cli_package::{CLI_VERSION, workspace_root};
use crate::prove::typed;
use crate::type_file;

/// What is known of a recording beside its lines.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Meta {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) cli_version: String,
    pub(super) argv: Vec<String>,
    pub(super) cwd: String,
    pub(super) env: BTreeMap<String, String>,
    /// The exit code; absent when a signal ended the process.
    pub(super) exit_code: Option<i32>,
    /// The signal that ended the process.
    pub(super) signal: Option<i32>,
    /// The first characters of stderr.
    pub(super) stderr: String,
    /// How many writes and lines followed each other: `in 1, out 4, eof`.
    pub(super) exchange: String,
}

#[derive(Serialize)]
struct Index {
    cli_version: &'static str,
    scenarios: usize,
    union_members: usize,
    seen: BTreeSet<String>,
    not_seen: Vec<String>,
    recordings: Vec<IndexEntry>,
}

#[derive(Serialize)]
struct IndexEntry {
    name: String,
    about: String,
    argv: Vec<String>,
    exit_code: Option<i32>,
    signal: Option<i32>,
    session_files: bool,
    frames: BTreeMap<String, usize>,
    union_members: BTreeSet<String>,
}

/// Writes one recording, replacing an earlier one.
pub(super) fn write(folder: &Path, scenario: &Scenario, recording: &Recording) -> Result<()> {
    let target = folder.join(&scenario.name);
    if target.exists() {
        std::fs::remove_dir_all(&target)?;
    }
    std::fs::create_dir_all(&target)
        .with_context(|| format!("cannot create {}", target.display()))?;
    std::fs::write(target.join("stdin.ndjson"), &recording.stdin)?;
    let mut stdout = recording.stdout.join("\n");
    if !stdout.is_empty() {
        stdout.push('\n');
    }
    std::fs::write(target.join("stdout.ndjson"), stdout)?;
    let (exit_code, signal) = match recording.exit {
        Exit::Code(code) => (Some(code), None),
        Exit::Signal(signal) => (None, Some(signal)),
    };
    let meta = Meta {
        name: scenario.name.clone(),
        about: scenario.about.clone(),
        cli_version: CLI_VERSION.to_owned(),
        argv: recording.args.clone(),
        cwd: scenario.cwd.clone(),
        env: recording.env.clone(),
        exit_code,
        signal,
        stderr: recording.stderr.clone(),
        exchange: exchange_text(&recording.exchange),
    };
    std::fs::write(
        target.join("meta.json"),
        serde_json::to_string_pretty(&meta)? + "\n",
    )?;
    for (path, bytes) in &recording.sessions {
        let path = target.join("sessions").join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, bytes)?;
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

/// The names of the recordings in a folder.
pub(super) fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(names);
    };
    for entry in entries {
        let entry = entry?;
        if entry.path().is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// The stdout lines of a recording.
pub(super) fn stdout(folder: &Path, name: &str) -> Result<String> {
    let path = folder.join(name).join("stdout.ndjson");
    std::fs::read_to_string(&path).with_context(|| {
        format!(
            "no recording at {}: run cargo xtask record {name}",
            path.display()
        )
    })
}

/// The files of a recording that the CLI wrote: stdout, and the session files that were kept.
pub(super) fn texts(folder: &Path, name: &str) -> Result<Vec<PathBuf>> {
    let mut found = vec![folder.join(name).join("stdout.ndjson")];
    let mut folders = vec![folder.join(name).join("sessions")];
    while let Some(folder) = folders.pop() {
        if !folder.is_dir() {
            continue;
        }
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Applies the current rules for cutting to a recording that was made with older rules.
///
/// Returns how many files changed; a second run changes none.
pub(super) fn renormalise(folder: &Path, scenario: &Scenario) -> Result<usize> {
    let neutral = Neutral::default().long_text(scenario.long_text);
    let mut changed = 0;
    for path in texts(folder, &scenario.name)? {
        let old =
            std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let new = if path.ends_with("stdout.ndjson") {
            let text = std::str::from_utf8(&old)
                .with_context(|| format!("{} is not UTF-8", path.display()))?;
            let lines = text.split('\n').map(|line| neutral.stdout_line(line));
            lines.collect::<Vec<_>>().join("\n").into_bytes()
        } else {
            files::neutral_lines(&old, &neutral)
        };
        if new != old {
            std::fs::write(&path, new)?;
            changed += 1;
        }
    }
    Ok(changed)
}

/// Writes `index.json` from the files in the folder, so that it is correct after a partial run too.
pub(super) fn write_index(folder: &Path) -> Result<PathBuf> {
    let model = type_file::pinned(&workspace_root())?;
    let union = typed::union_by_kind(&model, &type_file::samples::generate(&model)?)?;
    let member = |line: &str| {
        let message = Message::from_json(line).ok()?;
        union.get(&typed::kind_of_message(&message)).cloned()
    };
    let mut recordings = Vec::new();
    let mut seen = BTreeSet::new();
    for name in names(folder)? {
        let meta: Meta = serde_json::from_str(&std::fs::read_to_string(
            folder.join(&name).join("meta.json"),
        )?)?;
        let stdout = stdout(folder, &name)?;
        let mut frames = BTreeMap::new();
        for line in stdout.lines() {
            *frames.entry(frame::kind(line)).or_default() += 1;
        }
        let union_members: BTreeSet<String> = stdout.lines().filter_map(member).collect();
        seen.extend(union_members.iter().cloned());
        recordings.push(IndexEntry {
            session_files: folder.join(&name).join("sessions").is_dir(),
            name,
            about: meta.about,
            argv: meta.argv,
            exit_code: meta.exit_code,
            signal: meta.signal,
            frames,
            union_members,
        });
    }
    let names = model.messages.iter().map(|message| message.name.clone());
    let not_seen = names.filter(|name| !seen.contains(name)).collect();
    let index = Index {
        cli_version: CLI_VERSION,
        scenarios: recordings.len(),
        union_members: model.messages.len(),
        seen,
        not_seen,
        recordings,
    };
    let path = folder.join("index.json");
    std::fs::write(&path, serde_json::to_string_pretty(&index)? + "\n")?;
    Ok(path)
}
