//! Follows a session: its main file and those of its subagents.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::cursor::Cursor;
use super::event::Followed;
use super::follower::Follower;
use crate::error::TranscriptError;
use crate::files::SessionFile;

/// Maximum number of open subagent files. The others are opened when they grow.
const OPEN: usize = 64;

/// How often unchanged folders are listed.
const LIST_EVERY: Duration = Duration::from_secs(1);

/// The position of a [`SessionFollower`]: a cursor for each file, by its path relative to the
/// folder of the main file.
pub type SessionCursor = BTreeMap<PathBuf, Cursor>;

/// Follows a session: the main file, and each subagent's file when it appears. Only a few of them
/// are open at a time.
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
    /// The main file first, then subagents in the order of their discovery.
    followers: Vec<(SessionFile, Follower)>,
    /// The paths of all followed files.
    known: HashSet<PathBuf>,
    /// Indices of subagents whose files are open; the one that grew last is last.
    open: VecDeque<usize>,
    resumed: SessionCursor,
    /// The time of the last listing, and the modification time of the folder then.
    listed: Option<(Instant, Option<SystemTime>)>,
}

impl SessionFollower {
    /// Follows a session from its first line.
    pub fn new(main: SessionFile) -> Self {
        Self::resume(main, SessionCursor::new())
    }

    /// Resumes where another follower stopped.
    pub fn resume(main: SessionFile, mut cursor: SessionCursor) -> Self {
        let place = cursor.remove(&relative(&main.path, &main.path));
        let follower = Follower::resume(&main.path, place.unwrap_or_else(Cursor::start));
        Self::with(main, follower, cursor)
    }

    /// Starts with the last lines of the main file, see [`Follower::last`]. Subagents are followed
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

    /// Delivers everything new with its file, and returns the number of lines.
    ///
    /// # Errors
    /// A file or the folder of subagents exists but cannot be read.
    pub fn poll(
        &mut self,
        found: impl FnMut(&SessionFile, Followed<'_>),
    ) -> Result<u64, TranscriptError> {
        self.step(false, found)
    }

    /// Polls as if nothing more were written, see [`Follower::finish`].
    ///
    /// # Errors
    /// As [`SessionFollower::poll`].
    pub fn finish(
        &mut self,
        found: impl FnMut(&SessionFile, Followed<'_>),
    ) -> Result<u64, TranscriptError> {
        self.step(true, found)
    }

    /// The position in every file, to resume later.
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
        is_final: bool,
        mut found: impl FnMut(&SessionFile, Followed<'_>),
    ) -> Result<u64, TranscriptError> {
        self.list()?;
        let mut count = 0;
        for at in 0..self.followers.len() {
            let (file, follower) = &mut self.followers[at];
            let found = |what: Followed<'_>| found(file, what);
            let lines = if is_final {
                follower.finish(found)?
            } else {
                follower.poll(found)?
            };
            count += lines;
            // Keep the main file open, so that writes just before it is replaced are not missed.
            if at > 0 && follower.is_open() {
                self.keep_open(at, lines > 0);
            }
        }
        Ok(count)
    }

    /// Records that a subagent's file is open, and closes others if there are too many.
    fn keep_open(&mut self, at: usize, grew: bool) {
        let place = self.open.iter().position(|open| *open == at);
        match place {
            Some(_) if !grew => return,
            Some(place) => _ = self.open.remove(place),
            None => {}
        }
        self.open.push_back(at);
        // A file that cannot be closed yet goes to the back of the queue.
        for _ in OPEN..self.open.len() {
            let Some(oldest) = self.open.pop_front() else {
                return;
            };
            if !self.followers[oldest].1.park() {
                self.open.push_back(oldest);
            }
        }
    }

    /// Finds new files of subagents.
    fn list(&mut self) -> Result<(), TranscriptError> {
        let main = self.main();
        let folder = main.companions().map(|folder| folder.join("subagents"));
        let meta = folder.and_then(|folder| std::fs::metadata(folder).ok());
        let modified = meta.and_then(|meta| meta.modified().ok());
        if let Some((at, before)) = self.listed {
            // Folder times are coarse: a folder that just changed may change again without a new
            // time.
            let passed = modified.and_then(|time| time.elapsed().ok());
            let still = modified.is_none() || passed.is_some_and(|passed| passed > 2 * LIST_EVERY);
            if before == modified && still && at.elapsed() < LIST_EVERY {
                return Ok(());
            }
        }
        let files = main.agents()?;
        self.listed = Some((Instant::now(), modified));
        for file in files {
            if !self.known.insert(file.path.clone()) {
                continue;
            }
            let cursor = self
                .resumed
                .remove(&relative(&file.path, &self.main().path));
            let follower = Follower::resume(&file.path, cursor.unwrap_or_else(Cursor::start));
            self.followers.push((file, follower));
        }
        Ok(())
    }
}

/// The path relative to the folder of the main file.
fn relative(path: &Path, main: &Path) -> PathBuf {
    let folder = main.parent().unwrap_or(Path::new(""));
    path.strip_prefix(folder).unwrap_or(path).to_path_buf()
}
