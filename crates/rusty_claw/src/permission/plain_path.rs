//! Absolute paths, as text and resolved through links.

use std::path::Path;

/// The maximum number of links to follow, as on Linux.
const LINKS: usize = 40;

/// The maximum number of names to resolve, including those in links.
const MOST_NAMES: usize = 1024;

/// A path from the root, without `.`, `..` and doubled separators.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PlainPath {
    names: Vec<String>,
}

impl PlainPath {
    /// Returns `None` if it is not absolute, climbs above the root, or is not Unicode.
    pub(super) fn from_root(path: &Path) -> Option<Self> {
        let path = unified(path.to_str()?);
        if !is_absolute(&path) || path.contains('\0') {
            return None;
        }
        tidied(&split(&path).collect::<Vec<_>>())
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The path in lowercase, to compare without regard to case.
    pub(super) fn caseless(&self) -> Self {
        Self {
            names: self.names.iter().map(|name| name.to_lowercase()).collect(),
        }
    }

    /// The absolute path as text.
    pub(super) fn to_text(&self) -> String {
        let path = self.names.join("/");
        if cfg!(windows) {
            path
        } else {
            format!("/{path}")
        }
    }
}

/// Removes each `..` with the name before it; `None` above the root.
pub(super) fn tidied(pieces: &[String]) -> Option<PlainPath> {
    let mut names = Vec::new();
    for piece in pieces {
        if piece == ".." {
            names.pop()?;
        } else {
            names.push(piece.clone());
        }
    }
    Some(PlainPath { names })
}

/// The file that the system opens: follows links, and applies `..` to their targets. If the path
/// does not exist, resolves the part that does and appends the rest.
///
/// The CLI may run on another machine, where this machine's links mean nothing. Then a path that
/// does not exist here is unchanged, and a path that differs is only less certain.
///
/// Also returns the number of names that were looked up.
pub(super) fn real(pieces: &[String]) -> (Option<PlainPath>, usize) {
    let mut looked = 0;
    (follow(pieces, &mut looked), looked)
}

fn follow(pieces: &[String], looked: &mut usize) -> Option<PlainPath> {
    let mut found = PlainPath::default();
    let mut left: Vec<String> = pieces.iter().rev().cloned().collect();
    let mut links = 0;
    while let Some(piece) = left.pop() {
        if piece == ".." {
            // The system fails above a missing directory, but a tool may not.
            found.names.pop();
            continue;
        }
        *looked += 1;
        if *looked > MOST_NAMES {
            return None;
        }
        found.names.push(piece);
        match std::fs::symlink_metadata(found.to_text()) {
            Ok(there) if there.file_type().is_symlink() => {
                links += 1;
                if links > LINKS {
                    return None;
                }
                let target = std::fs::read_link(found.to_text()).ok()?;
                found.names.pop();
                let target = unified(target.to_str()?);
                if is_absolute(&target) {
                    found = PlainPath::default();
                }
                let names: Vec<String> = split(&target).collect();
                left.extend(names.into_iter().rev());
            }
            Ok(_) => {}
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                ) => {}
            // A file that cannot be inspected may be a link to anywhere.
            Err(_) => return None,
        }
    }
    Some(found)
}

/// Replaces backslashes with slashes on Windows.
pub(super) fn unified(path: &str) -> String {
    if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    }
}

pub(super) fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || cfg!(windows) && path.as_bytes().get(1) == Some(&b':')
}

/// The names of a path, without empty ones and `.`.
pub(super) fn split(path: &str) -> impl Iterator<Item = String> {
    path.split('/')
        .filter(|name| !name.is_empty() && *name != ".")
        .map(str::to_owned)
}
