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

/// Checks each line of the files whose names are accepted. `findings` are those of earlier checks.
///
/// # Errors
/// Returns an error if there are findings.
pub(super) fn check_lines(
    is_checked: impl Fn(&str) -> bool,
    finding: impl Fn(&[u8]) -> Option<&'static str>,
    mut findings: Vec<String>,
) -> Result<()> {
    let mut checked = 0;
    for file in all()?.iter().filter(|file| is_checked(&file.name)) {
        let Some(bytes) = file.read()? else { continue };
        checked += 1;
        for (line, number) in bytes.split(|&byte| byte == b'\n').zip(1..) {
            let found = finding(line).map(|what| format!("{}:{number}: {what}", file.name));
            findings.extend(found);
        }
    }
    println!("{checked} files checked, {} findings", findings.len());
    ensure!(findings.is_empty(), "{}", findings.join("\n"));
    Ok(())
}
