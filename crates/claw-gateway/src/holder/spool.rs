//! The output of a CLI that is not stored yet: the older part in memory, the newer in a file.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::PathBuf;

use bytes::Bytes;

/// The largest piece that is read or moved at once.
const PIECE: usize = 64 << 10;

/// A queue of bytes that are addressed by their offset in the output of the CLI.
#[derive(Debug)]
pub(super) struct Spool {
    /// The offset of the first byte.
    first: u64,
    /// The bytes before those of the file.
    memory: VecDeque<u8>,
    file: Option<SpoolFile>,
    /// The path at which a file is created. It is removed at once, so that none outlives its
    /// process.
    path: PathBuf,
    most_memory: usize,
    most_file: u64,
}

#[derive(Debug)]
struct SpoolFile {
    file: File,
    /// The offset of the first byte of the file.
    begin: u64,
    length: u64,
}

impl Spool {
    pub(super) fn new(path: PathBuf, most_memory: usize, most_file: u64) -> Self {
        Self {
            first: 0,
            memory: VecDeque::new(),
            file: None,
            path,
            most_memory,
            most_file,
        }
    }

    pub(super) fn first(&self) -> u64 {
        self.first
    }

    pub(super) fn end(&self) -> u64 {
        match &self.file {
            Some(file) => file.begin + file.length,
            None => self.first + self.memory.len() as u64,
        }
    }

    /// Whether another piece may be added. If not, the CLI must wait.
    pub(super) fn has_room(&self) -> bool {
        let file = self.file.as_ref();
        file.is_none_or(|file| file.length < self.most_file)
    }

    /// Adds output. Nothing is added if this fails.
    pub(super) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(file) = &mut self.file else {
            if self.memory.len() + bytes.len() <= self.most_memory {
                self.memory.extend(bytes);
                return Ok(());
            }
            let mut file = SpoolFile {
                file: create(&self.path)?,
                begin: self.end(),
                length: 0,
            };
            file.push(bytes)?;
            self.file = Some(file);
            return Ok(());
        };
        file.push(bytes)
    }

    /// Returns some bytes from an offset on; none at the end.
    pub(super) fn read(&self, offset: u64, most: u64) -> io::Result<Bytes> {
        let most = usize::try_from(most).unwrap_or(PIECE).min(PIECE);
        let skipped = usize::try_from(offset.saturating_sub(self.first)).unwrap_or(usize::MAX);
        if skipped < self.memory.len() {
            let end = self.memory.len().min(skipped.saturating_add(most));
            return Ok(self.memory.range(skipped..end).copied().collect());
        }
        match &self.file {
            Some(file) => Ok(file.read(offset, most)?.into()),
            None => Ok(Bytes::new()),
        }
    }

    /// Drops the output before an offset.
    pub(super) fn drop_to(&mut self, offset: u64) -> io::Result<()> {
        let offset = offset.clamp(self.first, self.end());
        let dropped = usize::try_from(offset - self.first).unwrap_or(usize::MAX);
        self.memory.drain(..dropped.min(self.memory.len()));
        if self.memory.is_empty() {
            self.memory.shrink_to(PIECE);
        }
        self.first = offset;
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let dead = offset.saturating_sub(file.begin);
        // Each byte is moved at most once for each byte that is dropped.
        if dead == 0 || dead < file.length - dead {
            return Ok(());
        }
        if file.length - dead > self.most_memory as u64 {
            return file.drop_front(dead);
        }
        let mut rest = Vec::new();
        while (rest.len() as u64) < file.length - dead {
            rest.extend(file.read(offset + rest.len() as u64, PIECE)?);
        }
        self.memory = rest.into();
        self.file = None;
        Ok(())
    }
}

impl SpoolFile {
    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, self.length)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn read(&self, offset: u64, most: usize) -> io::Result<Vec<u8>> {
        let at = offset.saturating_sub(self.begin).min(self.length);
        let length = usize::try_from(self.length - at).map_or(most, |rest| rest.min(most));
        let mut bytes = vec![0; length];
        self.file.read_exact_at(&mut bytes, at)?;
        Ok(bytes)
    }

    /// Moves the rest to the front. The front is longer than the rest, so if this fails, nothing
    /// was overwritten that is still needed.
    fn drop_front(&mut self, dead: u64) -> io::Result<()> {
        let mut moved = 0;
        while moved < self.length - dead {
            let piece = self.read(self.begin + dead + moved, PIECE)?;
            self.file.write_all_at(&piece, moved)?;
            moved += piece.len() as u64;
        }
        self.begin += dead;
        self.length = moved;
        self.file.set_len(moved)
    }
}

fn create(path: &PathBuf) -> io::Result<File> {
    let mut options = File::options();
    let options = options.read(true).write(true).create_new(true).mode(0o600);
    let file = match options.open(path) {
        // An earlier holder was killed before it removed its own.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            options.open(path)?
        }
        opened => opened?,
    };
    fs::remove_file(path)?;
    Ok(file)
}

#[cfg(test)]
mod tests;
