//! Where paths lead on this machine.

use std::path::{Path, PathBuf};

use super::glob::PlainPath;

/// The path with its links followed, as far as it exists here. `None` when it cannot be told.
///
/// The CLI may run on another machine, where this machine's links mean nothing. Then a path that
/// is not there stays as it is, and one that differs is only less sure.
pub(super) fn followed(path: &PlainPath) -> Option<PlainPath> {
    let whole = PathBuf::from(path.to_text());
    let mut rest = Vec::new();
    let mut part: &Path = &whole;
    loop {
        if let Ok(found) = part.canonicalize() {
            let begin = PlainPath::new(found.to_str()?, None)?;
            return Some(rest.into_iter().rev().fold(begin, PlainPath::joined));
        }
        // A link to what is not there yet, or a folder that must not be looked into: a write
        // may end up anywhere.
        match part.symlink_metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {}
            _ => return None,
        }
        rest.push(part.file_name()?.to_str()?);
        part = part.parent()?;
    }
}
