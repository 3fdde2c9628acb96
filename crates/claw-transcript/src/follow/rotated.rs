//! Finds files that were rotated.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::cursor::Identity;
use crate::library::if_present;

/// The successor of a file that lost its name.
#[derive(Debug)]
pub(super) enum After {
    /// None yet.
    Nothing,
    /// Files are being renamed: try again.
    Unsettled,
    /// The file.
    File {
        file: File,
        identity: Identity,
        /// Whether it has the name now. Otherwise it was rotated too, and is complete.
        present: bool,
        /// All files that are older.
        older: Vec<Identity>,
    },
}

/// Finds the file that had the name after another one.
///
/// Rotation renames old files to `NAME.1`, `NAME.2`: higher numbers are older. If the file that was
/// read is not among them, it was deleted or has another name; its successor is then the oldest
/// file that is not in `older`, the list from when it was opened. A file that still `has_a_name`
/// may be about to be renamed, so its successor is unsettled unless `is_final`.
pub(super) fn after(
    path: &Path,
    read: Identity,
    older: &[Identity],
    has_a_name: bool,
    is_final: bool,
) -> io::Result<After> {
    let before = listed(path)?;
    let known = before.iter().position(|identity| *identity == Some(read));
    let next = match known {
        Some(at) if is_final => (0..at).rev().find(|number| before[*number].is_some()),
        Some(0) => None,
        Some(1) if before[0].is_none() => None,
        // There is a gap for a moment while files are renamed one after the other.
        Some(at) if before[at - 1].is_none() => return Ok(After::Unsettled),
        Some(at) => Some(at - 1),
        None if has_a_name && !is_final => return Ok(After::Unsettled),
        None => {
            let is_new = |identity: &Identity| !older.contains(identity);
            before
                .iter()
                .rposition(|file| file.as_ref().is_some_and(is_new))
        }
    };
    let Some(number) = next else {
        return Ok(After::Nothing);
    };
    // Once it is open, renames do not matter.
    let file = opened(&numbered(path, number))?;
    match file {
        Some((file, identity)) if Some(identity) == before[number] && listed(path)? == before => {
            Ok(After::File {
                file,
                identity,
                present: number == 0,
                older: before.into_iter().skip(number + 1).flatten().collect(),
            })
        }
        _ => Ok(After::Unsettled),
    }
}

/// The rotated files, newest first.
pub(super) fn old(path: &Path) -> io::Result<Vec<(PathBuf, Identity)>> {
    let numbers = listed(path)?.into_iter().enumerate().skip(1);
    let there = numbers.filter_map(|(number, identity)| Some((numbered(path, number), identity?)));
    Ok(there.collect())
}

/// Opens a file and returns its identity; `None` if it does not exist.
pub(super) fn opened(path: &Path) -> io::Result<Option<(File, Identity)>> {
    let Some(file) = if_present(File::open(path))? else {
        return Ok(None);
    };
    let identity = Identity::of_meta(&file.metadata()?);
    Ok(Some((file, identity)))
}

/// The identities of the file and of the rotated files, indexed by their number.
fn listed(path: &Path) -> io::Result<Vec<Option<Identity>>> {
    let mut found = vec![Identity::of(path)?];
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let entries = if_present(std::fs::read_dir(folder))?;
    for entry in entries.into_iter().flatten().flatten() {
        let other = entry.file_name();
        let other = other.to_string_lossy();
        let number = other
            .strip_prefix(&*name)
            .and_then(|rest| rest.strip_prefix('.'))
            .and_then(|number| number.parse::<usize>().ok());
        let Some(number) = number.filter(|number| (1..10_000).contains(number)) else {
            continue;
        };
        if found.len() <= number {
            found.resize(number + 1, None);
        }
        found[number] = Identity::of(&entry.path())?;
    }
    Ok(found)
}

fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 0 {
        return path.to_path_buf();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}
