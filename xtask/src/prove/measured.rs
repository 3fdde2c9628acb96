//! The figures of earlier runs, so that a long proof can be measured in parts.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::area::Args;
use crate::ci::process::Cmd;
use crate::figure::Figure;
use crate::place::target_dir;

/// What the figures depend on: everything but what a proof or a job writes.
const SOURCES: &[&str] = &[".", ":!docs/proof", ":!docs/SUMMARY.md", ":!.ci/guarded"];

/// The records of an area, one file for each group.
pub(super) struct Measured {
    folder: PathBuf,
    /// The state of the sources. `None` if there are changes that are not committed.
    sources: Option<String>,
    /// Whether to use the records of these sources whose figures reached their bars.
    resume: bool,
    /// Whether to use all records.
    keep: bool,
}

#[derive(Serialize, Deserialize)]
struct Record {
    sources: String,
    commit: String,
    figures: Vec<Figure>,
}

impl Measured {
    /// Figures at small sizes, or of some bugs only, are not recorded.
    pub(super) fn of(args: &Args) -> Result<Self> {
        Ok(Self {
            folder: target_dir().join("prove").join(&args.area),
            sources: if args.quick || !args.bugs.is_empty() {
                None
            } else {
                sources()?
            },
            resume: args.resume,
            keep: args.keep,
        })
    }

    /// Returns the recorded figures of a group, if they may be used.
    pub(super) fn load(&self, group: &str) -> Option<Vec<Figure>> {
        let text = std::fs::read(self.file(group)).ok()?;
        let Record {
            sources,
            commit,
            figures,
        } = serde_json::from_slice(&text).ok()?;
        let is_current = Some(&sources) == self.sources.as_ref();
        let is_enough = is_current && figures.iter().all(|figure| figure.passed);
        let noted = figures
            .into_iter()
            .map(|figure| figure.note(format!("measured at {commit}")));
        (self.keep || self.resume && is_enough).then(|| noted.collect())
    }

    pub(super) fn save(&self, group: &str, figures: &[Figure]) -> Result<()> {
        let Some(sources) = self.sources.clone() else {
            return Ok(());
        };
        let record = Record {
            sources,
            commit: commit()?,
            figures: figures.to_vec(),
        };
        let record = serde_json::to_vec_pretty(&record)?;
        std::fs::create_dir_all(&self.folder)?;
        std::fs::write(self.file(group), record)
            .with_context(|| format!("cannot keep the figures of {group}"))
    }

    fn file(&self, group: &str) -> PathBuf {
        self.folder.join(format!("{group}.json"))
    }
}

/// Returns an id of the committed sources, if they are those on the disk.
fn sources() -> Result<Option<String>> {
    let changes = Cmd::new("git")
        .args(["status", "--porcelain", "--"])
        .args(SOURCES)
        .text()?;
    let list = ["ls-files", "--stage", "--"];
    let files = Cmd::new("git").args(list).args(SOURCES).text()?;
    let id = Cmd::new("git").args(["hash-object", "--stdin"]);
    let id = id.input(files)?;
    Ok(changes.is_empty().then_some(id))
}

/// The commit that is measured.
pub(super) fn commit() -> Result<String> {
    let commit = Cmd::new("git")
        .args(["rev-parse", "--short=8", "HEAD"])
        .text()?;
    let changes = Cmd::new("git")
        .args(["status", "--porcelain", "--"])
        .args(SOURCES)
        .text()?;
    let behind = if changes.is_empty() {
        ""
    } else {
        " with changes"
    };
    Ok(format!("{}{behind}", commit.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_figures_of_the_same_sources_that_passed_are_used_again() {
        let dir = tempfile::tempdir().unwrap();
        let mut measured = Measured {
            folder: dir.path().to_owned(),
            sources: Some("one".to_owned()),
            resume: true,
            keep: false,
        };
        let figure = |passed| vec![Figure::new("a", "b").measured("c", passed)];
        measured.save("good", &figure(true)).unwrap();
        measured.save("short", &figure(false)).unwrap();
        assert_eq!(measured.load("good").unwrap().len(), 1);
        assert!(measured.load("short").is_none());
        assert!(measured.load("other").is_none());
        measured.resume = false;
        assert!(measured.load("good").is_none());
        measured.resume = true;
        measured.sources = Some("two".to_owned());
        assert!(measured.load("good").is_none());
        measured.sources = None;
        assert!(measured.load("good").is_none());
        measured.keep = true;
        let kept = measured.load("short").unwrap();
        assert!(kept[0].notes[0].starts_with("measured at "));
        assert!(measured.load("other").is_none());
    }
}
