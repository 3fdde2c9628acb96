//! What CLIs said about themselves, kept until their file changes.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use serde_json::{Value, json};

use super::flags::Takes;
use super::probe::Probe;
use super::version::Version;

/// The layout of the file. Another one is as good as none.
const FORMAT: u64 = 1;

/// By what a file is recognised without reading it: it may have hundreds of megabytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    /// When it was changed, in nanoseconds.
    pub(crate) changed: u64,
}

impl Stamp {
    /// Of the file that a link leads to.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let file = path.metadata().ok()?;
        let changed = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Self {
            size: file.len(),
            changed: u64::try_from(changed.as_nanos()).ok()?,
        })
    }
}

/// The folder where this library keeps what it can find out again.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    std::env::var_os("XDG_CACHE_HOME")
        .and_then(|folder| absolute(folder.into()))
        .or_else(|| Some(std::env::home_dir().and_then(absolute)?.join(".cache")))
        .map(|folder| folder.join("rusty_claw"))
}

static IN_PROCESS: LazyLock<Mutex<HashMap<PathBuf, (Stamp, Probe)>>> =
    LazyLock::new(Mutex::default);

/// What is known of the CLI at `path`, if it is still the same file.
pub(crate) fn recall(folder: Option<&Path>, path: &Path, stamp: Stamp) -> Option<Probe> {
    let mut known = IN_PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, probe)) = known.get(path)
        && *of == stamp
    {
        return Some(probe.clone());
    }
    let text = fs::read(file(folder?, path)).ok()?;
    let probe = read(&serde_json::from_slice(&text).ok()?, path, stamp)?;
    known.insert(path.to_owned(), (stamp, probe.clone()));
    Some(probe)
}

/// Keeps what a CLI said. A folder that cannot be written to is no reason to fail.
pub(crate) fn remember(folder: Option<&Path>, path: &Path, stamp: Stamp, probe: &Probe) {
    IN_PROCESS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(path.to_owned(), (stamp, probe.clone()));
    if let Some(folder) = folder
        && let Err(error) = write(folder, path, &text(path, stamp, probe))
    {
        tracing::debug!(%error, "what the CLI said about itself is not kept on disk");
    }
}

fn write(folder: &Path, path: &Path, text: &Value) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    // Another process reads the old file or the new one, never half of one.
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(text.to_string().as_bytes())?;
    new.persist(file(folder, path))?;
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

fn text(path: &Path, stamp: Stamp, probe: &Probe) -> Value {
    let listed: HashMap<&str, bool> = probe
        .listed
        .iter()
        .map(|(name, takes)| (name.as_str(), *takes == Takes::Value))
        .collect();
    json!({
        "format": FORMAT,
        "path": path.display().to_string(),
        "size": stamp.size,
        "changed": stamp.changed,
        "version": probe.version.map(|version| version.to_string()),
        "flags": listed,
        "asked": probe.asked,
    })
}

/// Anything that is not as it was written is as good as nothing.
fn read(value: &Value, path: &Path, stamp: Stamp) -> Option<Probe> {
    let number = |name: &str| value[name].as_u64();
    let same = number("format")? == FORMAT
        && value["path"].as_str()? == path.display().to_string()
        && number("size")? == stamp.size
        && number("changed")? == stamp.changed;
    if !same {
        return None;
    }
    let mut probe = Probe::nothing_known(path);
    probe.version = match &value["version"] {
        Value::Null => None,
        version => Some(Version::parse(version.as_str()?)?),
    };
    for (name, takes_value) in value["flags"].as_object()? {
        let takes = if takes_value.as_bool()? {
            Takes::Value
        } else {
            Takes::Nothing
        };
        probe.listed.insert(name.clone(), takes);
    }
    for (name, known) in value["asked"].as_object()? {
        probe.asked.insert(name.clone(), known.as_bool()?);
    }
    Some(probe)
}
