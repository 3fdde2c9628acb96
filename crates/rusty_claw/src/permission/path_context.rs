//! The folders that paths are relative to.

use std::path::{Path, PathBuf};

use super::plain_path::{PlainPath, is_absolute, split, unified};

/// The context of paths: the working directory and the home directory, for relative paths and `~`.
#[derive(Debug, Clone, Default)]
pub struct PathContext {
    folder: Option<PlainPath>,
    home: Option<PlainPath>,
}

impl PathContext {
    /// Creates the context of a session that works in this directory, which must be absolute:
    /// otherwise relative paths cannot be resolved, and so are not covered.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self::default().in_folder(folder)
    }

    /// Sets the working directory.
    pub(super) fn in_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = PlainPath::from_root(&folder.into());
        self
    }

    /// Returns whether relative paths are resolved from this directory.
    #[must_use]
    pub fn is_in(&self, folder: &Path) -> bool {
        self.folder.is_some() && self.folder == PlainPath::from_root(folder)
    }

    /// Sets the home directory; without it, paths and rules that begin with `~` cannot be resolved.
    #[must_use]
    pub fn home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = PlainPath::from_root(&home.into());
        self
    }

    /// The working directory.
    pub(super) fn folder(&self) -> Option<&PlainPath> {
        self.folder.as_ref()
    }

    pub(super) fn home_folder(&self) -> Option<&PlainPath> {
        self.home.as_ref()
    }

    /// The names from the root, including `..`; `None` if the path cannot be resolved.
    pub(super) fn pieces(&self, path: &str) -> Option<Vec<String>> {
        let path = unified(path);
        let (start, rest) = if let Some(rest) = path.strip_prefix('~') {
            let below = rest.is_empty() || rest.starts_with('/');
            (self.home.as_ref().filter(|_| below)?.names().to_vec(), rest)
        } else if is_absolute(&path) {
            (Vec::new(), path.as_str())
        } else {
            (self.folder.as_ref()?.names().to_vec(), path.as_str())
        };
        Some(start.into_iter().chain(split(rest)).collect())
    }
}
