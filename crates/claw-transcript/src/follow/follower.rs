//! Follows one file.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::cursor::{Cursor, Identity};
use super::debounce::{Debounce, Look, Wait};
use super::delivered::Delivered;
use super::event::{Change, Followed};
use super::reading::{Doubt, Reading};
use super::renamed::Renamed;
use super::rotated::{self, After};
use super::window::Window;
use crate::error::TranscriptError;
use crate::library::if_present;
use crate::lines::last_lines;

/// The interval of polls in [`Follower::wait`].
const LOOK_EVERY: Duration = Duration::from_millis(15);

/// How long a state that may be temporary must last.
const TIMEOUT: Duration = Duration::from_millis(250);

/// Reads a file as it grows.
///
/// Each line is delivered once, when it is complete. A rotated file is read to its end before the
/// new one. After a file was truncated, rewritten or replaced, reading continues after the lines
/// that it still has, and [`Followed::Changed`] reports their number: no line is delivered again
/// without notice. To recognize lines, eight bytes of each are kept.
///
/// There is no background thread: [`Follower::poll`] reads what is there now. A file that does not
/// exist yet has no lines. A file that looks truncated may be in the process of being rewritten, so
/// this is only reported by a later poll, a quarter of a second after it was first seen.
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
    delivered: Delivered,
    place: Place,
    renamed: Renamed,
    /// The files that were rotated before the open one.
    older: Vec<Identity>,
    debounce: Debounce,
}

/// The position of a follower.
#[derive(Debug)]
enum Place {
    Open(Reading),
    /// The file is not open yet; start at this position.
    At(Cursor),
    /// The file is not open yet; start this number of lines before its end.
    Last(u64),
    /// The file was closed. There is nothing to read while it has this state.
    Parked(Cursor, Option<Look>),
}

