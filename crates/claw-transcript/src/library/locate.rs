//! Finds the folders of a directory, and the file of a session.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::worktrees::worktrees_of;
use super::{Project, SessionLibrary};
use crate::error::TranscriptError;
use crate::listing::window::Window;
use crate::project_key::{ProjectKey, composed, dashed};
use crate::session_id::check_id;

/// A session's main file, or a folder to search.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    /// The directory that the folder belongs to, if the library is restricted to one.
    pub(crate) dir: Option<String>,
}

impl SessionLibrary {
    /// The most recently written file of a session that is not empty.
    pub(crate) fn find(&self, id: &str) -> Result<Found, TranscriptError> {
        self.find_if_any(id)?
            .ok_or_else(|| TranscriptError::SessionNotFound {
                id: id.to_owned(),
                searched: self.projects_dir(),
            })
    }

    pub(crate) fn find_if_any(&self, id: &str) -> Result<Option<Found>, TranscriptError> {
        Ok(self.find_all(id)?.into_iter().next())
    }

    /// Every file of a session, the newest first. A copied project can contain it a second time.
    pub(crate) fn find_all(&self, id: &str) -> Result<Vec<Found>, TranscriptError> {
        check_id(id)?;
        let name = format!("{id}.jsonl");
        let found = self.places()?.into_iter().filter_map(|place| {
            let path = place.path.join(&name);
            let meta = std::fs::metadata(&path).ok()?;
            let modified = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let dir = place.dir;
            (meta.len() > 0).then_some((modified, Found { path, dir }))
        });
        let mut found: Vec<_> = found.collect();
        // The sort is stable: of files of the same age, the directory's own is first.
        found.sort_by_key(|(modified, _)| Reverse(*modified));
        Ok(found.into_iter().map(|(_, found)| found).collect())
    }

    /// The folders to search, the directory's own first.
    pub(crate) fn places(&self) -> Result<Vec<Found>, TranscriptError> {
        let Some(scope) = &self.scope else {
            let projects = self.projects()?.into_iter();
            let places = projects.map(|project| Found {
                path: project.path,
                dir: None,
            });
            return Ok(places.collect());
        };
        let mut dirs = vec![scope.dir.clone()];
        dirs.extend(self.scope_worktrees());
        let mut places: Vec<Found> = Vec::new();
        for dir in dirs {
            for path in self.folders_of(&dir)? {
                if places.iter().all(|place| place.path != path) {
                    let dir = Some(dir.clone());
                    places.push(Found { path, dir });
                }
            }
        }
        Ok(places)
    }

    /// The other worktrees of the directory's repository; empty if it is the only one.
    pub(crate) fn scope_worktrees(&self) -> Vec<String> {
        let Some(scope) = self.scope.as_ref().filter(|scope| scope.worktrees) else {
            return Vec::new();
        };
        let trees = worktrees_of(Path::new(&scope.dir));
        let mut trees: Vec<String> = trees
            .iter()
            .map(|tree| composed(&tree.to_string_lossy()))
            .collect();
        // With a single worktree the CLI shows only the directory, even if it is a subfolder.
        if trees.len() <= 1 {
            trees.clear();
        }
        trees.retain(|tree| *tree != scope.dir);
        trees
    }

    /// The directory that the library is restricted to.
    pub(crate) fn scope_dir(&self) -> Option<&str> {
        self.scope.as_ref().map(|scope| scope.dir.as_str())
    }

    /// The existing folders with sessions of a directory: the named one, the one of its key, and
    /// for a long path those with the hash of an older release.
    fn folders_of(&self, dir: &str) -> Result<Vec<PathBuf>, TranscriptError> {
        let key = ProjectKey::of_path(dir);
        let mut folders: Vec<PathBuf> = Vec::new();
        for key in self.named.iter().chain([&key]) {
            let Project { path, .. } = self.project(key.clone());
            if path.is_dir() && !folders.contains(&path) {
                folders.push(path);
            }
        }
        if self.named.is_some() {
            return Ok(folders);
        }
        if let Some(prefix) = key.cut_prefix() {
            for project in self.projects()? {
                let known = folders.contains(&project.path);
                if !known
                    && project.key.as_str().starts_with(prefix)
                    && holds_sessions_of(&project.path, dir)
                {
                    folders.push(project.path);
                }
            }
        }
        Ok(folders)
    }
}

/// Returns whether a session in the folder ran in this directory.
fn holds_sessions_of(folder: &Path, dir: &str) -> bool {
    let wanted = dashed(dir);
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let path = entry.path();
        path.extension().is_some_and(|ending| ending == "jsonl")
            && Window::read(&path)
                .and_then(|window| window.own_cwd())
                .is_some_and(|cwd| dashed(&composed(&cwd)) == wanted)
    })
}
