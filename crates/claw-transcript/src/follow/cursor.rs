//! Where a reader of a file is, for later.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::window::hash;
use crate::library::is_absent;

/// Where a follower is in a file, and how to know the file again.
///
/// A few numbers; keep them as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    pub(super) offset: u64,
    pub(super) lines: u64,
    /// Of the first bytes before `offset`.
    pub(super) head: u64,
    /// Of the last bytes before `offset`.
    pub(super) tail: u64,
    /// Which file it was. Only a hint: another one may have its number by now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<Identity>,
}

impl Cursor {
    /// Before the first line of any file.
    pub(super) fn start() -> Self {
        Self {
            offset: 0,
            lines: 0,
            head: hash(b""),
            tail: hash(b""),
            file: None,
        }
    }

    /// Where the next line begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How many lines are before it.
    pub fn lines(&self) -> u64 {
        self.lines
    }
}

/// Which file has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    device: u64,
    node: u64,
}

impl Identity {
    /// `None` when there is no such file.
    pub(super) fn of(path: &Path) -> io::Result<Option<Self>> {
        match std::fs::metadata(path) {
            Ok(meta) => Ok(Some(Self::of_meta(&meta))),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn of_file(file: &File) -> io::Result<Self> {
        Ok(Self::of_meta(&file.metadata()?))
    }

    #[cfg(unix)]
    pub(super) fn of_meta(meta: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self {
            device: meta.dev(),
            node: meta.ino(),
        }
    }

    /// Elsewhere the time of creation tells files apart.
    #[cfg(not(unix))]
    pub(super) fn of_meta(meta: &Metadata) -> Self {
        let created = meta.created().ok();
        let created = created.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        Self {
            device: 0,
            node: created.map_or(0, |time| time.as_nanos() as u64),
        }
    }
}
