//! Session files for programs to read.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};

/// A home folder that holds session files, and a place for what programs keep for themselves.
pub(crate) struct Source {
    home: PathBuf,
    config: PathBuf,
    private: tempfile::TempDir,
}

/// A file, its length and when it was last written.
pub(crate) type Seen = (PathBuf, u64, SystemTime);

impl Source {
    /// A folder with a `.claude/projects` in it.
    pub(crate) fn at(home: &Path) -> Result<Self> {
        let config = home.join(".claude");
        anyhow::ensure!(
            config.join("projects").is_dir(),
            "{} holds no session files",
            home.display()
        );
        Ok(Self {
            home: home.to_owned(),
            config,
            private: tempfile::tempdir()?,
        })
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// The folder that the CLI would be configured with.
    pub(crate) fn config(&self) -> &Path {
        &self.config
    }

    /// For caches and settings of the programs.
    pub(crate) fn private(&self) -> &Path {
        self.private.path()
    }

    /// Every file below the configuration, in order. Links are not followed.
    pub(crate) fn files(&self) -> Result<Vec<Seen>> {
        files_below(&self.config)
    }

    /// The session files, in order.
    pub(crate) fn session_files(&self) -> Result<Vec<PathBuf>> {
        let files = self.files()?.into_iter().map(|(path, ..)| path);
        Ok(files
            .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
            .collect())
    }
}

/// Every file below a folder, in order. Links are not followed.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<Seen>> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<Seen>) -> Result<()> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&entry.path(), files)?;
        } else if kind.is_file() {
            let about = entry.metadata()?;
            files.push((entry.path(), about.len(), about.modified()?));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_files_are_found_in_order_and_other_files_are_seen() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Source::at(folder.path()).is_err());
        let project = folder.path().join(".claude/projects/-w");
        std::fs::create_dir_all(project.join("s/subagents")).unwrap();
        for name in ["b.jsonl", "a.jsonl", "s/subagents/c.jsonl", "s/x.txt"] {
            std::fs::write(project.join(name), "x").unwrap();
        }
        let source = Source::at(folder.path()).unwrap();
        let found = source.session_files().unwrap();
        let expected = ["a.jsonl", "b.jsonl", "s/subagents/c.jsonl"];
        assert_eq!(found, expected.map(|name| project.join(name)));
        assert_eq!(source.files().unwrap().len(), 4);
    }
}
