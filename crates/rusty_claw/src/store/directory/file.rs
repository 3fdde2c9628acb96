//! The file of a key.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use super::super::batch::Batch;
use super::super::compact::{agent_metadata, compact};
use super::super::dedup::Dedup;
use super::super::error::StoreError;
use super::sync::SyncPolicy;
use crate::Json;

/// How long an append waits for other writers.
const LOCK_LIMIT: Duration = Duration::from_secs(20);
const GLANCE: Duration = Duration::from_millis(5);

/// The state of a key's file.
#[derive(Debug, Default)]
pub(super) struct KeptFile {
    dedup: Dedup,
    /// How far the file was read; another process wrote what follows.
    read_to: u64,
    /// Whether the last line has no newline.
    open_ended: bool,
    /// The file that was read: it may have been replaced.
    identity: Option<Identity>,
    /// Whether the directory entries of the file and its folders are synced.
    name_is_safe: bool,
}

impl KeptFile {
    /// Drops the lines, but not which batches were stored.
    pub(super) fn forget_lines(&mut self) {
        self.dedup.forget_lines();
        self.read_to = 0;
        self.open_ended = false;
    }

    /// Drops everything: the file is about to be deleted.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    pub(super) fn append(
        &mut self,
        root: &Path,
        path: &Path,
        metadata: Option<&Path>,
        batch: &Batch,
        sync: SyncPolicy,
    ) -> Result<(), StoreError> {
        if self.dedup.is_retry(batch) {
            return Ok(());
        }
        let said = |what: &str| format!("{what} {}", path.display());
        let (mut file, identity) =
            open_locked(path).map_err(|error| StoreError::io(said("cannot open"), error))?;
        if self.identity != identity {
            self.forget_lines();
            self.name_is_safe = false;
            self.identity = identity;
        }
        self.catch_up(&mut file)
            .map_err(|error| StoreError::io(said("cannot read"), error))?;
        let fresh = self.dedup.fresh(batch);
        let mut lines = String::new();
        if self.open_ended {
            // A crash has cut off the last line. It stays on a line of its own.
            lines.push('\n');
        }
        for entry in &fresh {
            // The CLI's lines have no newline between tokens; others may have one.
            if entry.text().contains('\n') {
                lines.push_str(&compact(entry.text()));
            } else {
                lines.push_str(entry.text());
            }
            lines.push('\n');
        }
        let before = self.read_to;
        let name_is_safe = self.name_is_safe;
        let written = all_or_nothing(&mut file, before, lines.as_bytes(), |file| {
            match sync {
                SyncPolicy::EachAppend => {
                    file.sync_data()?;
                    if !name_is_safe {
                        sync_folders(root, path)?;
                    }
                }
                SyncPolicy::BySystem => {}
            }
            Ok(())
        });
        if let Err(error) = written {
            // The file is read again before the next append.
            self.forget_lines();
            return Err(StoreError::io(said("cannot write"), error));
        }
        self.name_is_safe |= sync == SyncPolicy::EachAppend;
        self.read_to = before + lines.len() as u64;
        self.open_ended = false;
        if let Some(metadata) = metadata
            && let Some(text) = fresh.iter().rev().find_map(|entry| agent_metadata(entry))
        {
            // The line has it too, so this copy may fail.
            if let Err(error) = replace(metadata, &text) {
                tracing::warn!(path = %metadata.display(), %error, "metadata of a subagent was not written");
            }
        }
        self.dedup.commit(batch);
        Ok(())
    }

    /// Reads what was written since, or everything if the file has become shorter.
    fn catch_up(&mut self, file: &mut File) -> io::Result<()> {
        let length = file.metadata()?.len();
        if length < self.read_to {
            self.forget_lines();
        }
        if length == self.read_to {
            return Ok(());
        }
        file.seek(SeekFrom::Start(self.read_to))?;
        let mut open_ended = false;
        let read = each_line(file, |line| {
            open_ended = line.last() != Some(&b'\n');
            if let Some(entry) = entry(line) {
                self.dedup.learn(&entry);
            }
        })?;
        self.read_to += read;
        self.open_ended = open_ended;
        Ok(())
    }
}

/// Appends to a file of this length, and truncates it again on failure: if half a batch stayed, its
/// lines without a `uuid` would be duplicated by the retry.
///
/// Does not truncate if another process has written too, without the lock.
fn all_or_nothing(
    file: &mut File,
    before: u64,
    bytes: &[u8],
    finish: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let mut rest = bytes;
    let write = || {
        while !rest.is_empty() {
            match file.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        finish(file)
    };
    let written = write();
    if written.is_err() {
        let ours = before + (bytes.len() - rest.len()) as u64;
        let taken_back = match file.metadata()?.len() {
            length if length == ours => file.set_len(before),
            _ => Err(io::Error::other("another process has written to it too")),
        };
        if let Err(error) = taken_back {
            tracing::warn!(%error, "an incomplete batch could not be removed from a file");
        }
    }
    written
}

/// Identifies the file behind a name, if the system supports it.
type Identity = (u64, u64);

fn identity(file: &fs::Metadata) -> Option<Identity> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        Some((file.dev(), file.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        None
    }
}

/// Opens a file and locks out other writers until it is closed.
fn open_locked(path: &Path) -> io::Result<(File, Option<Identity>)> {
    let begin = Instant::now();
    loop {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) if begin.elapsed() < LOCK_LIMIT => {
                std::thread::sleep(GLANCE);
                continue;
            }
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(
                    io::ErrorKind::WouldBlock,
                    "another process holds its lock",
                ));
            }
            // Some file systems have no locks: continue without one.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let opened = identity(&file.metadata()?);
        match fs::metadata(path) {
            Ok(named) if identity(&named) == opened => return Ok((file, opened)),
            // It was deleted or replaced between opening and locking.
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
}

