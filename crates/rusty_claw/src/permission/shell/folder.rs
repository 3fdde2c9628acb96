//! Reads the session's folder, for words whose meaning depends on its files.
//!
//! If the folder is not known, cannot be read or may have been changed by an earlier command of the
//! line, every answer is the cautious one.

use std::cell::Cell;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::super::path::Readings;
use super::super::path_context::PathContext;
use super::super::protected::is_protected;
use super::Budget;
use super::budget::FILE;

/// The largest `.gitignore` that is read, in bytes.
const LARGEST_IGNORED: u64 = 64 * 1024;

/// An entry of a folder that is searched.
enum Seen {
    Found,
    /// It is not searched if it is a folder.
    Skipped,
    Other,
}

/// The files of the session's folder, within the work limit of one decision.
#[derive(Debug)]
pub(super) struct Files<'a> {
    around: &'a PathContext,
    budget: &'a Budget,
    changed: Cell<bool>,
}

impl<'a> Files<'a> {
    pub(super) fn new(around: &'a PathContext, budget: &'a Budget) -> Self {
        Self {
            around,
            budget,
            changed: Cell::new(false),
        }
    }

    /// Records that a command of the line may change files. From now on nothing is known about them.
    pub(super) fn change(&self) {
        self.changed.set(true);
    }

    /// Takes steps from the decision's budget.
    pub(super) fn spend(&self, steps: usize) -> bool {
        self.budget.spend(steps)
    }

    /// Returns whether the session's folder is not known.
    pub(super) fn have_no_folder(&self) -> bool {
        self.around.folder().is_none() && !self.changed.get()
    }

    /// Returns whether this is the session's folder.
    pub(super) fn is_folder(&self, path: &str) -> bool {
        self.around.is_in(Path::new(path))
    }

    /// Returns whether a path is below the session's folder after links are resolved, and is not
    /// protected.
    pub(super) fn may_write(&self, path: &str) -> bool {
        let is_plain = |names: &Vec<String>| !names.is_empty() && !is_protected(&names.join("/"));
        let below = self.below(path).filter(|_| !path.starts_with('~'));
        below.is_some_and(|readings| readings.iter().all(is_plain))
    }

    /// Returns whether a file or folder of this name exists, or may exist.
    pub(super) fn may_exist(&self, name: &str) -> bool {
        let there = self.place(name);
        there.is_none_or(|there| !matches!(there.try_exists(), Ok(false)))
    }

    /// Returns whether a path is, is in or contains a repository other than the session's own, or
    /// may. Git runs programs that the settings of such a repository name.
    pub(super) fn may_hold_repository(&self, path: &str) -> bool {
        let top = self.place(".").filter(|top| top.is_dir());
        let Some((top, start)) = top.zip(self.place(path)) else {
            return true;
        };
        // If the session's folder is part of a repository, the whole repository can be added.
        let root = top.ancestors().find(|folder| folder.join(".git").exists());
        let root = root.unwrap_or(&top);
        let start = if start == top { root } else { &start };
        if leads_into_repository(start, root) {
            return true;
        }
        let ignored = ignored_at_top(root);
        self.find_below(start, |folder, name| {
            let is_ignored = || ignored.iter().any(|ignored| *name == **ignored);
            if name.eq_ignore_ascii_case(".git") {
                if folder == root {
                    Seen::Skipped
                } else {
                    Seen::Found
                }
            } else if folder == root && is_ignored() {
                Seen::Skipped
            } else {
                Seen::Other
            }
        })
    }

    /// Returns whether a path is a folder that holds protected files, or may be one.
    pub(super) fn may_hold_protected(&self, path: &str) -> bool {
        let Some(start) = self.place(path) else {
            return true;
        };
        self.find_below(&start, |_, name| {
            match is_protected(&name.to_string_lossy()) {
                true => Seen::Found,
                false => Seen::Other,
            }
        })
    }

    /// Searches a folder and those below it. Returns true if something was found, or if a folder
    /// cannot be read within the budget.
    fn find_below(&self, start: &Path, look: impl Fn(&Path, &OsStr) -> Seen) -> bool {
        let mut left = vec![start.to_owned()];
        while let Some(folder) = left.pop() {
            let Ok(entries) = fs::read_dir(&folder) else {
                // A file, or a missing path.
                if folder.is_dir() {
                    return true;
                }
                continue;
            };
            for entry in entries {
                let Ok((name, kind)) = entry.and_then(|e| Ok((e.file_name(), e.file_type()?)))
                else {
                    return true;
                };
                if !self.spend(FILE) {
                    return true;
                }
                match look(&folder, &name) {
                    Seen::Found => return true,
                    Seen::Other if kind.is_dir() => left.push(folder.join(name)),
                    Seen::Other | Seen::Skipped => {}
                }
            }
        }
        false
    }

    /// The location of a path; `None` if it is not known, outside the folder or reached by a link.
    fn place(&self, path: &str) -> Option<PathBuf> {
        let [text, real] = self.below(path)?;
        let folder = PathBuf::from(self.around.folder()?.to_text());
        (text == real).then(|| folder.join(text.join("/")))
    }

    /// The names of a path below the session's folder, by its text and by its real path.
    fn below(&self, path: &str) -> Option<[Vec<String>; 2]> {
        let (path, here) = (self.readings(path)?, self.readings(".")?);
        let (real, real_here) = path.real.zip(here.real)?;
        let text = path.text.names().strip_prefix(here.text.names())?;
        let real = real.names().strip_prefix(real_here.names())?;
        Some([text.to_vec(), real.to_vec()])
    }

    fn readings(&self, path: &str) -> Option<Readings> {
        if self.changed.get() || !self.spend(FILE) {
            return None;
        }
        let readings = self.around.readings(path).ok()?;
        self.spend(FILE * readings.looked).then_some(readings)
    }
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

/// Names of top-level folders that git ignores: lines of `.gitignore` that are plain names. Empty if
/// the file has exceptions. Deeper folders can have their own file with exceptions.
fn ignored_at_top(root: &Path) -> Vec<String> {
    let file = root.join(".gitignore");
    // Git does not follow a link here.
    let is_plain = |file: fs::Metadata| file.is_file() && file.len() <= LARGEST_IGNORED;
    let is_read = fs::symlink_metadata(&file).is_ok_and(is_plain);
    let text = is_read.then(|| fs::read_to_string(file).unwrap_or_default());
    let text = text.filter(|text| !text.contains('!')).unwrap_or_default();
    let is_name = |name: &&str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        !name.is_empty() && name.chars().all(is_plain)
    };
    let lines = text.lines().map(|line| {
        let line = line.strip_prefix('/').unwrap_or(line);
        line.strip_suffix('/').unwrap_or(line)
    });
    lines.filter(is_name).map(str::to_owned).collect()
}
