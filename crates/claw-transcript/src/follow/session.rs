//! A session as it goes on: its own file and those of its subagents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Cursor, Followed, Follower};
use crate::error::TranscriptError;
use crate::files::SessionFile;

/// Where a [`SessionFollower`] is: a cursor for each file, by its path from the session's folder.
pub type SessionCursor = BTreeMap<PathBuf, Cursor>;

/// Follows a session: the main file, and every subagent's file as it comes.
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
    main: SessionFile,
    /// The main file first, then subagents as they came.
    followers: Vec<(SessionFile, Follower)>,
    resumed: SessionCursor,
}

impl SessionFollower {
    /// Follows a session from its first line.
    pub fn new(main: SessionFile) -> Self {
        Self::resume(main, SessionCursor::new())
    }

    /// Goes on where another follower was.
    pub fn resume(main: SessionFile, cursor: SessionCursor) -> Self {
        Self {
            main,
            followers: Vec::new(),
            resumed: cursor,
        }
    }

    /// Gives everything that is there and was not given yet, with the file it is in, and says how
    /// many lines that were.
    ///
    /// # Errors
    /// A file or the folder of subagents is there but cannot be read.
    pub fn poll(
        &mut self,
        mut found: impl FnMut(&SessionFile, Followed<'_>),
    ) -> Result<u64, TranscriptError> {
        let mut files = self.main.agents()?;
        files.insert(0, self.main.clone());
        for file in files {
            let mut known = self.followers.iter();
            if !known.any(|(known, _)| known.path == file.path) {
                let relative = self.relative(&file.path);
                let follower = match self.resumed.remove(&relative) {
                    Some(cursor) => Follower::resume(&file.path, cursor),
                    None => Follower::new(&file.path),
                };
                self.followers.push((file, follower));
            }
        }
        let mut count = 0;
        for (file, follower) in &mut self.followers {
            count += follower.poll(|what| found(file, what))?;
        }
        Ok(count)
    }

    /// Where it is in every file, to go on later.
    ///
    /// # Errors
    /// A file cannot be read again.
    pub fn cursor(&mut self) -> Result<SessionCursor, TranscriptError> {
        let mut all = self.resumed.clone();
        let base = self.base();
        for (file, follower) in &mut self.followers {
            let relative = file.path.strip_prefix(&base).unwrap_or(&file.path);
            let relative = relative.to_path_buf();
            all.extend(follower.cursor()?.map(|cursor| (relative, cursor)));
        }
        Ok(all)
    }

    fn base(&self) -> PathBuf {
        let parent = self.main.path.parent();
        parent.map(Path::to_path_buf).unwrap_or_default()
    }

    fn relative(&self, path: &Path) -> PathBuf {
        path.strip_prefix(self.base()).unwrap_or(path).to_path_buf()
    }
}
