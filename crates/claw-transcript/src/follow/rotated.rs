//! Files that were rotated away since somebody looked.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::cursor::Identity;
use crate::library::is_absent;

/// What comes after a file that lost its name.
#[derive(Debug)]
pub(super) enum After {
    /// Nothing yet.
    Nothing,
    /// Somebody is renaming files: look again.
    Unsettled,
    /// This file.
    File {
        file: File,
        identity: Identity,
        /// Whether it has the name now. Otherwise it was rotated away too, and is done.
        present: bool,
        /// All that are older than it.
        older: Vec<Identity>,
    },
}

/// The file that had the name after another one.
///
/// Rotation calls old files `NAME.1`, `NAME.2`: the higher the older. When the one that was read is
/// not among them, it was deleted or has a name that nobody knows: then those are new that were not
/// there when it was opened, which `older` says. A file that still `has_a_name` may be on its way
/// there, so that is waited for, unless it is `hurried`.
pub(super) fn after(
    path: &Path,
    read: Identity,
    older: &[Identity],
    has_a_name: bool,
    hurried: bool,
) -> io::Result<After> {
    let before = listed(path)?;
    let known = before.iter().position(|identity| *identity == Some(read));
    let next = match known {
        Some(at) if hurried => (0..at).rev().find(|number| before[*number].is_some()),
        Some(0) => None,
        Some(1) if before[0].is_none() => None,
        // A gap is there for a moment, while the files are renamed one after the other.
        Some(at) if before[at - 1].is_none() => return Ok(After::Unsettled),
        Some(at) => Some(at - 1),
        None if has_a_name && !hurried => return Ok(After::Unsettled),
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
    // Held open, it may be renamed as often as anybody likes.
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

/// The old files, the newest first.
pub(super) fn old(path: &Path) -> io::Result<Vec<(PathBuf, Identity)>> {
    let numbers = listed(path)?.into_iter().enumerate().skip(1);
    let there = numbers.filter_map(|(number, identity)| Some((numbered(path, number), identity?)));
    Ok(there.collect())
}

/// Opens a file and says which one it is; `None` when there is none.
pub(super) fn opened(path: &Path) -> io::Result<Option<(File, Identity)>> {
    match File::open(path) {
        Ok(file) => {
            let identity = Identity::of_file(&file)?;
            Ok(Some((file, identity)))
        }
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The file with the name and the old ones by their number, which is their place in the list.
fn listed(path: &Path) -> io::Result<Vec<Option<Identity>>> {
    let mut found = vec![Identity::of(path)?];
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(found),
        Err(error) => return Err(error),
    };
    for entry in entries.flatten() {
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
