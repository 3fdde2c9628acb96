//! Positions in followed files, to resume later.

use std::fs::Metadata;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::library::if_present;

/// The position of a follower in a file, and how to recognize the file.
///
/// Consists of a few numbers; store it as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    pub(super) offset: u64,
    pub(super) lines: u64,
    /// Hash of the first bytes before `offset`.
    pub(super) head: u64,
    /// Hash of the last bytes before `offset`.
    pub(super) tail: u64,
    /// The identity of the file. Only a hint: another file may have got the same number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<Identity>,
}

impl Cursor {
    /// The start of any file.
    pub(super) fn start() -> Self {
        Self {
            offset: 0,
            lines: 0,
            head: hash(b""),
            tail: hash(b""),
            file: None,
        }
    }

    /// The offset of the next line.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The number of lines before it.
    pub fn lines(&self) -> u64 {
        self.lines
    }
}

/// The identity of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    device: u64,
    node: u64,
}

impl Identity {
    /// Returns `None` if there is no such file.
    pub(super) fn of(path: &Path) -> io::Result<Option<Self>> {
        let meta = if_present(std::fs::metadata(path))?;
        Ok(meta.as_ref().map(Self::of_meta))
    }

    #[cfg(unix)]
    pub(super) fn of_meta(meta: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self {
            device: meta.dev(),
            node: meta.ino(),
        }
    }

    /// On other systems, the creation time distinguishes files.
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

/// FNV-1a, since a cursor must be valid in every build.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
