//! A file that grows, is rotated, cut or replaced: every line once.

mod cursor;
mod rotated;
mod session;

use std::fs::File;
use std::hash::{DefaultHasher, Hasher as _};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::error::TranscriptError;
use crate::library::is_absent;
use crate::lines::{Line, LineEnd, Lines};

pub use cursor::Cursor;
use cursor::Identity;
pub use session::{SessionCursor, SessionFollower};

/// How often a file is looked at while somebody waits for it.
const LOOK_EVERY: Duration = Duration::from_millis(15);

/// What was found in a file that is followed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Followed<'a> {
    /// The next line. Only whole lines are given, with their newline, but for the last one of a
    /// file that was replaced.
    Line(Line<'a>),
    /// The file is another one, or was cut. What follows lies behind what was given before, as far
    /// as the contents tell.
    Changed(Change),
}

/// Why a file is not what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// There is another file by this name. The old one was read to its end.
    Replaced,
    /// It is shorter than it was, or has other contents.
    Cut {
        /// How many lines from the start are still those that were given. They are not given
        /// again.
        kept: u64,
    },
}

/// Reads a file as it grows.
///
/// Lines are given when their newline is there, each once: a file that was rotated away is read to
/// its end before the new one begins, and one that was cut goes on behind what it still has. It
/// remembers eight bytes for each line given, by which it knows them again.
///
/// Nothing waits and nothing runs beside: [`Follower::poll`] reads what is there now. A file that
/// does not exist yet has no lines yet.
///
/// ```
/// use claw_transcript::{Followed, Follower};
///
/// let dir = tempfile::tempdir()?;
/// let path = dir.path().join("session.jsonl");
/// std::fs::write(&path, "{\"type\":\"user\"}\n{\"type\":")?;
/// let mut follower = Follower::new(&path);
/// let mut seen = 0;
/// follower.poll(|found| {
///     if let Followed::Line(_) = found {
///         seen += 1;
///     }
/// })?;
/// assert_eq!(seen, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    open: Option<Open>,
    /// The files that were rotated away before the open one.
    older: Vec<Identity>,
    /// Where to go on once the file is open.
    start: Start,
}

#[derive(Debug)]
enum Start {
    Beginning,
    Cursor(Cursor),
}

/// A file that is being read.
#[derive(Debug)]
struct Open {
    file: File,
    identity: Identity,
    /// Where the next line begins.
    offset: u64,
    /// Lines before `offset`.
    lines: u64,
    /// When it was last written to, as of the last look.
    modified: Option<SystemTime>,
    /// Of every line given from this file, from line `first_known` on.
    given: Vec<u64>,
    first_known: u64,
}

