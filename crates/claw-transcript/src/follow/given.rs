//! What was given, by which it is known again.

use std::fs::File;
use std::hash::{DefaultHasher, Hasher as _};
use std::io::{self, Seek as _, SeekFrom};

use super::cursor::Cursor;
use super::window::Window;
use crate::lines::{Line, LineEnd, Lines};

/// Eight bytes for each line that was given, and the place at which that began.
#[derive(Debug)]
pub(super) struct Given {
    base: Cursor,
    hashes: Vec<u64>,
}

/// How far a file has what was given.
#[derive(Debug)]
pub(super) struct Common {
    /// Behind the last line that is the same.
    pub(super) window: Window,
    pub(super) verdict: Verdict,
}

/// What a file is to what was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It has all of it.
    Same,
    /// It ends within: it was cut, or somebody writes it anew and is not done.
    Shorter,
    /// It goes on in another way.
    Other,
}

impl Given {
    /// Nothing yet, behind a place.
    pub(super) fn behind(base: Cursor) -> Self {
        Self {
            base,
            hashes: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, line: &Line<'_>) {
        self.hashes.push(hash(line));
    }

    /// Forgets what a file does not have.
    pub(super) fn keep(&mut self, common: &Window) {
        if common.offset() < self.base.offset {
            *self = Self::behind(Cursor::start());
        } else {
            let known = common.lines().saturating_sub(self.base.lines);
            self.hashes.truncate(known as usize);
        }
    }

    /// Reads a file from its start, as far as it is what was given.
    pub(super) fn compare(&self, file: &mut File) -> io::Result<Common> {
        let Some(mut window) = Window::at(&self.base, file)? else {
            let shorter = file.metadata()?.len() < self.base.offset;
            return Ok(Common {
                window: Window::default(),
                verdict: if shorter {
                    Verdict::Shorter
                } else {
                    Verdict::Other
                },
            });
        };
        file.seek(SeekFrom::Start(window.offset()))?;
        let mut lines = Lines::new(file);
        let mut verdict = Verdict::Same;
        for given in &self.hashes {
            match lines.next_line()? {
                Some(line) if line.end != LineEnd::None && hash(&line) == *given => {
                    window.push(&line);
                    continue;
                }
                Some(line) if line.end != LineEnd::None => verdict = Verdict::Other,
                _ => verdict = Verdict::Shorter,
            }
            break;
        }
        Ok(Common { window, verdict })
    }
}

/// By which a line is known again, in this process. How it ends does not matter.
fn hash(line: &Line<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(line.raw);
    hasher.finish()
}
