//! Where a reader of a file is, for later.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::library::is_absent;

/// How much of each end is remembered by a hash.
const END: u64 = 4096;

/// Where a follower is in a file, and how to know the file again.
///
/// A few numbers; keep them as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    offset: u64,
    lines: u64,
    /// Of the first bytes before `offset`.
    head: u64,
    /// Of the last bytes before `offset`.
    tail: u64,
}

impl Cursor {
    /// Where the next line begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How many lines are before it.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    pub(super) fn take(file: &mut File, offset: u64, lines: u64) -> io::Result<Self> {
        Ok(Self {
            offset,
            lines,
            head: hash_of(file, 0, offset.min(END))?,
            tail: hash_of(file, offset.saturating_sub(END), offset)?,
        })
    }

    /// Whether the file still has what was before the cursor. A size alone does not say so: a file
    /// may have been replaced by a longer one.
    pub(super) fn fits(&self, file: &mut File) -> io::Result<bool> {
        if file.metadata()?.len() < self.offset {
            return Ok(false);
        }
        Ok(Self::take(file, self.offset, self.lines)? == *self)
    }
}

/// FNV-1a, since a cursor must mean the same in every build.
fn hash_of(file: &mut File, from: u64, to: u64) -> io::Result<u64> {
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::with_capacity((to - from) as usize);
    file.take(to - from).read_to_end(&mut bytes)?;
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Ok(hash)
}

/// Which file has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    fn of_meta(meta: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self {
            device: meta.dev(),
            node: meta.ino(),
        }
    }

    /// Elsewhere the time of creation tells files apart.
    #[cfg(not(unix))]
    fn of_meta(meta: &std::fs::Metadata) -> Self {
        let created = meta.created().ok();
        let created = created.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        Self {
            device: 0,
            node: created.map_or(0, |time| time.as_nanos() as u64),
        }
    }
}
