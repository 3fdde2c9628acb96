//! The buffer in which lines are found.

use std::io::{ErrorKind, Read, Result};

use memchr::memchr;

/// How much is read at once. Larger pieces fall out of the processor's cache before they are used.
const PIECE: usize = 256 * 1024;

/// More room than this is given back when it is not needed any more.
const LONG: usize = 8 * 1024 * 1024;

/// A piece of a file; what is taken is a prefix of what was read and not taken yet.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    /// What was not taken yet is `bytes[start..end]`.
    start: usize,
    end: usize,
    /// How much of that is known to hold no newline.
    searched: usize,
}

impl Buffer {
    pub(super) fn clear(&mut self) {
        (self.start, self.end, self.searched) = (0, 0, 0);
    }

    /// Reads until a whole line is there, and says how long it is with its newline. At the end of
    /// the reader the rest is a line.
    pub(super) fn fill_line(&mut self, reader: &mut impl Read) -> Result<Option<usize>> {
        loop {
            let unsearched = &self.bytes[self.start + self.searched..self.end];
            if let Some(at) = memchr(b'\n', unsearched) {
                return Ok(Some(self.searched + at + 1));
            }
            self.searched = self.end - self.start;
            if self.fill(reader)? == 0 {
                let rest = self.end - self.start;
                return Ok((rest > 0).then_some(rest));
            }
        }
    }

    /// The first bytes, which stay.
    pub(super) fn peek(&self, length: usize) -> &[u8] {
        &self.bytes[self.start..self.start + length]
    }

    /// The first bytes, which are gone with the next call.
    pub(super) fn take(&mut self, length: usize) -> &[u8] {
        let from = self.start;
        self.start += length;
        self.searched = 0;
        &self.bytes[from..from + length]
    }

    /// Reads once more behind what is there; zero at the end.
    fn fill(&mut self, reader: &mut impl Read) -> Result<usize> {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.bytes.len() {
            // Growing by a part of what is there keeps the copying of a very long line linear; the
            // part is small, because the line may end soon.
            let more = (self.bytes.len() / 8).max(PIECE);
            self.bytes.reserve_exact(more);
            self.bytes.resize(self.bytes.len() + more, 0);
        } else if self.bytes.len() > LONG && self.end < self.bytes.len() / 4 {
            // One long line is no reason to keep its room for all that follow.
            self.bytes.truncate(LONG.max(2 * self.end));
            self.bytes.shrink_to_fit();
        }
        loop {
            match reader.read(&mut self.bytes[self.end..]) {
                Ok(read) => {
                    self.end += read;
                    return Ok(read);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
