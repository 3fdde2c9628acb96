//! Reads the session's folder, for words whose meaning depends on its files.
//!
//! If the folder is not known or cannot be read, every answer is the cautious one.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::super::path::{PlainPath, Surroundings};
use super::super::protected::is_protected;

/// The maximum number of files and folders to visit; larger folders are not checked.
const LARGEST: usize = 20_000;

/// Returns whether a path is in the session's folder after links are resolved, and is not
/// protected.
pub(super) fn may_write(path: &str, around: &Surroundings) -> bool {
    let is_absolute = path.starts_with('/');
    if path.is_empty() || path.starts_with('~') || !is_absolute && is_protected(path) {
        return false;
    }
    let Some(folder) = around.folder() else {
        return !is_absolute && !path.split('/').any(|name| name == "..");
    };
    let is_inside = |path: &PlainPath, folder: &PlainPath| {
        let below = path.names().strip_prefix(folder.names());
        below.is_some_and(|below| !is_protected(&below.join("/")))
    };
    let (Ok(path), Ok(here)) = (around.readings(path), around.readings(".")) else {
        return false;
    };
    let real = path.real.zip(here.real);
    is_inside(&path.text, folder) && real.is_some_and(|(path, here)| is_inside(&path, &here))
}

/// Returns whether a file or folder of this name exists, or may exist.
pub(super) fn may_exist(name: &str, around: &Surroundings) -> bool {
    let there = place(name, around);
    there.is_none_or(|there| !matches!(there.try_exists(), Ok(false)) || there.is_symlink())
}

/// Returns whether one of these paths is, lies in or holds a repository other than the session's
/// own, or may. Git runs programs that the settings of such a repository name. The limit is for all
/// paths together.
pub(super) fn may_hold_repository(paths: &[&str], around: &Surroundings) -> bool {
    let top = around.folder().map(|it| PathBuf::from(it.to_text()));
    let starts: Option<Vec<_>> = paths.iter().map(|path| place(path, around)).collect();
    let Some((top, mut left)) = top.filter(|top| top.is_dir()).zip(starts) else {
        return true;
    };
    // If the session's folder is part of a repository, the whole repository can be added.
    let root = top.ancestors().find(|folder| folder.join(".git").exists());
    let root = root.unwrap_or(&top);
    for start in left.iter_mut().filter(|start| **start == top) {
        root.clone_into(start);
    }
    if left.iter().any(|start| leads_into_repository(start, root)) {
        return true;
    }
    let ignored = Ignored::read(root);
    let mut seen = 0;
    while let Some(folder) = left.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            // A file, or a missing path.
            if folder.is_dir() {
                return true;
            }
            continue;
        };
        for entry in entries {
            seen += 1;
            let Ok((name, kind)) = entry.and_then(|e| Ok((e.file_name(), e.file_type()?))) else {
                return true;
            };
            if name.eq_ignore_ascii_case(".git") {
                if folder != root {
                    return true;
                }
            } else if kind.is_dir() && !ignored.contains(name.to_str(), folder == root) {
                left.push(folder.join(name));
            }
        }
        if seen > LARGEST {
            return true;
        }
    }
    false
}

/// Returns whether a folder below the session's own is in another repository, or may be.
pub(super) fn may_be_in_repository(path: &str, around: &Surroundings) -> bool {
    let top = around
        .folder()
        .map(|folder| PathBuf::from(folder.to_text()));
    let there = top.zip(place(path, around));
    there.is_some_and(|(top, there)| leads_into_repository(&there, &top))
}

fn leads_into_repository(path: &Path, root: &Path) -> bool {
    let is_bare = |folder: &Path| {
        ["HEAD", "objects", "refs"]
            .iter()
            .all(|n| folder.join(n).exists())
    };
    let mut folders = path.ancestors().take_while(|folder| *folder != root);
    folders.any(|folder| folder.join(".git").exists() || is_bare(folder))
}

/// The location of a path by its text; `None` if it is outside the folder.
fn place(path: &str, around: &Surroundings) -> Option<PathBuf> {
    let folder = around.folder()?;
    let text = around.readings(path).ok()?.text;
    let inside = text.names().starts_with(folder.names());
    inside.then(|| PathBuf::from(text.to_text()))
}

/// Folder names that git ignores: lines of `.gitignore` that are plain names. Empty if the file has
/// exceptions.
struct Ignored {
    anywhere: HashSet<String>,
    at_top: HashSet<String>,
}

impl Ignored {
    fn read(root: &Path) -> Self {
        let text = fs::read_to_string(root.join(".gitignore")).unwrap_or_default();
        let lines = || text.lines().map(str::trim_end);
        let plain = lines().all(|line| !line.starts_with('!'));
        let names = |top: bool| {
            lines()
                .filter(|_| plain)
                .map(|line| line.trim_end_matches('/'))
                .filter_map(|line| match line.strip_prefix('/') {
                    Some(name) => top.then_some(name),
                    None => (!top).then_some(line),
                })
                .filter(|name| !name.contains(['/', '*', '?', '[', '\\', '#']))
                .map(str::to_owned)
                .collect()
        };
        Self {
            anywhere: names(false),
            at_top: names(true),
        }
    }

    fn contains(&self, name: Option<&str>, at_top: bool) -> bool {
        name.is_some_and(|name| {
            self.anywhere.contains(name) || at_top && self.at_top.contains(name)
        })
    }
}
