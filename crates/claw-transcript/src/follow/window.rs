//! The content before a position in a file, to recognize it.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use super::cursor::{Cursor, Identity, hash};
use crate::lines::Line;

/// The number of bytes kept of each end.
const END: usize = 4096;

/// A position after lines that were read, with the first and the last bytes before it.
///
/// The length does not identify a file: it may have been truncated and grown again, or be another
/// file.
#[derive(Debug, Clone, Default)]
pub(super) struct Window {
    /// The offset of the next line.
    pub(super) offset: u64,
    /// The number of lines before it.
    pub(super) lines: u64,
    head: Vec<u8>,
    /// Up to twice as long as needed, so that not every line moves it.
    tail: Vec<u8>,
}

impl Window {
    /// Loads the content before a position; `None` if the file is shorter.
    pub(super) fn load(file: &mut File, offset: u64, lines: u64) -> io::Result<Option<Self>> {
        let end = END as u64;
        let head = bytes(file, 0, offset.min(end))?;
        let tail = bytes(file, offset.saturating_sub(end), offset)?;
        let whole = head.len() as u64 == offset.min(end) && tail.len() == head.len();
        Ok(whole.then_some(Self {
            offset,
            lines,
            head,
            tail,
        }))
    }

    /// Advances past a line.
    pub(super) fn push(&mut self, line: &Line<'_>) {
        for bytes in [line.raw, line.end.bytes()] {
            let room = END - self.head.len();
            self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
            let last = &bytes[bytes.len().saturating_sub(END)..];
            if self.tail.len() + last.len() > 2 * END {
                let keep = self.tail.len().saturating_sub(END);
                self.tail.drain(..keep);
            }
            self.tail.extend_from_slice(last);
        }
        self.offset += line.len_with_end();
        self.lines += 1;
    }

    /// Returns whether the file still has the content before this position.
    pub(super) fn is_in(&self, file: &mut File) -> io::Result<bool> {
        let there = Self::load(file, self.offset, self.lines)?;
        Ok(there.is_some_and(|there| there.head == self.head && there.tail() == self.tail()))
    }

    /// The position as a cursor.
    pub(super) fn cursor(&self, file: Identity) -> Cursor {
        Cursor {
            offset: self.offset,
            lines: self.lines,
            head: hash(&self.head),
            tail: hash(self.tail()),
            file: Some(file),
        }
    }

    /// The position of a cursor, if the file has the content before it.
    pub(super) fn at(cursor: &Cursor, file: &mut File) -> io::Result<Option<Self>> {
        let there = Self::load(file, cursor.offset, cursor.lines)?;
        Ok(there
            .filter(|there| hash(&there.head) == cursor.head && hash(there.tail()) == cursor.tail))
    }

    /// The last bytes before the position.
    pub(super) fn tail(&self) -> &[u8] {
        &self.tail[self.tail.len().saturating_sub(END)..]
    }
}

pub(super) fn bytes(file: &mut File, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity((to - from) as usize);
    file.seek(SeekFrom::Start(from))?;
    file.take(to - from).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::lines::Lines;

    #[test]
    fn a_window_that_was_pushed_is_one_that_is_loaded() {
        let text: String = (0..2000)
            .map(|number| format!("{}\n", "x".repeat(number % 977 * (number % 11))))
            .collect();
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(text.as_bytes()).expect("written");
        let mut window = Window::default();
        let mut lines = Lines::new(text.as_bytes());
        while let Some(line) = lines.next_line().expect("memory does not fail") {
            window.push(&line);
            assert!(window.is_in(&mut file).expect("readable"));
        }
        file.set_len(text.len() as u64 - 1).expect("cut");
        assert!(!window.is_in(&mut file).expect("readable"));
    }
}
