//! Session files to measure with.

use std::fs;
use std::path::PathBuf;

use anyhow::Result;
use claw_testkit::corpus::{SessionCorpus, Truth};
use claw_testkit::figure::quick;
use claw_transcript::SessionLibrary;
use tempfile::TempDir;

use crate::process::repository;

/// A home folder that holds session files, and a place for what programs keep for themselves.
#[derive(Debug)]
pub struct Source {
    /// The home folder.
    pub home: PathBuf,
    /// For caches and settings of programs.
    pub private: TempDir,
}

impl Source {
    /// A folder with a `.claude/projects` in it.
    ///
    /// # Errors
    /// Returns an error if no temporary folder can be made.
    pub fn at(home: impl Into<PathBuf>) -> Result<Self> {
        Ok(Self {
            home: home.into(),
            private: tempfile::tempdir()?,
        })
    }

    /// The folder that the CLI would be configured with.
    pub fn config(&self) -> PathBuf {
        self.home.join(".claude")
    }

    /// The paths of all session files.
    ///
    /// # Errors
    /// Returns an error if a folder cannot be read.
    pub fn files(&self) -> Result<Vec<PathBuf>> {
        let files = SessionLibrary::open(self.config()).files()?;
        Ok(files.into_iter().map(|file| file.path).collect())
    }
}

/// Generated session files and their true totals.
#[derive(Debug)]
pub struct Corpus {
    /// The files.
    pub source: Source,
    /// The totals.
    pub truth: Truth,
}

impl Corpus {
    /// So many megabytes; 5 in a quick run.
    ///
    /// # Errors
    /// Returns an error if the files cannot be written.
    pub fn of_megabytes(megabytes: f64) -> Result<Self> {
        let megabytes = if quick() { 5.0 } else { megabytes };
        let name = format!("{megabytes}mb");
        Self::write(&name, SessionCorpus::of_megabytes(megabytes))
    }

    /// So many small sessions.
    ///
    /// # Errors
    /// Returns an error if the files cannot be written.
    pub fn of_sessions(sessions: u64) -> Result<Self> {
        let name = format!("{sessions}sessions");
        Self::write(&name, SessionCorpus::of_sessions(sessions))
    }

    /// Files that an earlier run left are not used: its generator may have been another.
    fn write(name: &str, corpus: SessionCorpus) -> Result<Self> {
        let home = repository("target/session-corpora").join(name);
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        let truth = corpus.seed(7).write(&home)?;
        let source = Source::at(home)?;
        Ok(Self { source, truth })
    }

    /// Its size, for notes.
    pub fn described(&self) -> String {
        let truth = &self.truth;
        format!(
            "{:.0} MB in {} files, {} lines, {} messages",
            truth.bytes as f64 / 1e6,
            truth.files,
            truth.lines,
            truth.unique_messages
        )
    }
}
