//! A file that grows, is rotated, cut, written anew or replaced: every line once.

mod cursor;
mod given;
mod left;
mod patience;
mod reading;
mod rotated;
mod session;
mod window;

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::TranscriptError;
use crate::lines::{Line, last_lines};

pub use cursor::Cursor;
use cursor::Identity;
use given::{Given, Verdict};
use left::Left;
use patience::{Look, Patience, Wait};
use reading::{Doubt, Reading};
use rotated::After;
pub use session::{SessionCursor, SessionFollower};
use window::Window;

/// How often a file is looked at while somebody waits for it.
const LOOK_EVERY: Duration = Duration::from_millis(15);

/// How long something that may pass must last.
const PATIENCE: Duration = Duration::from_millis(250);

/// What was found in a file that is followed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Followed<'a> {
    /// The next line. Only whole lines are given, with their newline, but for the last one of a
    /// file that was rotated away, and for what [`Follower::finish`] gives.
    Line(Line<'a>),
    /// What was given is not, or not all, what stands in the file now.
    Changed(Change),
}

/// Why a file is not what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// It was renamed, and a new one has its name. The old one was read to its end, and the new one
    /// follows from its start. What somebody still writes to the old one is given when it comes.
    Rotated,
    /// Another file was put in its place.
    Replaced {
        /// How many lines from the start are those that were given. They are not given again.
        kept: u64,
    },
    /// It is shorter than it was, or has other contents.
    Cut {
        /// As in [`Change::Replaced`].
        kept: u64,
    },
}

impl Change {
    /// How many of the lines that were given stand at the start of the file as it is now. Whoever
    /// drops the others, and takes the lines that follow, has what the file has.
    pub fn kept(self) -> u64 {
        match self {
            Self::Rotated => 0,
            Self::Replaced { kept } | Self::Cut { kept } => kept,
        }
    }
}

/// Reads a file as it grows.
///
/// Lines are given when their newline is there, each once. A file that was rotated away is read to
/// its end before the new one begins. One that was cut, written anew or replaced goes on behind the
/// lines that it still has, and [`Followed::Changed`] says how many these are: never is a line given
/// again without a word. To know lines again, it remembers eight bytes of each.
///
/// Nothing waits and nothing runs beside: [`Follower::poll`] reads what is there now. A file that
/// does not exist yet has no lines yet. One that looks cut may be one that somebody is writing anew,
/// so that is told by a later poll, when it has looked so for a quarter of a second.
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
    given: Given,
    place: Place,
    left: Left,
    /// The files that were rotated away before the open one.
    older: Vec<Identity>,
    patience: Patience,
}

/// Where a follower is.
#[derive(Debug)]
enum Place {
    Open(Reading),
    /// The file is to be opened, at this place.
    At(Cursor),
    /// The file is to be opened, so many lines before its end.
    Last(u64),
    /// The file was closed; as long as it looks so, there is nothing to find.
    Parked(Cursor, Option<Look>),
}