/// All lines of a file; `None` if there is no file.
pub(super) fn load(path: &Path) -> Result<Option<Vec<Json>>, StoreError> {
    let read = File::open(path).and_then(|mut file| {
        let mut entries = Vec::new();
        each_line(&mut file, |line| entries.extend(entry(line)))?;
        Ok(entries)
    });
    match read {
        Ok(entries) => Ok(Some(entries)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io(
            format!("cannot read {}", path.display()),
            error,
        )),
    }
}

/// Reads to the end, one line at a time with its newline, and returns the number of bytes. Only one
/// line at a time is in memory.
fn each_line(file: &mut File, mut take: impl FnMut(&[u8])) -> io::Result<u64> {
    let mut reader = BufReader::with_capacity(64 << 10, file);
    let mut line = Vec::new();
    let mut read = 0;
    loop {
        line.clear();
        match reader.read_until(b'\n', &mut line)? {
            0 => return Ok(read),
            count => read += count as u64,
        }
        take(&line);
    }
}

/// The JSON object on a line. Other lines are left over from a crash.
fn entry(line: &[u8]) -> Option<Json> {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_matches(['\0', ' ', '\t', '\r', '\n']);
    if !text.starts_with('{') {
        return None;
    }
    Json::from_text(text).ok()
}

/// Opens a file for reading and appending, and creates it if it is missing.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    if let Some(folder) = path.parent() {
        make_private_folder(folder)?;
    }
    options.create(true);
    private(&mut options);
    options.open(path)
}

/// Creates a folder and its parents, private to this user.
pub(in crate::store) fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Makes new files private to this user.
pub(in crate::store) fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    #[cfg(not(unix))]
    let _ = options;
}

/// Replaces a file atomically.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Syncs the directory entries of a new file and its folders.
fn sync_folders(root: &Path, path: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    for folder in path.ancestors().skip(1) {
        File::open(folder)?.sync_all()?;
        if folder == root {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::batch::BatchId;
    use super::*;

    #[test]
    fn half_a_batch_is_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p/s.jsonl");
        let mut file = open(&path).unwrap();
        file.write_all(b"{}\n").unwrap();
        let full = || Err(io::Error::from(io::ErrorKind::StorageFull));
        let failed = all_or_nothing(&mut file, 3, b"{\"half\":", |_| full());
        assert!(failed.is_err());
        all_or_nothing(&mut file, 3, b"{\"a\":1}\n", |_| Ok(())).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}\n{\"a\":1}\n");
        // What another process wrote meanwhile is not truncated.
        let failed = all_or_nothing(&mut file, 11, b"{\"b\":2}\n", |file| {
            file.write_all(b"{\"theirs\":3}\n")?;
            full()
        });
        assert!(failed.is_err());
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "{}\n{\"a\":1}\n{\"b\":2}\n{\"theirs\":3}\n"
        );
    }

    #[test]
    fn a_writer_waits_for_another_and_leaves_a_replaced_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let (held, first) = open_locked(&path).unwrap();
        let waiting = std::thread::spawn({
            let path = path.clone();
            move || open_locked(&path).unwrap().1
        });
        std::thread::sleep(GLANCE * 10);
        assert!(!waiting.is_finished());
        fs::rename(&path, folder.path().join("old")).unwrap();
        drop(held);
        let second = waiting.join().unwrap();
        assert!(path.exists(), "made anew");
        if cfg!(unix) {
            assert_ne!(first, second);
        }
    }

    #[test]
    fn a_file_of_the_same_length_in_its_place_is_read_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let batch = |uuid: &str| {
            let line = Json::from_text(&format!(r#"{{"uuid":"{uuid}"}}"#)).unwrap();
            Batch::new(BatchId::first(), vec![line])
        };
        let mut kept = KeptFile::default();
        let mut append = |batch: &Batch| {
            let sync = SyncPolicy::BySystem;
            kept.append(folder.path(), &path, None, batch, sync)
                .unwrap();
        };
        append(&batch("one"));
        let other = folder.path().join("other");
        fs::write(&other, "{\"uuid\":\"two\"}\n").unwrap();
        fs::rename(&other, &path).unwrap();
        append(&batch("two"));
        append(&batch("one"));
        let expected = if cfg!(unix) {
            "{\"uuid\":\"two\"}\n{\"uuid\":\"one\"}\n"
        } else {
            "{\"uuid\":\"two\"}\n{\"uuid\":\"two\"}\n"
        };
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    }
}
