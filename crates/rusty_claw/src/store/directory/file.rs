//! One key's file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::super::batch::Batch;
use super::super::compact::{agent_metadata, compact};
use super::super::dedup::Dedup;
use super::super::error::StoreError;
use super::SyncPolicy;
use crate::Json;

/// What is known of a key's file.
#[derive(Debug, Default)]
pub(super) struct KeptFile {
    dedup: Dedup,
    /// How far the file was read; what is behind it was written by somebody else.
    read_to: u64,
    /// Whether the last line has no end.
    open_ended: bool,
}

impl KeptFile {
    /// Forgets the lines, not which batches were stored.
    pub(super) fn forget_lines(&mut self) {
        self.dedup.forget_lines();
        self.read_to = 0;
        self.open_ended = false;
    }

    /// Forgets everything: the file is about to go.
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
        let (mut file, is_new) =
            open(path).map_err(|error| StoreError::io(said("cannot open"), error))?;
        self.catch_up(&mut file)
            .map_err(|error| StoreError::io(said("cannot read"), error))?;
        let fresh = self.dedup.fresh(batch);
        let mut lines = String::new();
        if self.open_ended {
            // A crash has cut the last line off. It stays, and stays alone.
            lines.push('\n');
        }
        for entry in &fresh {
            // What a CLI prints has no newline between its tokens; what others give may have.
            if entry.text().contains('\n') {
                lines.push_str(&compact(entry.text()));
            } else {
                lines.push_str(entry.text());
            }
            lines.push('\n');
        }
        let before = self.read_to;
        let written = all_or_nothing(&mut file, before, |file| {
            file.write_all(lines.as_bytes())?;
            match sync {
                SyncPolicy::EachAppend => {
                    file.sync_data()?;
                    if is_new {
                        sync_folders(root, path)?;
                    }
                }
                SyncPolicy::BySystem => {}
            }
            Ok(())
        });
        if let Err(error) = written {
            // Whatever is there now is read again before the next append.
            self.forget_lines();
            return Err(StoreError::io(said("cannot write"), error));
        }
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

    /// Reads what was written since, or all of it when the file is another one.
    fn catch_up(&mut self, file: &mut File) -> io::Result<()> {
        let length = file.metadata()?.len();
        if length < self.read_to {
            self.forget_lines();
        }
        if length == self.read_to {
            return Ok(());
        }
        file.seek(SeekFrom::Start(self.read_to))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        for entry in entries(&bytes) {
            self.dedup.learn(&entry);
        }
        self.read_to += bytes.len() as u64;
        self.open_ended = bytes.last().is_some_and(|last| *last != b'\n');
        Ok(())
    }
}

/// Appends to a file of this length, and takes back what was written when that fails: if half a
/// batch stayed, its lines without a `uuid` would be there twice after the retry.
fn all_or_nothing(
    file: &mut File,
    before: u64,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let written = write(file);
    if written.is_err()
        && let Err(error) = file.set_len(before)
    {
        tracing::warn!(%error, "half a batch could not be taken back from a file");
    }
    written
}

/// All lines of a file, or nothing when there is none.
pub(super) fn load(path: &Path) -> Result<Option<Vec<Json>>, StoreError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(entries(&bytes).collect())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io(
            format!("cannot read {}", path.display()),
            error,
        )),
    }
}

/// The lines that are JSON objects. Others are what a crash has left.
fn entries(bytes: &[u8]) -> impl Iterator<Item = Json> {
    bytes.split(|byte| *byte == b'\n').filter_map(|line| {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_matches(['\0', ' ', '\t', '\r']);
        if !text.starts_with('{') {
            return None;
        }
        Json::from_text(text).ok()
    })
}

/// Opens a file for reading and appending, and says whether it was made for that.
fn open(path: &Path) -> io::Result<(File, bool)> {
    let mut options = OpenOptions::new();
    options.read(true).append(true);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened.map(|file| (file, false)),
    }
    if let Some(folder) = path.parent() {
        make_private_folder(folder)?;
    }
    options.create(true);
    private(&mut options);
    Ok((options.open(path)?, true))
}

/// Makes a folder and those above it, for this user only.
pub(in crate::store) fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Files that are made with these are for this user only.
pub(in crate::store) fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    #[cfg(not(unix))]
    let _ = options;
}

/// Puts a text in a file's place, at once.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Forces the names of a new file and of its folders to the disk.
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
    use super::*;

    #[test]
    fn half_a_batch_is_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p/s.jsonl");
        let (mut file, is_new) = open(&path).unwrap();
        assert!(is_new);
        file.write_all(b"{}\n").unwrap();
        let failed = all_or_nothing(&mut file, 3, |file| {
            file.write_all(b"{\"half\":")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert!(failed.is_err());
        all_or_nothing(&mut file, 3, |file| file.write_all(b"{\"a\":1}\n")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}\n{\"a\":1}\n");
    }
}
