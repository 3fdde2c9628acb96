//! One file that is being read.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};

use super::cursor::{Cursor, Identity};
use super::given::{Given, Verdict};
use super::patience::{Look, Patience, Wait};
use super::window::Window;
use super::{Change, Followed};
use crate::lines::{Line, LineEnd, Lines};

/// By how many bytes before it a place is known again, between two reads.
const ENOUGH: usize = 4096;

/// A file, and the place in it.
#[derive(Debug)]
pub(super) struct Reading {
    file: File,
    pub(super) identity: Identity,
    window: Window,
    /// When it does not look as it did, what has become of it.
    doubt: Option<Doubt>,
    /// Where somebody was who came to this file and did not find it as it was.
    sought: Option<Cursor>,
    /// As of the last look, if a change would show.
    looked: Option<Look>,
}

/// What has become of a file that is not as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// It was cut or written anew.
    Cut,
    /// It is another one.
    Replaced,
}

impl Reading {
    pub(super) fn new(file: File, identity: Identity, window: Window) -> Self {
        Self {
            file,
            identity,
            window,
            doubt: None,
            sought: None,
            looked: None,
        }
    }

    /// A file that does not have what was before a cursor.
    pub(super) fn doubted(mut self, doubt: Doubt, cursor: Cursor) -> Self {
        self.doubt = Some(doubt);
        self.sought = Some(cursor);
        self
    }

    /// The place, for later.
    pub(super) fn cursor(&self) -> Cursor {
        match &self.sought {
            Some(cursor) if self.doubt.is_some() => cursor.clone(),
            _ => self.window.cursor(self.identity),
        }
    }

    /// Whether the file still has a name.
    pub(super) fn has_a_name(&self) -> io::Result<bool> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            Ok(self.file.metadata()?.nlink() > 0)
        }
        #[cfg(not(unix))]
        Ok(true)
    }

    /// What the file looked like, when nothing is left to find in what it was then.
    pub(super) fn settled(&self) -> Option<Look> {
        self.looked.filter(|_| self.doubt.is_none())
    }

    /// Gives the whole lines behind what was given. When that is not there any more, says how much
    /// of it is, and goes on behind that; at once when it is `hurried`.
    pub(super) fn read(
        &mut self,
        given: &mut Given,
        patience: &mut Patience,
        hurried: bool,
        found: &mut impl FnMut(Followed<'_>),
    ) -> io::Result<u64> {
        let look = Look::of(&self.file.metadata()?);
        if self.looked == Some(look) {
            return Ok(0);
        }
        self.looked = None;
        if self.doubt.is_none() && !self.is_as_it_was(look.len)? {
            self.doubt = Some(Doubt::Cut);
        }
        if let Some(doubt) = self.doubt {
            let wait = patience.look(Some(look));
            if wait == Wait::On && !hurried {
                return Ok(0);
            }
            let common = given.compare(&mut self.file)?;
            if common.verdict == Verdict::Shorter && wait == Wait::New && !hurried {
                return Ok(0);
            }
            patience.clear();
            given.keep(&common.window);
            self.window = common.window;
            self.doubt = None;
            let kept = self.window.lines();
            match doubt {
                Doubt::Replaced => found(Followed::Changed(Change::Replaced { kept })),
                // What was given is there: nobody needs to know.
                Doubt::Cut if common.verdict == Verdict::Same => {}
                Doubt::Cut => found(Followed::Changed(Change::Cut { kept })),
            }
        }
        let count = self.lines(look.len, |line| {
            given.push(&line);
            found(Followed::Line(line));
        })?;
        self.looked = Some(look).filter(|look| look.would_show());
        Ok(count)
    }

    /// Gives the whole lines behind the place, up to a length.
    pub(super) fn lines(&mut self, len: u64, mut each: impl FnMut(Line<'_>)) -> io::Result<u64> {
        let (number, offset) = (self.window.lines(), self.window.offset());
        // Not beyond the length that was looked at: what comes later may stand where something else
        // was cut off, which only the next look can tell.
        let still = StillThere::new(&mut self.file, &self.window, len);
        let mut lines = Lines::new(still).starting_at(number, offset);
        let mut count = 0;
        while let Some(line) = lines.next_line()? {
            // The writer is not done with it.
            if line.end == LineEnd::None {
                break;
            }
            self.window.push(&line);
            count += 1;
            each(line);
        }
        Ok(count)
    }

    /// Gives what is behind the last newline, if anything, and stays before it.
    pub(super) fn unfinished(&mut self, each: impl FnOnce(Line<'_>)) -> io::Result<u64> {
        if self.doubt.is_some() {
            return Ok(0);
        }
        let (number, offset) = (self.window.lines(), self.window.offset());
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

    /// Whether what was read still stands before the place.
    pub(super) fn is_as_it_was(&mut self, len: u64) -> io::Result<bool> {
        Ok(len >= self.window.offset() && self.window.is_in(&mut self.file)?)
    }

    pub(super) fn look(&self) -> io::Result<Look> {
        Ok(Look::of(&self.file.metadata()?))
    }
}

/// Reads a file as long as what was read before stays where it was.
///
/// Somebody may cut the file and write to it again between two reads. What is read then lies behind
/// something else, and may be the middle of a line: it is left for the next look.
struct StillThere<'a> {
    file: &'a mut File,
    /// What was read last, which ends at `at`.
    before: Vec<u8>,
    at: u64,
    end: u64,
}

impl<'a> StillThere<'a> {
    fn new(file: &'a mut File, window: &Window, end: u64) -> Self {
        Self {
            file,
            before: window.tail().to_vec(),
            at: window.offset(),
            end,
        }
    }
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
        self.file.seek(SeekFrom::Start(start))?;
        let mut now = Vec::with_capacity(self.before.len());
        let before = self.before.len() as u64;
        (&mut *self.file).take(before).read_to_end(&mut now)?;
        if now != self.before {
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
