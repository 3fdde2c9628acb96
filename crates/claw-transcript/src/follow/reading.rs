//! A file that is being read.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};

use super::cursor::{Cursor, Identity};
use super::debounce::{Debounce, Look};
use super::delivered::{Delivered, Verdict};
use super::event::{Change, Followed};
use super::window::{Window, bytes};
use crate::lines::{Line, LineEnd, Lines};

/// The number of bytes before the position that are compared between two reads.
const ENOUGH: usize = 4096;

/// An open file and the position in it.
#[derive(Debug)]
pub(super) struct Reading {
    file: File,
    pub(super) identity: Identity,
    window: Window,
    /// The suspected change, if the content before the position differs. With the cursor of a
    /// resumed follower, if its content was not found in this file.
    doubt: Option<(Doubt, Option<Cursor>)>,
    /// The last state of the file, if any change would be visible.
    looked: Option<Look>,
}

/// A suspected change of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// It was truncated or rewritten.
    Cut,
    /// It is another file.
    Replaced,
}

impl Reading {
    /// Starts to read. `doubt` is for a file without the content before a cursor.
    pub(super) fn new(
        (file, identity): (File, Identity),
        window: Window,
        doubt: Option<(Doubt, Cursor)>,
    ) -> Self {
        Self {
            file,
            identity,
            window,
            doubt: doubt.map(|(doubt, sought)| (doubt, Some(sought))),
            looked: None,
        }
    }

    /// The position as a cursor.
    pub(super) fn cursor(&self) -> Cursor {
        match &self.doubt {
            Some((_, Some(sought))) => sought.clone(),
            _ => self.window.cursor(self.identity),
        }
    }

    /// Returns whether the file still has a name; always `true` on systems other than Unix.
    pub(super) fn has_a_name(&self) -> io::Result<bool> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            Ok(self.file.metadata()?.nlink() > 0)
        }
        #[cfg(not(unix))]
        Ok(true)
    }

    /// The last state of the file, if everything was read in that state.
    pub(super) fn settled(&self) -> Option<Look> {
        self.looked.filter(|_| self.doubt.is_none())
    }

    /// Delivers new lines. If delivered lines are no longer there, reports how many are and
    /// continues after these; at once if `is_final`.
    pub(super) fn read(
        &mut self,
        delivered: &mut Delivered,
        debounce: &mut Debounce,
        is_final: bool,
        found: &mut impl FnMut(Followed<'_>),
    ) -> io::Result<u64> {
        let look = self.look()?;
        if self.looked == Some(look) {
            return Ok(0);
        }
        self.looked = None;
        if self.doubt.is_none() && !self.is_as_it_was(look.len)? {
            self.doubt = Some((Doubt::Cut, None));
        }
        if let Some((doubt, _)) = self.doubt {
            let common = delivered.resume_in(&mut self.file, debounce, is_final)?;
            let Some((window, verdict)) = common else {
                return Ok(0);
            };
            self.window = window;
            self.doubt = None;
            let kept = self.window.lines;
            match doubt {
                Doubt::Replaced => found(Followed::Changed(Change::Replaced { kept })),
                // The file still has all delivered lines, so the change is not reported.
                Doubt::Cut if verdict == Verdict::Same => {}
                Doubt::Cut => found(Followed::Changed(Change::Cut { kept })),
            }
        }
        let count = self.lines(look.len, |line| {
            delivered.push(&line);
            found(Followed::Line(line));
        })?;
        self.looked = Some(look).filter(|look| look.would_show());
        Ok(count)
    }

    /// Delivers the complete lines after the position, up to a length of the file.
    pub(super) fn lines(&mut self, len: u64, mut each: impl FnMut(Line<'_>)) -> io::Result<u64> {
        let (number, offset) = (self.window.lines, self.window.offset);
        // Do not read beyond the length that was checked: later bytes may follow a truncation,
        // which only the next poll can detect.
        let still = StillThere {
            file: &mut self.file,
            before: self.window.tail().to_vec(),
            at: offset,
            end: len,
        };
        let mut lines = Lines::new(still).starting_at(number, offset);
        let mut count = 0;
        while let Some(line) = lines.next_line()? {
            // The line is not complete.
            if line.end == LineEnd::None {
                break;
            }
            self.window.push(&line);
            count += 1;
            each(line);
        }
        Ok(count)
    }

    /// Delivers what follows the last newline, if anything. The position stays before it.
    pub(super) fn unfinished(&mut self, each: impl FnOnce(Line<'_>)) -> io::Result<u64> {
        if self.doubt.is_some() {
            return Ok(0);
        }
        let (number, offset) = (self.window.lines, self.window.offset);
        self.file.seek(SeekFrom::Start(offset))?;
        let mut lines = Lines::new(&mut self.file).starting_at(number, offset);
        match lines.next_line()? {
            Some(line) if line.end == LineEnd::None => {
                each(line);
                Ok(1)
            }
            _ => Ok(0),
        }
    }

    /// Returns whether the content before the position is unchanged.
    pub(super) fn is_as_it_was(&mut self, len: u64) -> io::Result<bool> {
        Ok(len >= self.window.offset && self.window.is_in(&mut self.file)?)
    }

    pub(super) fn look(&self) -> io::Result<Look> {
        Ok(Look::of(&self.file.metadata()?))
    }
}

/// Reads a file while the content before the position is unchanged.
///
/// The file may be truncated and written again between two reads. Bytes read then follow other
/// content, and may be the middle of a line, so they are left to the next poll.
struct StillThere<'a> {
    file: &'a mut File,
    /// The last bytes that were read, which end at `at`.
    before: Vec<u8>,
    at: u64,
    end: u64,
}

impl Read for StillThere<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = self.end.saturating_sub(self.at).min(into.len() as u64);
        if most == 0 {
            return Ok(0);
        }
        self.file.seek(SeekFrom::Start(self.at))?;
        let read = self.file.read(&mut into[..most as usize])?;
        let start = self.at - self.before.len() as u64;
        if bytes(self.file, start, self.at)? != self.before {
            self.end = self.at;
            return Ok(0);
        }
        if read >= ENOUGH {
            self.before.clear();
        }
        let last = &into[read.saturating_sub(ENOUGH)..read];
        self.before.extend_from_slice(last);
        self.at += read as u64;
        Ok(read)
    }
}
