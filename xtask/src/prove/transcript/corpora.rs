//! Generated session files with known totals.

use std::cell::OnceCell;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow, ensure};
use serde_json::Value;

use super::source::Source;
use super::totals::{Totals, count};
use crate::cli_package::workspace_root;

const MEDIUM: u64 = 200;
const LARGE: u64 = 1000;
const SEED: &str = "7";
/// Written last, with what made the files, so that neither a half made nor an old corpus counts.
const NOTE: &str = "made-by.txt";

/// Session files and what is true of them.
pub(super) struct Corpus {
    pub(super) source: Source,
    pub(super) truth: Truth,
}

/// What the generator says of its files.
#[derive(Debug, PartialEq)]
pub(super) struct Truth {
    pub(super) totals: Totals,
    pub(super) messages: u64,
    pub(super) lines: u64,
    pub(super) files: u64,
    pub(super) bytes: u64,
}

/// The corpora, each made when it is first asked for.
pub(super) struct Corpora {
    folder: PathBuf,
    medium: OnceCell<Result<Corpus, String>>,
    large: OnceCell<Result<Corpus, String>>,
}

impl Corpora {
    pub(super) fn new() -> Result<Self> {
        Ok(Self {
            folder: workspace_root().join("target/session-corpora"),
            medium: OnceCell::new(),
            large: OnceCell::new(),
        })
    }

    /// 200 MB.
    pub(super) fn medium(&self) -> Result<&Corpus> {
        get(&self.medium, || made(&self.folder, MEDIUM))
    }

    /// 1 GB, or 200 MB for a quick run.
    pub(super) fn largest(&self, quick: bool) -> Result<&Corpus> {
        if quick {
            return self.medium();
        }
        get(&self.large, || made(&self.folder, LARGE))
    }
}

fn get(
    cell: &OnceCell<Result<Corpus, String>>,
    make: impl FnOnce() -> Result<Corpus>,
) -> Result<&Corpus> {
    cell.get_or_init(|| make().map_err(|error| format!("{error:#}")))
        .as_ref()
        .map_err(|error| anyhow!("{error}"))
}

/// Makes a corpus, unless this very generator has made it before.
fn made(folder: &Path, megabytes: u64) -> Result<Corpus> {
    let generator = build()?;
    let mut hasher = DefaultHasher::new();
    std::fs::read(&generator)?.hash(&mut hasher);
    let note = format!("{:016x}", hasher.finish());
    let home = folder.join(format!("{megabytes}-mb"));
    if !std::fs::read_to_string(home.join(NOTE)).is_ok_and(|made| made == note) {
        eprintln!("making {megabytes} MB of session files");
        if home.exists() {
            std::fs::remove_dir_all(&home)?;
        }
        let status = Command::new(&generator)
            .arg("sessions")
            .arg(&home)
            .args(["--mb", &megabytes.to_string(), "--seed", SEED])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .context("session-corpus did not start")?;
        ensure!(status.success(), "session-corpus failed: {status}");
        // Pages that are still to be written would be written while we measure.
        Command::new("sync")
            .status()
            .context("sync did not start")?;
        std::fs::write(home.join(NOTE), note)?;
    }
    let truth = std::fs::read(home.join("truth.json"))
        .with_context(|| format!("{} has no truth.json", home.display()))?;
    Ok(Corpus {
        source: Source::at(&home)?,
        truth: read_truth(&truth)?,
    })
}

fn build() -> Result<PathBuf> {
    let root = workspace_root();
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root.join("target"), |folder| root.join(folder));
    let status = Command::new("cargo")
        .args(["build", "--release", "--locked", "--quiet"])
        .args(["-p", "claw-testkit", "--bin", "session-corpus"])
        .arg("--target-dir")
        .arg(&target)
        .current_dir(&root)
        .stdin(Stdio::null())
        .status()
        .context("cargo did not start")?;
    ensure!(status.success(), "session-corpus does not build: {status}");
    Ok(target.join("release/session-corpus"))
}

fn read_truth(text: &[u8]) -> Result<Truth> {
    let truth: Value = serde_json::from_slice(text).context("truth.json is not JSON")?;
    let tokens = truth
        .get("tokens")
        .and_then(Value::as_object)
        .context("truth.json has no tokens")?;
    let mut totals = Totals {
        cost: truth.get("total_cost").and_then(Value::as_f64),
        ..Totals::default()
    };
    for counts in tokens.values() {
        // In, out, written for five minutes and for an hour, read.
        let counts: Vec<u64> = counts
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_u64)
            .collect();
        let [input, output, five_minutes, hour, read] = counts[..] else {
            anyhow::bail!("truth.json does not have five counts for each model");
        };
        totals.input += input;
        totals.output += output;
        totals.cache_write += five_minutes + hour;
        totals.cache_read += read;
    }
    ensure!(totals.cost.is_some(), "truth.json has no total_cost");
    Ok(Truth {
        totals,
        messages: count(&truth, "unique_messages")?,
        lines: count(&truth, "lines")?,
        files: count(&truth, "files")?,
        bytes: count(&truth, "bytes")?,
    })
}
