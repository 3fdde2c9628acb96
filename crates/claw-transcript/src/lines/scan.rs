//! The buffer for reading lines.

use std::io::{ErrorKind, Read, Result};

use memchr::{memchr, memrchr};

/// The number of bytes per read. Larger pieces leave the processor's cache before they are used.
const PIECE: usize = 256 * 1024;

/// A buffer larger than this is shrunk once less than a quarter of it is used.
const LONG: usize = 8 * 1024 * 1024;

/// A buffer of bytes that were read and not yet taken.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    /// The bytes not yet taken are `bytes[start..end]`.
    start: usize,
    end: usize,
    /// The number of these bytes that are known to have no newline.
    searched: usize,
}

impl Buffer {
    pub(crate) fn clear(&mut self) {
        (self.start, self.end, self.searched) = (0, 0, 0);
    }

    /// Reads until there is a complete line, and returns its length with the newline. At the end of
    /// the reader, the rest is a line.
    #[inline]
    pub(super) fn fill_line(&mut self, reader: &mut impl Read) -> Result<Option<usize>> {
        self.fill_until(reader, memchr)
    }

    /// Reads until there is a newline, and returns the length up to the last one. At the end of the
    /// reader, the rest is a line.
    pub(crate) fn fill_lines(&mut self, reader: &mut impl Read) -> Result<Option<usize>> {
        self.fill_until(reader, memrchr)
    }

    fn fill_until(
        &mut self,
        reader: &mut impl Read,
        find: impl Fn(u8, &[u8]) -> Option<usize>,
    ) -> Result<Option<usize>> {
        loop {
            let unsearched = &self.bytes[self.start + self.searched..self.end];
            if let Some(at) = find(b'\n', unsearched) {
                return Ok(Some(self.searched + at + 1));
            }
            self.searched = self.end - self.start;
            if self.fill(reader)? == 0 {
                let rest = self.end - self.start;
                return Ok((rest > 0).then_some(rest));
            }
        }
    }

    /// Drops the bytes up to the next newline, and returns their number.
    pub(crate) fn skip_line(&mut self, reader: &mut impl Read) -> Result<u64> {
        let mut skipped = 0;
        loop {
            let rest = &self.bytes[self.start..self.end];
            let line = memchr(b'\n', rest).map(|at| at + 1);
            let length = line.unwrap_or(rest.len());
            skipped += self.take(length).len() as u64;
            if line.is_some() || self.fill(reader)? == 0 {
                return Ok(skipped);
            }
        }
    }

    /// Returns the first bytes without taking them.
    pub(crate) fn peek(&self, length: usize) -> &[u8] {
        &self.bytes[self.start..self.start + length]
    }

    /// Takes the first bytes.
    pub(crate) fn take(&mut self, length: usize) -> &[u8] {
        let from = self.start;
        self.start += length;
        self.searched = 0;
        &self.bytes[from..from + length]
    }

    /// Reads more bytes; zero at the end.
    fn fill(&mut self, reader: &mut impl Read) -> Result<usize> {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.bytes.len() {
            // Growing by a fraction keeps the copying of a very long line linear. The fraction is
            // small, because the line may end soon.
            let more = (self.bytes.len() / 8).max(PIECE);
            self.bytes.reserve_exact(more);
            self.bytes.resize(self.bytes.len() + more, 0);
        } else if self.bytes.len() > LONG && self.end < self.bytes.len() / 4 {
            // Free the memory of a single long line.
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
