//! Caches probe results until the CLI's file changes.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::probe::Probe;

/// The format of the cache file. Files of another format are ignored.
const FORMAT: u64 = 2;

/// Identifies a file without reading it: it can have hundreds of megabytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    /// The modification time in nanoseconds since the Unix epoch.
    pub(crate) changed: u64,
}

impl Stamp {
    /// Follows symbolic links.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let file = path.metadata().ok()?;
        let changed = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Self {
            size: file.len(),
            changed: u64::try_from(changed.as_nanos()).ok()?,
        })
    }
}

static IN_PROCESS: LazyLock<Mutex<HashMap<PathBuf, (Stamp, Probe)>>> =
    LazyLock::new(Mutex::default);

/// Returns the cached result for the CLI at `path`, if its file has not changed.
pub(crate) fn recall(folder: Option<&Path>, path: &Path, stamp: Stamp) -> Option<Probe> {
    let mut known = IN_PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, probe)) = known.get(path)
        && *of == stamp
    {
        return Some(probe.clone());
    }
    let text = fs::read(file(folder?, path)).ok()?;
    let stored: Stored = serde_json::from_slice(&text).ok()?;
    let is_same = stored.format == FORMAT && stored.stamp == stamp && stored.probe.path == path;
    let probe = is_same.then_some(stored.probe)?;
    known.insert(path.to_owned(), (stamp, probe.clone()));
    Some(probe)
}

/// Caches a result. A folder that cannot be written to is not an error.
pub(crate) fn remember(folder: Option<&Path>, path: &Path, stamp: Stamp, probe: &Probe) {
    IN_PROCESS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(path.to_owned(), (stamp, probe.clone()));
    if let Some(folder) = folder
        && let Err(error) = write(folder, stamp, probe)
    {
        tracing::debug!(%error, "what the CLI said about itself is not kept on disk");
    }
}

/// The content of a cache file.
#[derive(Serialize, Deserialize)]
struct Stored {
    format: u64,
    stamp: Stamp,
    probe: Probe,
}

fn write(folder: &Path, stamp: Stamp, probe: &Probe) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    // Atomic, so that another process never reads a partial file.
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    let stored = Stored {
        format: FORMAT,
        stamp,
        probe: probe.clone(),
    };
    new.write_all(&serde_json::to_vec(&stored)?)?;
    new.persist(file(folder, &probe.path))?;
    Ok(())
}

fn file(folder: &Path, path: &Path) -> PathBuf {
    // FNV-1a: the name must be the same in every process and every release.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for &byte in path.as_os_str().as_encoded_bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    folder.join(format!("cli-{hash:016x}.json"))
}
