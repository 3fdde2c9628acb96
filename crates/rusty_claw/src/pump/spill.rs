//! Stores unread messages that do not fit into memory in files.
//!
//! Files have no name, and are split into segments, so that disk space is freed even if the reader
//! never catches up. Reads and writes block, so they run on blocking threads.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use super::unread::{TurnNumber, Unread};

/// The size after which a new segment begins.
const SEGMENT: u64 = 64 << 20;
/// How much is read back at once.
const READ: u64 = 1 << 20;
/// Before each line: the offset of its end in the CLI's output, and its length.
const HEADER: usize = 16;

/// The positions of one queue's lines in files.
#[derive(Debug, Default)]
pub(super) struct Spill {
    /// Unread lines, oldest first. A file is closed, and thereby removed, once its last run is read
    /// and nothing more is written to it.
    runs: VecDeque<Run>,
    /// The total length of all runs.
    unread: u64,
    /// The position for the next lines; `None` if a file must be created first.
    end: Option<Position>,
}

/// Consecutive unread lines of one turn in one file.
#[derive(Debug)]
struct Run {
    turn: TurnNumber,
    start: Position,
    length: u64,
}

/// A position in a file.
#[derive(Debug, Clone)]
pub(super) struct Position {
    file: Arc<Mutex<File>>,
    at: u64,
}

/// Lines to read.
#[derive(Debug, Clone)]
pub(crate) struct ReadAt {
    turn: TurnNumber,
    start: Position,
    length: u64,
}

impl Spill {
    /// Bytes that were written and not read back.
    pub(super) fn unread(&self) -> u64 {
        self.unread
    }

    /// The position for the next lines; `None` if a file must be created first.
    pub(super) fn end(&self) -> Option<Position> {
        self.end.clone().filter(|end| end.at < SEGMENT)
    }

    /// Sets the position after the last write. After a failed write it is `None`, because a write
    /// that timed out may still reach the file.
    pub(super) fn set_end(&mut self, end: Option<Position>) {
        self.end = end;
        self.close_if_read();
    }

    /// Adds lines that were written at a position.
    pub(super) fn add(&mut self, turn: TurnNumber, start: Position, length: u64) {
        self.unread += length;
        match self.runs.back_mut() {
            Some(last) if last.turn == turn && last.end().is_same(&start) => last.length += length,
            _ => self.runs.push_back(Run {
                turn,
                start,
                length,
            }),
        }
    }

    /// The oldest lines.
    pub(super) fn front(&self) -> Option<ReadAt> {
        let first = self.runs.front()?;
        Some(ReadAt {
            turn: first.turn,
            start: first.start.clone(),
            length: first.length,
        })
    }

    /// Marks the first `length` bytes of `read` as read. Returns `false` if these lines no longer
    /// belong to this queue.
    pub(super) fn took(&mut self, read: &ReadAt, length: u64) -> bool {
        let Some(first) = self.runs.front_mut() else {
            return false;
        };
        if !first.start.is_same(&read.start) {
            return false;
        }
        let length = length.min(first.length);
        first.start.at += length;
        first.length -= length;
        self.unread -= length;
        if first.length == 0 {
            self.runs.pop_front();
        }
        self.close_if_read();
        true
    }

    /// Moves the lines of some turns to another queue.
    pub(super) fn split(&mut self, is_moved: impl Fn(TurnNumber) -> bool) -> Self {
        let runs = std::mem::take(&mut self.runs).into_iter();
        let (moved, kept): (VecDeque<Run>, _) = runs.partition(|run| is_moved(run.turn));
        let unread = moved.iter().map(|run| run.length).sum();
        self.runs = kept;
        self.unread -= unread;
        self.close_if_read();
        Self {
            runs: moved,
            unread,
            end: None,
        }
    }

    fn close_if_read(&mut self) {
        if self.runs.is_empty() {
            *self = Self::default();
        }
    }
}

impl Run {
    fn end(&self) -> Position {
        self.start.advance(self.length)
    }
}

impl Position {
    pub(super) fn advance(&self, length: u64) -> Self {
        Self {
            file: Arc::clone(&self.file),
            at: self.at + length,
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.at == other.at && Arc::ptr_eq(&self.file, &other.file)
    }

    /// Writes lines at this position. Blocks.
    pub(super) fn write(&self, lines: &[u8]) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.at))?;
        file.write_all(lines)
    }
}

/// Encodes a line for a file.
pub(super) fn encode(unread: &Unread, into: &mut Vec<u8>) {
    into.extend_from_slice(&unread.offset.to_le_bytes());
    into.extend_from_slice(&(unread.raw.len() as u64).to_le_bytes());
    into.extend_from_slice(&unread.raw);
}

/// The size of a line in a file, in bytes.
pub(super) fn encoded_length(unread: &Unread) -> u64 {
    (HEADER + unread.raw.len()) as u64
}

/// Appends lines to a file, or writes them to a new one. Returns their position. Blocks.
pub(super) fn write(end: Option<Position>, lines: &[u8]) -> io::Result<Position> {
    let start = match end {
        Some(end) => end,
        None => Position {
            file: Arc::new(Mutex::new(tempfile::tempfile()?)),
            at: 0,
        },
    };
    start.write(lines)?;
    Ok(start)
}

impl ReadAt {
    /// The number of bytes to read.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Reads whole lines: as many as fit into [`READ`], at least one. Blocks.
    pub(crate) fn read(&self) -> io::Result<(Vec<Unread>, u64)> {
        let file = self.start.file.lock();
        let mut file = file.unwrap_or_else(PoisonError::into_inner);
        let mut bytes = self.bytes(&mut file, READ.min(self.length))?;
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
                turn: self.turn,
            });
        }
        Ok((lines, taken))
    }

    fn bytes(&self, file: &mut File, length: u64) -> io::Result<Vec<u8>> {
        file.seek(SeekFrom::Start(self.start.at))?;
        let mut bytes = vec![0; length as usize];
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

/// The length of the first record, including its header.
fn first_record(bytes: &[u8]) -> Option<u64> {
    let mut length = [0; 8];
    length.copy_from_slice(bytes.get(8..HEADER)?);
    Some(HEADER as u64 + u64::from_le_bytes(length))
}
