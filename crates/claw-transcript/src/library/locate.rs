//! Which folders belong to a directory, and which file to a session.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::worktrees::worktrees_of;
use super::{Project, SessionLibrary};
use crate::error::TranscriptError;
use crate::listing::Window;
use crate::project_key::{ProjectKey, composed, dashed};

/// A session's main file.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    /// The directory whose folder it was found in, when one was asked for.
    pub(crate) dir: Option<String>,
}

/// A folder to look in.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    /// The directory that it is the folder of, when one was asked for.
    pub(crate) dir: Option<String>,
}

impl SessionLibrary {
    /// The file of a session that was written last, of those that are not empty.
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

    /// Every file of a session, newest first as in a list: a copied project can hold it a second
    /// time.
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
        // Those of one age stay in their order: the directory's own is first.
        found.sort_by_key(|(modified, _)| Reverse(*modified));
        Ok(found.into_iter().map(|(_, found)| found).collect())
    }

    /// The folders to look in, the directory's own first.
    pub(crate) fn places(&self) -> Result<Vec<Place>, TranscriptError> {
        let Some(scope) = &self.scope else {
            let projects = self.projects()?.into_iter();
            let places = projects.map(|project| Place {
                path: project.path,
                dir: None,
            });
            return Ok(places.collect());
        };
        let mut dirs = vec![scope.dir.clone()];
        dirs.extend(self.scope_worktrees());
        let mut places: Vec<Place> = Vec::new();
        for dir in dirs {
            for path in self.folders_of(&dir)? {
                if places.iter().all(|place| place.path != path) {
                    let dir = Some(dir.clone());
                    places.push(Place { path, dir });
                }
            }
        }
        Ok(places)
    }

    /// The other worktrees of the directory's repository; none when it is the only one.
    pub(crate) fn scope_worktrees(&self) -> Vec<String> {
        let Some(scope) = self.scope.as_ref().filter(|scope| scope.worktrees) else {
            return Vec::new();
        };
        let trees = worktrees_of(Path::new(&scope.dir));
        let mut trees: Vec<String> = trees
            .iter()
            .map(|tree| composed(&tree.to_string_lossy()))
            .collect();
        // With a single worktree the CLI shows the directory alone, even a subfolder of it.
        if trees.len() <= 1 {
            trees.clear();
        }
        trees.retain(|tree| *tree != scope.dir);
        trees
    }

    /// The directory that the library is narrowed to.
    pub(crate) fn scope_dir(&self) -> Option<&str> {
        self.scope.as_ref().map(|scope| scope.dir.as_str())
    }

    /// Existing folders that hold sessions of a directory: the named one, the one of its key, and
    /// for a long path those that an older hash named.
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

/// Whether a session in the folder says that it ran in this directory.
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

/// Nothing but a UUID becomes part of a path.
pub(crate) fn check_id(id: &str) -> Result<(), TranscriptError> {
    if is_session_id(id) {
        Ok(())
    } else {
        Err(TranscriptError::NotASessionId { id: id.to_owned() })
    }
}

pub(crate) fn is_session_id(id: &str) -> bool {
    id.len() == 36
        && id.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
