//! Lists and deletes files of sessions.

use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;
use std::time::SystemTime;

use super::super::StoredSession;
use super::super::error::StoreError;
use crate::Str;

/// The maximum depth below a session; the CLI uses four levels.
const DEEPEST: usize = 12;

/// The projects that have a session.
pub(super) fn projects(root: &Path) -> Result<Vec<Str>, StoreError> {
    let mut folders = Vec::new();
    each(root, &mut |entry, name| {
        if entry.file_type()?.is_dir() {
            folders.push((entry.path(), Str::from(name)));
        }
        Ok(())
    })
    .map_err(|error| unlistable(root, error))?;
    let mut projects = Vec::new();
    for (folder, name) in folders {
        if !sessions(&folder)?.is_empty() {
            projects.push(name);
        }
    }
    Ok(projects)
}

/// The sessions in a project's folder.
pub(super) fn sessions(folder: &Path) -> Result<Vec<StoredSession>, StoreError> {
    let mut sessions = Vec::new();
    each(folder, &mut |entry, name| {
        if entry.file_type()?.is_file()
            && let Some(session_id) = name.strip_suffix(".jsonl")
        {
            sessions.push(StoredSession {
                session_id: session_id.into(),
                modified: entry
                    .metadata()?
                    .modified()
                    .unwrap_or(SystemTime::UNIX_EPOCH),
            });
        }
        Ok(())
    })
    .map_err(|error| unlistable(folder, error))?;
    Ok(sessions)
}

/// The subpaths in a session's folder.
pub(super) fn subkeys(folder: &Path) -> Result<Vec<Str>, StoreError> {
    let mut found = Vec::new();
    walk(folder, "", 1, &mut found).map_err(|error| unlistable(folder, error))?;
    Ok(found)
}

fn walk(folder: &Path, above: &str, depth: usize, found: &mut Vec<Str>) -> io::Result<()> {
    each(folder, &mut |entry, name| {
        // Links are not followed: the type is that of the link itself.
        let kind = entry.file_type()?;
        if kind.is_dir() && depth < DEEPEST {
            walk(&entry.path(), &format!("{above}{name}/"), depth + 1, found)?;
        } else if kind.is_file()
            && let Some(name) = name.strip_suffix(".jsonl")
        {
            found.push(format!("{above}{name}").into());
        }
        Ok(())
    })
}

/// Calls `look` for each entry that has a name in UTF-8. A missing folder counts as empty, and an
/// entry that disappears meanwhile is skipped.
fn each(folder: &Path, look: &mut dyn FnMut(&DirEntry, &str) -> io::Result<()>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if gone(&error) => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        match look(&entry, name) {
            Err(error) if gone(&error) => {}
            looked => looked?,
        }
    }
    Ok(())
}

/// Removes a key's file and what belongs to it: the folder of a session, the metadata of a
/// subagent. The file is removed last, so that a session is listed until nothing of it is left.
pub(super) fn delete(file: &Path, beside: &Path) -> Result<(), StoreError> {
    let undeletable =
        |path: &Path, error| StoreError::io(format!("cannot delete {}", path.display()), error);
    let removed = match fs::symlink_metadata(beside) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(beside),
        Ok(_) => fs::remove_file(beside),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if !gone(&error) => return Err(undeletable(beside, error)),
        _ => {}
    }
    match fs::remove_file(file) {
        Err(error) if !gone(&error) => Err(undeletable(file, error)),
        _ => Ok(()),
    }
}

fn gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

fn unlistable(folder: &Path, error: io::Error) -> StoreError {
    StoreError::io(format!("cannot list {}", folder.display()), error)
}
