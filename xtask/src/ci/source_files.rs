//! The files of the repository as git sees them.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use super::process::Cmd;
use crate::place::workspace_root;

/// One file.
#[derive(Debug)]
pub(crate) struct SourceFile {
    /// Relative to the workspace root, with `/`.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

impl SourceFile {
    /// The content, or nothing when the file is deleted but not yet committed so.
    pub(crate) fn read(&self) -> Result<Option<Vec<u8>>> {
        match std::fs::read(&self.path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", self.name)),
        }
    }
}

/// Tracked files and those that the next `git add` would track.
pub(crate) fn all() -> Result<Vec<SourceFile>> {
    let list = Cmd::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .text()?;
    let root = workspace_root();
    let files: Vec<SourceFile> = list
        .split_terminator('\0')
        .map(|name| SourceFile {
            name: name.to_owned(),
            path: root.join(name),
        })
        // A link's target is checked under its own name.
        .filter(|file| !file.path.is_symlink())
        .collect();
    ensure!(!files.is_empty(), "git lists no files: is this a clone?");
    Ok(files)
}
