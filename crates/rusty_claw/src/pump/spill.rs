//! Unread messages that do not fit into memory wait in files.
//!
//! Files without a name, in segments, so that what was read is given back to the disk although
//! the reader never catches up. Reading and writing block, so they are done on blocking threads.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use super::lane::Unread;

/// A segment that is longer is followed by another.
const SEGMENT: u64 = 64 << 20;
/// How much is read back at once.
const READ: u64 = 1 << 20;
/// Before each line: where the line ends in the CLI's output, and how long it is.
const HEADER: usize = 16;

/// The files, as the lane sees them: positions only.
#[derive(Debug, Default)]
pub(super) struct Spill {
    segments: VecDeque<Segment>,
}

#[derive(Debug)]
struct Segment {
    file: SharedFile,
    written: u64,
    read: u64,
    /// Somebody writes to it right now, so it stays although it is read out.
    writing: bool,
    /// Nothing is written to it any more: a write that was given up may still land in it.
    sealed: bool,
}

type SharedFile = Arc<Mutex<File>>;

/// A place to write to.
#[derive(Debug)]
pub(super) struct WriteAt {
    file: SharedFile,
    at: u64,
}

/// A place to read from.
#[derive(Debug)]
pub(crate) struct ReadAt {
    file: SharedFile,
    at: u64,
    end: u64,
}

impl Spill {
    /// Bytes that were written and not read back.
    pub(super) fn unread(&self) -> u64 {
        let left = |segment: &Segment| segment.written - segment.read;
        self.segments.iter().map(left).sum()
    }

    /// Where the next lines go; `None` when a file must be made first. To be followed by
    /// [`Spill::wrote`] or [`Spill::not_written`].
    pub(super) fn end(&mut self) -> Option<WriteAt> {
        let last = self.segments.back_mut()?;
        if last.written >= SEGMENT || last.sealed {
            return None;
        }
        last.writing = true;
        Some(WriteAt {
            file: Arc::clone(&last.file),
            at: last.written,
        })
    }

    /// Lines were written to a new file.
    pub(super) fn add_segment(&mut self, file: File, written: u64) {
        self.segments.push_back(Segment {
            file: Arc::new(Mutex::new(file)),
            written,
            read: 0,
            writing: false,
            sealed: false,
        });
    }

    /// Lines were written at the end.
    pub(super) fn wrote(&mut self, length: u64) {
        if let Some(last) = self.segments.back_mut() {
            last.written += length;
            last.writing = false;
        }
    }

    /// Lines were not written at the end after all.
    pub(super) fn not_written(&mut self) {
        if let Some(last) = self.segments.back_mut() {
            last.writing = false;
            last.sealed = true;
        }
        self.drop_read_out();
    }

    /// Closes files that are read out, and with that removes them.
    fn drop_read_out(&mut self) {
        let done = |first: &Segment| first.read >= first.written && !first.writing;
        while self.segments.front().is_some_and(done) {
            self.segments.pop_front();
        }
    }

    /// Where the oldest lines are.
    pub(super) fn front(&self) -> Option<ReadAt> {
        let first = self.segments.front()?;
        if first.read >= first.written {
            return None;
        }
        Some(ReadAt {
            file: Arc::clone(&first.file),
            at: first.read,
            end: first.written,
        })
    }

    /// Gives up the oldest file; returns how many bytes of it were not read.
    pub(super) fn skip_segment(&mut self) -> u64 {
        let Some(first) = self.segments.front_mut() else {
            return 0;
        };
        let skipped = first.written - first.read;
        first.read = first.written;
        self.drop_read_out();
        skipped
    }

    /// Lines were read from the front.
    pub(super) fn took(&mut self, length: u64) {
        if let Some(first) = self.segments.front_mut() {
            first.read += length;
        }
        self.drop_read_out();
    }
}

/// The bytes of a line as they stand in a file.
pub(super) fn encode(unread: &Unread, into: &mut Vec<u8>) {
    into.extend_from_slice(&unread.offset.to_le_bytes());
    into.extend_from_slice(&(unread.raw.len() as u64).to_le_bytes());
    into.extend_from_slice(&unread.raw);
}

/// Makes a file and writes the first lines. Blocks.
pub(super) fn begin(lines: &[u8]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(lines)?;
    Ok(file)
}

impl WriteAt {
    /// Writes lines. Blocks.
    pub(super) fn write(&self, lines: &[u8]) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.at))?;
        file.write_all(lines)
    }
}

impl ReadAt {
    /// Reads whole lines: as many as fit into [`READ`], at least one. Blocks.
    pub(crate) fn read(&self) -> io::Result<(Vec<Unread>, u64)> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = self.bytes(&mut file, READ.min(self.end - self.at))?;
        if let Some(whole) = first_record(&bytes)
            && whole > bytes.len() as u64
        {
            bytes = self.bytes(&mut file, whole)?;
        }
        drop(file);
        let mut bytes = Bytes::from(bytes);
        let mut lines = Vec::new();
        let mut taken = 0;
        while let Some(length) = first_record(&bytes)
            && length <= bytes.len() as u64
        {
            let mut record = bytes.split_to(length as usize);
            taken += length;
            let mut offset = [0; 8];
            offset.copy_from_slice(&record[..8]);
            let raw = record.split_off(HEADER);
            lines.push(Unread {
                raw,
                offset: u64::from_le_bytes(offset),
            });
        }
        Ok((lines, taken))
    }

    fn bytes(&self, file: &mut File, length: u64) -> io::Result<Vec<u8>> {
        file.seek(SeekFrom::Start(self.at))?;
        let mut bytes = vec![0; length as usize];
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

/// How long the first record is, header included.
fn first_record(bytes: &[u8]) -> Option<u64> {
    let mut length = [0; 8];
    length.copy_from_slice(bytes.get(8..HEADER)?);
    Some(HEADER as u64 + u64::from_le_bytes(length))
}
