//! Generated session files with known totals.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow, ensure};
use serde::Deserialize;

use crate::source::Source;
use crate::totals::Totals;
use crate::{program, workspace_root};

/// Megabytes.
const MEDIUM: &[&str] = &["--mb", "200"];
const LARGE: &[&str] = &["--mb", "1000"];
/// Small ones.
const MANY_SESSIONS: &[&str] = &["--sessions", "10000"];
const SEED: &str = "7";
/// Written last, with what made the files, so that neither a half made nor an old corpus counts.
const NOTE: &str = "made-by.txt";

/// Session files and their true totals.
pub(crate) struct Corpus {
    pub(crate) source: Source,
    pub(crate) truth: Truth,
}

/// The totals that the generator reports.
#[derive(Debug, PartialEq)]
pub(crate) struct Truth {
    pub(crate) totals: Totals,
    pub(crate) messages: u64,
    pub(crate) lines: u64,
    pub(crate) files: u64,
    pub(crate) sessions: u64,
    pub(crate) bytes: u64,
}

/// The corpora, each made when it is first asked for.
pub(crate) struct Corpora {
    folder: PathBuf,
    medium: OnceCell<Result<Corpus, String>>,
    large: OnceCell<Result<Corpus, String>>,
    many_sessions: OnceCell<Result<Corpus, String>>,
}

impl Corpora {
    pub(crate) fn new() -> Self {
        Self {
            folder: workspace_root().join("target/session-corpora"),
            medium: OnceCell::new(),
            large: OnceCell::new(),
            many_sessions: OnceCell::new(),
        }
    }

    /// 200 MB.
    pub(crate) fn medium(&self) -> Result<&Corpus> {
        get(&self.medium, || made(&self.folder, MEDIUM))
    }

    /// 1 GB, or 200 MB for a quick run.
    pub(crate) fn largest(&self, quick: bool) -> Result<&Corpus> {
        if quick {
            return self.medium();
        }
        get(&self.large, || made(&self.folder, LARGE))
    }

    /// Ten thousand small sessions.
    pub(crate) fn many_sessions(&self) -> Result<&Corpus> {
        get(&self.many_sessions, || made(&self.folder, MANY_SESSIONS))
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
fn made(folder: &Path, size: &[&str]) -> Result<Corpus> {
    let generator = generator()?;
    let mut hasher = DefaultHasher::new();
    std::fs::read(&generator)?.hash(&mut hasher);
    let note = format!("{:016x}", hasher.finish());
    let home = folder.join(size.concat().trim_start_matches('-'));
    if !std::fs::read_to_string(home.join(NOTE)).is_ok_and(|made| made == note) {
        eprintln!("making session files: {}", size.join(" "));
        if home.exists() {
            std::fs::remove_dir_all(&home)?;
        }
        let status = Command::new(&generator)
            .arg("sessions")
            .arg(&home)
            .args(size)
            .args(["--seed", SEED])
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

/// The program that makes them.
pub(crate) fn generator() -> Result<PathBuf> {
    program("session-corpus")
}

fn read_truth(text: &[u8]) -> Result<Truth> {
    let written: Written = serde_json::from_slice(text).context("truth.json is not as expected")?;
    let mut totals = Totals {
        cost: Some(written.total_cost),
        ..Totals::default()
    };
    for tokens in written.tokens.values() {
        totals.input += tokens.input;
        totals.output += tokens.output;
        totals.cache_write += tokens.cache_5m + tokens.cache_1h;
        totals.cache_read += tokens.cache_read;
    }
    Ok(Truth {
        totals,
        messages: written.unique_messages,
        lines: written.lines,
        files: written.files,
        sessions: written.main_files,
        bytes: written.bytes,
    })
}

/// The members of `truth.json` that are read.
#[derive(Deserialize)]
struct Written {
    bytes: u64,
    lines: u64,
    files: u64,
    main_files: u64,
    unique_messages: u64,
    tokens: BTreeMap<String, Tokens>,
    total_cost: f64,
}

/// Tokens of a model.
#[derive(Deserialize)]
struct Tokens {
    input: u64,
    output: u64,
    cache_5m: u64,
    cache_1h: u64,
    cache_read: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_generator_writes_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let corpus = claw_testkit::corpus::SessionCorpus::of_sessions(3);
        let written = corpus.write(folder.path()).unwrap();
        let text = std::fs::read(folder.path().join("truth.json")).unwrap();
        let truth = read_truth(&text).unwrap();
        assert_eq!(truth.sessions, 3);
        assert_eq!(truth.bytes, written.bytes);
        assert_eq!(truth.messages, written.unique_messages);
        assert_eq!(truth.totals.cost, Some(written.total_cost));
        let output: u64 = written.tokens.values().map(|tokens| tokens.output).sum();
        assert_eq!(truth.totals.output, output);
        assert!(read_truth(b"{}").is_err());
    }
}