impl Follower {
    /// Follows a file from its first line.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self::resume(path, Cursor::start())
    }

    /// Resumes where another follower stopped. If the file was rotated since, it is found by its
    /// content as `NAME.1`, `NAME.2` and so on. If no file has the content before the cursor,
    /// reports a change and starts over.
    pub fn resume(path: impl Into<PathBuf>, cursor: Cursor) -> Self {
        Self {
            path: path.into(),
            delivered: Delivered::behind(cursor.clone()),
            place: Place::At(cursor),
            renamed: Renamed::default(),
            older: Vec::new(),
            debounce: Debounce::new(TIMEOUT),
        }
    }

    /// Starts with the last `count` lines that the file has at the first poll, without reading the
    /// rest. Line numbers start at the first delivered line.
    pub fn last(path: impl Into<PathBuf>, count: u64) -> Self {
        Self {
            place: Place::Last(count),
            ..Self::new(path)
        }
    }

    /// How long a file must look truncated, or be missing, before that is accepted; 250 ms by
    /// default. A rotated file is watched for twenty times as long after its last write.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.debounce = Debounce::new(patience);
        self
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Delivers everything new, and returns the number of lines.
    ///
    /// # Errors
    /// The file exists but cannot be read. The next call continues after the lines delivered so
    /// far.
    pub fn poll(&mut self, mut found: impl FnMut(Followed<'_>)) -> Result<u64, TranscriptError> {
        let count = self.step(false, &mut found);
        count.map_err(TranscriptError::io("follow", &self.path))
    }

    /// Polls as if nothing more were written: does not wait, and also delivers a last line without
    /// a newline. The position stays before such a line, so it is delivered again when it is
    /// complete, or by the next call of this method.
    ///
    /// # Errors
    /// As [`Follower::poll`].
    pub fn finish(&mut self, mut found: impl FnMut(Followed<'_>)) -> Result<u64, TranscriptError> {
        let count = self.step(true, &mut found);
        count.map_err(TranscriptError::io("follow", &self.path))
    }

    /// Polls until a line was delivered or the timeout has passed.
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

    /// The position, to resume later or in another process. `None` if no file was found yet.
    ///
    /// # Errors
    /// Currently none.
    pub fn cursor(&mut self) -> Result<Option<Cursor>, TranscriptError> {
        Ok(match &self.place {
            Place::Open(open) => Some(open.cursor()),
            Place::At(cursor) if *cursor == Cursor::start() => None,
            Place::At(cursor) | Place::Parked(cursor, _) => Some(cursor.clone()),
            Place::Last(_) => None,
        })
    }

    /// Returns whether a file is open.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.place, Place::Open(_))
    }

    /// Closes the file until it changes. Returns `false` if a rotated file is still being watched.
    pub(super) fn park(&mut self) -> bool {
        if let Place::Open(open) = &self.place
            && self.renamed.is_empty()
        {
            self.place = Place::Parked(open.cursor(), open.settled());
        }
        !self.is_open()
    }

    /// Reads everything new. If `is_final`, does not wait for states that may be temporary.
    fn step(&mut self, is_final: bool, found: &mut impl FnMut(Followed<'_>)) -> io::Result<u64> {
        let mut count = self.renamed.read(is_final, found)?;
        self.begin()?;
        while let Place::Open(open) = &mut self.place {
            // Get the identity before reading: everything written to the old file before it was
            // renamed is then read.
            let named = Identity::of(&self.path)?;
            let gone = named != Some(open.identity);
            let now = is_final || gone;
            count += open.read(&mut self.delivered, &mut self.debounce, now, found)?;
            if !gone || !self.go_on(is_final, found)? {
                break;
            }
        }
        if let (Place::Open(open), true) = (&mut self.place, is_final) {
            count += open.unfinished(|line| found(Followed::Line(line)))?;
        }
        Ok(count)
    }

    /// Switches from a file that lost its name to the next one. Returns `false` if there is none
    /// yet.
    fn go_on(&mut self, is_final: bool, found: &mut impl FnMut(Followed<'_>)) -> io::Result<bool> {
        let Place::Open(open) = &self.place else {
            return Ok(false);
        };
        let has_a_name = open.has_a_name()?;
        let read = open.identity;
        let look = |is_final| rotated::after(&self.path, read, &self.older, has_a_name, is_final);
        let mut after = look(is_final)?;
        if matches!(after, After::Unsettled) && self.debounce.look(None) == Wait::Over {
            after = look(true)?;
        }
        let After::File {
            mut file,
            identity,
            present,
            older,
        } = after
        else {
            return Ok(false);
        };
        // A program that rewrites a file may rename the old one first.
        let is_final = is_final || !present;
        let common = self
            .delivered
            .resume_in(&mut file, &mut self.debounce, is_final)?;
        let Some((window, _)) = common else {
            return Ok(false);
        };
        self.older = older;
        let rotated = window.offset == 0 && has_a_name;
        let kept = window.lines;
        let next = Place::Open(Reading::new((file, identity), window, None));
        if let Place::Open(old) = std::mem::replace(&mut self.place, next) {
            self.renamed.push(old, rotated, &self.debounce);
        }
        found(Followed::Changed(if rotated {
            Change::Rotated
        } else {
            Change::Replaced { kept }
        }));
        Ok(true)
    }

    /// Opens the file if it exists and may have changed.
    fn begin(&mut self) -> io::Result<()> {
        let cursor = match &self.place {
            Place::Open(_) => return Ok(()),
            Place::Parked(_, Some(look)) if self.looks_as(*look)? => return Ok(()),
            Place::At(cursor) | Place::Parked(cursor, _) => cursor.clone(),
            Place::Last(count) => {
                let count = *count;
                return self.begin_before_end(count);
            }
        };
        let present = rotated::opened(&self.path)?;
        let old = rotated::old(&self.path)?;
        self.older = old.iter().map(|(_, identity)| *identity).collect();
        let old = old.iter().map(|(path, _)| rotated::opened(path));
        // A file that matches was rotated. One that only has the same identity was truncated
        // before.
        let (mut stranger, mut cut) = (None, None);
        for (number, opened) in std::iter::once(Ok(present)).chain(old).enumerate() {
            let Some((mut file, identity)) = opened? else {
                continue;
            };
            let same = cursor.file == Some(identity);
            let is_new = number == 0 && cursor.file.is_none();
            if (cursor.offset > 0 || same || is_new)
                && let Some(window) = Window::at(&cursor, &mut file)?
            {
                self.place = Place::Open(Reading::new((file, identity), window, None));
                return Ok(());
            }
            if same {
                cut = Some((file, identity));
            } else if number == 0 {
                stranger = Some((file, identity));
            }
        }
        let (file, doubt) = match (cut, stranger) {
            (Some(file), _) => (file, Some((Doubt::Cut, cursor))),
            (None, Some(file)) if cursor.offset > 0 => (file, Some((Doubt::Replaced, cursor))),
            (None, Some(file)) => (file, None),
            (None, None) => return Ok(()),
        };
        self.place = Place::Open(Reading::new(file, Window::default(), doubt));
        Ok(())
    }

    fn begin_before_end(&mut self, count: u64) -> io::Result<()> {
        let Some((mut file, identity)) = rotated::opened(&self.path)? else {
            return Ok(());
        };
        let old = rotated::old(&self.path)?.into_iter();
        self.older = old.map(|(_, identity)| identity).collect();
        let offset = last_lines(&mut file, count)?;
        let window = Window::load(&mut file, offset, 0)?.unwrap_or_default();
        self.delivered = Delivered::behind(window.cursor(identity));
        self.place = Place::Open(Reading::new((file, identity), window, None));
        Ok(())
    }

    fn looks_as(&self, look: Look) -> io::Result<bool> {
        let meta = if_present(std::fs::metadata(&self.path))?;
        Ok(meta.is_none_or(|meta| Look::of(&meta) == look))
    }
}
