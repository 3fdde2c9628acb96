//! Hashes of delivered lines, to recognize them.

use std::fs::File;
use std::hash::{DefaultHasher, Hasher as _};
use std::io::{self, Seek as _, SeekFrom};

use super::cursor::Cursor;
use super::debounce::{Debounce, Look, Wait};
use super::window::Window;
use crate::lines::{Line, LineEnd, Lines};

/// An eight-byte hash of each delivered line, and the position of the first.
#[derive(Debug)]
pub(super) struct Delivered {
    base: Cursor,
    hashes: Vec<u64>,
}

/// How a file compares with the delivered lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It has all of them.
    Same,
    /// It ends before the last one: it was truncated, or is being rewritten.
    Shorter,
    /// It has different lines.
    Other,
}

impl Delivered {
    /// No lines yet, after a position.
    pub(super) fn behind(base: Cursor) -> Self {
        Self {
            base,
            hashes: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, line: &Line<'_>) {
        self.hashes.push(hash(line));
    }

    /// Compares a file with the delivered lines, and drops those that it does not have. Returns the
    /// position after the last line that is the same, or `None` if the file may be in the process of
    /// being rewritten, unless `is_final`.
    pub(super) fn resume_in(
        &mut self,
        file: &mut File,
        debounce: &mut Debounce,
        is_final: bool,
    ) -> io::Result<Option<(Window, Verdict)>> {
        let wait = debounce.look(Some(Look::of(&file.metadata()?)));
        if wait == Wait::On && !is_final {
            return Ok(None);
        }
        let (common, verdict) = self.compare(file)?;
        if verdict == Verdict::Shorter && wait == Wait::New && !is_final {
            return Ok(None);
        }
        debounce.clear();
        if common.offset < self.base.offset {
            *self = Self::behind(Cursor::start());
        } else {
            let known = common.lines.saturating_sub(self.base.lines);
            self.hashes.truncate(known as usize);
        }
        Ok(Some((common, verdict)))
    }

    fn compare(&self, file: &mut File) -> io::Result<(Window, Verdict)> {
        let Some(mut window) = Window::at(&self.base, file)? else {
            let verdict = match file.metadata()?.len() < self.base.offset {
                true => Verdict::Shorter,
                false => Verdict::Other,
            };
            return Ok((Window::default(), verdict));
        };
        file.seek(SeekFrom::Start(window.offset))?;
        let mut lines = Lines::new(file);
        let mut verdict = Verdict::Same;
        for delivered in &self.hashes {
            match lines.next_line()? {
                Some(line) if line.end != LineEnd::None && hash(&line) == *delivered => {
                    window.push(&line);
                    continue;
                }
                Some(line) if line.end != LineEnd::None => verdict = Verdict::Other,
                _ => verdict = Verdict::Shorter,
            }
            break;
        }
        Ok((window, verdict))
    }
}

/// The hash of a line, valid in this process. The line end is not included.
fn hash(line: &Line<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(line.raw);
    hasher.finish()
}
