//! The figures of earlier runs, so that a long proof can be measured in parts.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::build;
use super::figure::Figure;
use crate::cli_package::workspace_root;

/// What the figures depend on.
const SOURCES: &[&str] = &["crates", "bench", "Cargo.lock"];

/// The records of an area, one file for each group.
pub(super) struct Measured {
    folder: PathBuf,
    /// The state of the sources. `None` if there are changes that are not committed.
    sources: Option<String>,
    /// Whether to use the records.
    resume: bool,
}

#[derive(Serialize, Deserialize)]
struct Record {
    sources: String,
    figures: Vec<Figure>,
}

impl Measured {
    /// `quick` figures are not kept.
    pub(super) fn of(page: &str, quick: bool, resume: bool) -> Self {
        let area = Path::new(page).file_stem().unwrap_or_default();
        Self {
            folder: build::target_dir().join("prove").join(area),
            sources: if quick { None } else { sources() },
            resume,
        }
    }

    /// Returns the figures of a group, if all of them reached their bars on these sources.
    pub(super) fn load(&self, group: &str) -> Option<Vec<Figure>> {
        let text = std::fs::read(self.file(group)).ok()?;
        let record: Record = serde_json::from_slice(&text).ok()?;
        let is_current = self.resume && Some(&record.sources) == self.sources.as_ref();
        let is_enough = record.figures.iter().all(|figure| figure.passed);
        (is_current && is_enough).then_some(record.figures)
    }

    pub(super) fn save(&self, group: &str, figures: &[Figure]) -> Result<()> {
        let Some(sources) = self.sources.clone() else {
            return Ok(());
        };
        let figures = figures.to_vec();
        let record = serde_json::to_vec_pretty(&Record { sources, figures })?;
        std::fs::create_dir_all(&self.folder)?;
        std::fs::write(self.file(group), record)
            .with_context(|| format!("cannot keep the figures of {group}"))
    }

    fn file(&self, group: &str) -> PathBuf {
        self.folder.join(format!("{group}.json"))
    }
}

/// Returns the ids of the committed sources, if they are those on the disk.
fn sources() -> Option<String> {
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        let output = git.args(args).current_dir(workspace_root()).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then_some(text)
    };
    let changes = git(&[&["status", "--porcelain", "--"], SOURCES].concat())?;
    let names: Vec<String> = SOURCES.iter().map(|path| format!("HEAD:{path}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let ids = git(&[&["rev-parse"], &names[..]].concat())?;
    changes.is_empty().then_some(ids)
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
    }
}