impl Follower {
    /// Follows a file from its first line.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self::resume(path, Cursor::start())
    }

    /// Goes on where another follower was. When the file was rotated away meanwhile, it is found by
    /// its contents under `NAME.1`, `NAME.2` and so on. When the file does not have what was before
    /// the cursor, that is said, and it begins anew.
    pub fn resume(path: impl Into<PathBuf>, cursor: Cursor) -> Self {
        Self {
            path: path.into(),
            given: Given::behind(cursor.clone()),
            place: Place::At(cursor),
            left: Left::default(),
            older: Vec::new(),
            patience: Patience::new(PATIENCE),
        }
    }

    /// Begins with the last lines that the file has when it is first looked at, without reading the
    /// rest. Lines are then counted from the first one given.
    pub fn last(path: impl Into<PathBuf>, count: u64) -> Self {
        Self {
            place: Place::Last(count),
            ..Self::new(path)
        }
    }

    /// For how long a file must look cut, or be nowhere, before it is taken to be; a quarter of a
    /// second when not set. A file that was rotated away is looked at twenty times as long after it
    /// was last written to.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = Patience::new(patience);
        self
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
        let count = self.step(false, &mut found);
        count.map_err(TranscriptError::io("follow", &self.path))
    }

    /// Polls as if nobody would write any more: nothing is waited for, and the last line is given
    /// also when it has no newline. The place stays before such a line, so that it is given again
    /// when it is finished, or when this is called again.
    ///
    /// # Errors
    /// As [`Follower::poll`].
    pub fn finish(&mut self, mut found: impl FnMut(Followed<'_>)) -> Result<u64, TranscriptError> {
        let count = self.step(true, &mut found);
        count.map_err(TranscriptError::io("follow", &self.path))
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

    /// Where it is, to go on later or in another process. `None` when no file was found yet.
    ///
    /// # Errors
    /// None now: the place is known without looking. It may have to be looked up in times to come.
    pub fn cursor(&mut self) -> Result<Option<Cursor>, TranscriptError> {
        Ok(match &self.place {
            Place::Open(open) => Some(open.cursor()),
            Place::At(cursor) if *cursor == Cursor::start() => None,
            Place::At(cursor) | Place::Parked(cursor, _) => Some(cursor.clone()),
            Place::Last(_) => None,
        })
    }

    /// Whether a file is held open.
    fn is_open(&self) -> bool {
        matches!(self.place, Place::Open(_))
    }

    /// Closes the file until it changes; `false` when an old one is still looked at.
    fn park(&mut self) -> bool {
        if let Place::Open(open) = &self.place
            && self.left.is_empty()
        {
            self.place = Place::Parked(open.cursor(), open.settled());
        }
        !self.is_open()
    }

    /// Reads what is there. `hurried` when there will be no other chance.
    fn step(&mut self, hurried: bool, found: &mut impl FnMut(Followed<'_>)) -> io::Result<u64> {
        let mut count = self.left.read(hurried, found)?;
        self.begin()?;
        while let Place::Open(open) = &mut self.place {
            // Which file has the name is asked before reading: what is in the old one then is what
            // was in it when it lost its name.
            let named = Identity::of(&self.path)?;
            let gone = named != Some(open.identity);
            let now = hurried || gone;
            count += open.read(&mut self.given, &mut self.patience, now, found)?;
            if !gone || !self.go_on(hurried, found)? {
                break;
            }
        }
        if let (Place::Open(open), true) = (&mut self.place, hurried) {
            count += open.unfinished(|line| found(Followed::Line(line)))?;
        }
        Ok(count)
    }

    /// Leaves a file that lost its name for the one that came after it; `false` when there is none
    /// yet.
    fn go_on(&mut self, hurried: bool, found: &mut impl FnMut(Followed<'_>)) -> io::Result<bool> {
        let Place::Open(open) = &self.place else {
            return Ok(false);
        };
        let has_a_name = open.has_a_name()?;
        let read = open.identity;
        let look = |hurried| rotated::after(&self.path, read, &self.older, has_a_name, hurried);
        let mut after = look(hurried)?;
        if matches!(after, After::Unsettled) && self.patience.look(None) == Wait::Over {
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
        // Whoever makes a file anew may first rename the old one.
        let hurried = hurried || !present;
        let wait = self.patience.look(Some(Look::of(&file.metadata()?)));
        if wait == Wait::On && !hurried {
            return Ok(false);
        }
        let common = self.given.compare(&mut file)?;
        if common.verdict == Verdict::Shorter && wait == Wait::New && !hurried {
            return Ok(false);
        }
        self.patience.clear();
        self.older = older;
        self.given.keep(&common.window);
        let rotated = common.window.offset() == 0 && has_a_name;
        let kept = common.window.lines();
        let next = Place::Open(Reading::new(file, identity, common.window));
        if let Place::Open(old) = std::mem::replace(&mut self.place, next) {
            self.left.push(old, rotated, &self.patience);
        }
        found(Followed::Changed(if rotated {
            Change::Rotated
        } else {
            Change::Replaced { kept }
        }));
        Ok(true)
    }

    /// Opens the file, if it is there and there may be something in it.
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
        let mut present = rotated::opened(&self.path)?;
        let old = rotated::old(&self.path)?;
        self.older = old.iter().map(|(_, identity)| *identity).collect();
        let is_it = |identity: Identity| cursor.file.is_none_or(|file| file == identity);
        if let Some((file, identity)) = &mut present
            && (cursor.offset > 0 || is_it(*identity))
            && let Some(window) = Window::at(&cursor, file)?
        {
            self.open(present, window, None);
            return Ok(());
        }
        // One that fits was rotated away; one that only is the same file was cut before that.
        let mut cut = present.take_if(|(_, identity)| cursor.file == Some(*identity));
        for (path, _) in old {
            let Some((mut file, identity)) = rotated::opened(&path)? else {
                continue;
            };
            let same = cursor.file == Some(identity);
            if (cursor.offset > 0 || same)
                && let Some(window) = Window::at(&cursor, &mut file)?
            {
                self.open(Some((file, identity)), window, None);
                return Ok(());
            }
            if same {
                cut = Some((file, identity));
            }
        }
        if cut.is_some() {
            self.open(cut, Window::default(), Some((Doubt::Cut, cursor)));
        } else {
            let doubt = (cursor.offset > 0).then_some((Doubt::Replaced, cursor));
            self.open(present, Window::default(), doubt);
        }
        Ok(())
    }

    fn begin_before_end(&mut self, count: u64) -> io::Result<()> {
        let Some((mut file, identity)) = rotated::opened(&self.path)? else {
            return Ok(());
        };
        self.older = rotated::old(&self.path)?
            .into_iter()
            .map(|old| old.1)
            .collect();
        let offset = last_lines(&mut file, count)?;
        let window = Window::load(&mut file, offset, 0)?.unwrap_or_default();
        self.given = Given::behind(window.cursor(identity));
        self.open(Some((file, identity)), window, None);
        Ok(())
    }

    fn open(
        &mut self,
        file: Option<(std::fs::File, Identity)>,
        window: Window,
        doubt: Option<(Doubt, Cursor)>,
    ) {
        if let Some((file, identity)) = file {
            let mut reading = Reading::new(file, identity, window);
            if let Some((doubt, cursor)) = doubt {
                reading = reading.doubted(doubt, cursor);
            }
            self.place = Place::Open(reading);
        }
    }

    fn looks_as(&self, look: Look) -> io::Result<bool> {
        match std::fs::metadata(&self.path) {
            Ok(meta) => Ok(Look::of(&meta) == look),
            Err(error) if crate::library::is_absent(&error) => Ok(true),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests;
