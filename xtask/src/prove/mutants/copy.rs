//! A copy of the workspace in which some files are replaced.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Updates the copy. Only the crates are copied; everything else is linked. Unchanged files keep
/// their time, so that they are not compiled again.
pub(super) fn workspace(
    root: &Path,
    copy: &Path,
    changed: &BTreeMap<PathBuf, String>,
) -> Result<()> {
    fs::create_dir_all(copy).with_context(|| format!("cannot create {}", copy.display()))?;
    for entry in fs::read_dir(root)? {
        let name = entry?.file_name();
        let there = copy.join(&name);
        if name == "crates" || name == "target" || name == ".git" || there.exists() {
            continue;
        }
        std::os::unix::fs::symlink(root.join(&name), there)?;
    }
    folder(root, copy, Path::new("crates"), changed)
}

fn folder(
    root: &Path,
    copy: &Path,
    path: &Path,
    changed: &BTreeMap<PathBuf, String>,
) -> Result<()> {
    fs::create_dir_all(copy.join(path))?;
    for entry in fs::read_dir(copy.join(path))? {
        let entry = entry?;
        if !root.join(path).join(entry.file_name()).exists() {
            match entry.file_type()?.is_dir() {
                true => fs::remove_dir_all(entry.path())?,
                false => fs::remove_file(entry.path())?,
            }
        }
    }
    for entry in fs::read_dir(root.join(path))? {
        let entry = entry?;
        let path = path.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            folder(root, copy, &path, changed)?;
            continue;
        }
        let wanted = match changed.get(&path) {
            Some(text) => text.clone().into_bytes(),
            None => fs::read(entry.path())?,
        };
        let there = copy.join(&path);
        if fs::read(&there).ok().as_ref() != Some(&wanted) {
            fs::write(there, wanted)?;
        }
    }
    Ok(())
}