impl Follower {
    /// Follows a file from its first line.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            open: None,
            older: Vec::new(),
            start: Start::Beginning,
        }
    }

    /// Goes on where another follower was. When the file is not the one the cursor was taken from,
    /// that is said, and it begins anew.
    pub fn resume(path: impl Into<PathBuf>, cursor: Cursor) -> Self {
        Self {
            start: Start::Cursor(cursor),
            ..Self::new(path)
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives everything that is there and was not given yet, and says how many lines that were.
    ///
    /// # Errors
    /// The file is there but cannot be read. What was given stays given; the next call goes on.
    pub fn poll(&mut self, mut found: impl FnMut(Followed<'_>)) -> Result<u64, TranscriptError> {
        let mut count = 0;
        if self.open.is_none() && !self.begin(&mut found)? {
            return Ok(0);
        }
        let Some(open) = &mut self.open else {
            return Ok(0);
        };
        let io = |error| TranscriptError::io("follow", &self.path)(error);
        // Which file has the name is asked before reading: what is in the old one then is all that
        // will ever be in it.
        let named = Identity::of(&self.path).map_err(io)?;
        count += open.read(false, &mut found).map_err(io)?;
        if named == Some(open.identity) || named.is_none() {
            return Ok(count);
        }
        let since = rotated::since(&self.path, open.identity, &self.older).map_err(io)?;
        if !since.files.is_empty() {
            self.older = since.older;
        }
        for file in since.files {
            // Nobody will finish the last line of a file that is gone.
            count += open.read(true, &mut found).map_err(io)?;
            found(Followed::Changed(Change::Replaced));
            *open = Open::new(file).map_err(io)?;
            count += open.read(false, &mut found).map_err(io)?;
        }
        Ok(count)
    }

    /// Polls until something was found or the time is over.
    ///
    /// # Errors
    /// As [`Follower::poll`].
    pub fn wait(
        &mut self,
        timeout: Duration,
        mut found: impl FnMut(Followed<'_>),
    ) -> Result<u64, TranscriptError> {
        let end = Instant::now() + timeout;
        loop {
            let count = self.poll(&mut found)?;
            let left = end.saturating_duration_since(Instant::now());
            if count > 0 || left.is_zero() {
                return Ok(count);
            }
            std::thread::sleep(LOOK_EVERY.min(left));
        }
    }

    /// Where it is, to go on later or in another process. `None` before the first line was read.
    ///
    /// # Errors
    /// The file cannot be read again.
    pub fn cursor(&mut self) -> Result<Option<Cursor>, TranscriptError> {
        if let (None, Start::Cursor(cursor)) = (&self.open, &self.start) {
            return Ok(Some(cursor.clone()));
        }
        let Some(open) = &mut self.open else {
            return Ok(None);
        };
        let cursor = Cursor::take(&mut open.file, open.offset, open.lines);
        cursor
            .map(Some)
            .map_err(TranscriptError::io("follow", &self.path))
    }

    /// Opens the file; `false` when it is not there yet.
    fn begin(&mut self, found: &mut impl FnMut(Followed<'_>)) -> Result<bool, TranscriptError> {
        let io = |error| TranscriptError::io("follow", &self.path)(error);
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if is_absent(&error) => return Ok(false),
            Err(error) => return Err(io(error)),
        };
        let mut open = Open::new(file).map_err(io)?;
        if let Start::Cursor(cursor) = std::mem::replace(&mut self.start, Start::Beginning) {
            if cursor.fits(&mut open.file).map_err(io)? {
                open.offset = cursor.offset();
                open.lines = cursor.lines();
                open.first_known = cursor.lines();
            } else {
                found(Followed::Changed(Change::Cut { kept: 0 }));
            }
        }
        self.older = rotated::older(&self.path).map_err(io)?;
        self.open = Some(open);
        Ok(true)
    }
}

impl Open {
    fn new(file: File) -> std::io::Result<Self> {
        let identity = Identity::of_file(&file)?;
        Ok(Self {
            file,
            identity,
            offset: 0,
            lines: 0,
            modified: None,
            given: Vec::new(),
            first_known: 0,
        })
    }

    /// Gives the whole lines behind what was given; `to_the_end` also what has no newline.
    fn read(
        &mut self,
        to_the_end: bool,
        found: &mut impl FnMut(Followed<'_>),
    ) -> std::io::Result<u64> {
        let meta = self.file.metadata()?;
        let length = meta.len();
        let modified = meta.modified().ok();
        // A file of the same length may have been cut and grown again.
        if length == self.offset && modified.is_some() && modified == self.modified {
            return Ok(0);
        }
        self.modified = modified;
        if length < self.offset || !self.last_is_there()? {
            self.rewind()?;
            found(Followed::Changed(Change::Cut { kept: self.lines }));
        }
        self.file.seek(SeekFrom::Start(self.offset))?;
        // Not beyond the length that was looked at: what comes later may stand where something else
        // was cut off, which only the next look can tell.
        let seen = (&mut self.file).take(length.saturating_sub(self.offset));
        let mut lines = Lines::new(seen).starting_at(self.lines, self.offset);
        let mut count = 0;
        while let Some(line) = lines.next_line()? {
            // The writer is not done with it.
            if line.end == LineEnd::None && !to_the_end {
                break;
            }
            self.given.push(hash(&line));
            self.offset += line.len_with_end();
            self.lines += 1;
            count += 1;
            found(Followed::Line(line));
        }
        Ok(count)
    }

    /// Whether the line that was given last still ends where it did. A file that was cut and grew
    /// again looks like one that only grew.
    fn last_is_there(&mut self) -> std::io::Result<bool> {
        let Some(last) = self.given.last().copied() else {
            return Ok(true);
        };
        let start = self.last_line_start()?;
        self.file.seek(SeekFrom::Start(start))?;
        let mut lines = Lines::new((&mut self.file).take(self.offset - start));
        Ok(lines
            .next_line()?
            .is_some_and(|line| hash(&line) == last && start + line.len_with_end() == self.offset))
    }

    /// Where the line before `offset` begins.
    fn last_line_start(&mut self) -> std::io::Result<u64> {
        let mut end = self.offset.saturating_sub(1);
        let mut piece = [0; 4096];
        while end > 0 {
            let start = end.saturating_sub(piece.len() as u64);
            let piece = &mut piece[..(end - start) as usize];
            self.file.seek(SeekFrom::Start(start))?;
            if self.file.read_exact(piece).is_err() {
                // It was cut just now.
                return Ok(0);
            }
            if let Some(at) = memchr::memrchr(b'\n', piece) {
                return Ok(start + at as u64 + 1);
            }
            end = start;
        }
        Ok(0)
    }

    /// Goes back to behind the lines that were given and are still there.
    fn rewind(&mut self) -> std::io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        let mut lines = Lines::new(&mut self.file);
        let (mut kept, mut offset) = (0, 0);
        // Lines from before a cursor are not known; if the file still has as many, they are
        // taken to be those.
        while let Some(line) = lines.next_line()? {
            let known = usize::try_from(kept).ok().and_then(|at| {
                at.checked_sub(self.first_known as usize)
                    .map(|at| self.given.get(at).copied())
            });
            let same = match known {
                None => true,
                Some(given) => given == Some(hash(&line)),
            };
            if !same || line.end == LineEnd::None {
                break;
            }
            kept += 1;
            offset += line.len_with_end();
        }
        self.offset = offset;
        self.lines = kept;
        let known = kept.saturating_sub(self.first_known);
        self.given.truncate(known as usize);
        self.first_known = self.first_known.min(kept);
        Ok(())
    }
}

/// By which a line is known again, in this process.
fn hash(line: &Line<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(line.raw);
    hasher.write_u8(b'\n');
    hasher.finish()
}

#[cfg(test)]
mod tests;
