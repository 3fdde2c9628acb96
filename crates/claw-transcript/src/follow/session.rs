//! A session as it goes on: its own file and those of its subagents.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::{Cursor, Followed, Follower};
use crate::error::TranscriptError;
use crate::files::SessionFile;

/// How many files of subagents are held open. The others are opened when they grow.
const OPEN: usize = 64;

/// How often folders are listed that do not look changed.
const LIST_EVERY: Duration = Duration::from_secs(1);

/// Where a [`SessionFollower`] is: a cursor for each file, by its path from the session's folder.
pub type SessionCursor = BTreeMap<PathBuf, Cursor>;

/// Follows a session: the main file, and every subagent's file as it comes. However many there are,
/// few of them are open at a time.
///
/// ```no_run
/// use claw_transcript::{Followed, SessionFile, SessionFollower};
///
/// let main = SessionFile::at("/home/me/.claude/projects/-srv-shop/4f0c….jsonl")?;
/// let mut follower = SessionFollower::new(main);
/// loop {
///     follower.poll(|file, found| {
///         if let Followed::Line(line) = found {
///             println!("{} {} bytes", file.path.display(), line.raw.len());
///         }
///     })?;
///     std::thread::sleep(std::time::Duration::from_millis(50));
/// }
/// # Ok::<(), claw_transcript::TranscriptError>(())
/// ```
#[derive(Debug)]
pub struct SessionFollower {
    /// The main file first, then subagents as they came.
    followers: Vec<(SessionFile, Follower)>,
    /// Which files are followed.
    known: HashSet<PathBuf>,
    /// Subagents whose files are open, by their place; the one that grew last is last.
    open: VecDeque<usize>,
    resumed: SessionCursor,
    listed: Option<Listed>,
}

/// When folders were listed, and what the one with new subagents looked like.
#[derive(Debug)]
struct Listed {
    at: Instant,
    modified: Option<SystemTime>,
}

impl SessionFollower {
    /// Follows a session from its first line.
    pub fn new(main: SessionFile) -> Self {
        Self::resume(main, SessionCursor::new())
    }

    /// Goes on where another follower was.
    pub fn resume(main: SessionFile, mut cursor: SessionCursor) -> Self {
        let place = cursor.remove(&relative(&main.path, &main.path));
        let follower = match place {
            Some(place) => Follower::resume(&main.path, place),
            None => Follower::new(&main.path),
        };
        Self::with(main, follower, cursor)
    }

    /// Begins with the last lines of the main file, see [`Follower::last`]. Subagents are followed
    /// from their first line.
    pub fn last(main: SessionFile, count: u64) -> Self {
        let follower = Follower::last(&main.path, count);
        Self::with(main, follower, SessionCursor::new())
    }

    fn with(main: SessionFile, follower: Follower, resumed: SessionCursor) -> Self {
        Self {
            known: HashSet::from([main.path.clone()]),
            followers: vec![(main, follower)],
            open: VecDeque::new(),
            resumed,
            listed: None,
        }
    }

    /// Gives everything that is there and was not given yet, with the file it is in, and says how
    /// many lines that were.
    ///
    /// # Errors
    /// A file or the folder of subagents is there but cannot be read.
    pub fn poll(
        &mut self,
        found: impl FnMut(&SessionFile, Followed<'_>),
    ) -> Result<u64, TranscriptError> {
        self.step(false, found)
    }

    /// Polls as if nobody would write any more, see [`Follower::finish`].
    ///
    /// # Errors
    /// As [`SessionFollower::poll`].
    pub fn finish(
        &mut self,
        found: impl FnMut(&SessionFile, Followed<'_>),
    ) -> Result<u64, TranscriptError> {
        self.step(true, found)
    }

    /// Where it is in every file, to go on later.
    ///
    /// # Errors
    /// As [`Follower::cursor`].
    pub fn cursor(&mut self) -> Result<SessionCursor, TranscriptError> {
        let mut all = self.resumed.clone();
        let main = self.main().path.clone();
        for (file, follower) in &mut self.followers {
            let cursor = follower.cursor()?;
            all.extend(cursor.map(|cursor| (relative(&file.path, &main), cursor)));
        }
        Ok(all)
    }

    fn main(&self) -> &SessionFile {
        &self.followers[0].0
    }

    fn step(
        &mut self,
        hurried: bool,
        mut found: impl FnMut(&SessionFile, Followed<'_>),
    ) -> Result<u64, TranscriptError> {
        self.list()?;
        let mut count = 0;
        for at in 0..self.followers.len() {
            let (file, follower) = &mut self.followers[at];
            let found = |what: Followed<'_>| found(file, what);
            let lines = if hurried {
                follower.finish(found)?
            } else {
                follower.poll(found)?
            };
            count += lines;
            // The main file stays open: what is written to it just before it is replaced is then
            // not missed.
            if at > 0 && follower.is_open() {
                self.keep_open(at, lines > 0);
            }
        }
        Ok(count)
    }

    /// Notes that a subagent's file is open, and closes others when there are too many.
    fn keep_open(&mut self, at: usize, grew: bool) {
        let place = self.open.iter().position(|open| *open == at);
        match place {
            Some(_) if !grew => return,
            Some(place) => _ = self.open.remove(place),
            None => {}
        }
        self.open.push_back(at);
        // One that waits for something cannot be closed, and comes round again.
        for _ in OPEN..self.open.len() {
            let Some(oldest) = self.open.pop_front() else {
                return;
            };
            if !self.followers[oldest].1.park() {
                self.open.push_back(oldest);
            }
        }
    }

    /// Looks for files of subagents that are new.
    fn list(&mut self) -> Result<(), TranscriptError> {
        let main = self.main();
        let folder = main.companions().map(|folder| folder.join("subagents"));
        let meta = folder.and_then(|folder| std::fs::metadata(folder).ok());
        let modified = meta.and_then(|meta| meta.modified().ok());
        if let Some(listed) = &self.listed {
            // The time of a folder is coarse: one that changed just now may change again unseen.
            let passed = modified.and_then(|time| time.elapsed().ok());
            let still = modified.is_none() || passed.is_some_and(|passed| passed > 2 * LIST_EVERY);
            if listed.modified == modified && still && listed.at.elapsed() < LIST_EVERY {
                return Ok(());
            }
        }
        let files = main.agents()?;
        self.listed = Some(Listed {
            at: Instant::now(),
            modified,
        });
        for file in files {
            if !self.known.insert(file.path.clone()) {
                continue;
            }
            let relative = relative(&file.path, &self.main().path);
            let follower = match self.resumed.remove(&relative) {
                Some(cursor) => Follower::resume(&file.path, cursor),
                None => Follower::new(&file.path),
            };
            self.followers.push((file, follower));
        }
        Ok(())
    }
}

/// The path from the folder that the main file is in.
fn relative(path: &Path, main: &Path) -> PathBuf {
    let folder = main.parent().unwrap_or(Path::new(""));
    path.strip_prefix(folder).unwrap_or(path).to_path_buf()
}
