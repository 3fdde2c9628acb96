//! A listed session, and the filter of a list.

use std::path::PathBuf;
use std::time::SystemTime;

/// The properties of a session that a list shows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionInfo {
    /// The session's id.
    pub session_id: String,
    /// The title, or else the last prompt or summary, or else the first prompt.
    pub summary: String,
    /// The time of the last write, in milliseconds.
    pub last_modified: SystemTime,
    /// The size of the file in bytes.
    pub file_size: u64,
    /// The title that a user set or the CLI generated.
    pub custom_title: Option<String>,
    /// The first prompt that is not a command, at most 200 UTF-16 units.
    pub first_prompt: Option<String>,
    /// The last git branch.
    pub git_branch: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The tag that a user set.
    pub tag: Option<String>,
    /// The start of the session.
    pub created_at: Option<SystemTime>,
    /// Whether it is archived; `None` if it has no mark. A prompt after archiving removes it from
    /// the archive.
    pub archived: Option<bool>,
    /// The path of the file.
    pub path: PathBuf,
}

/// Selects the sessions to list. The default is all, the newest first.
#[derive(Debug, Clone, Default)]
pub struct SessionFilter {
    pub(super) limit: Option<usize>,
    pub(super) offset: usize,
    pub(super) interactive_only: bool,
    pub(super) silent: bool,
    pub(super) copies: bool,
}

impl SessionFilter {
    /// Selects all sessions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the maximum number of sessions. Files beyond it are not opened.
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Skips this many of the newest sessions.
    pub fn offset(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }

    /// Includes or excludes sessions that a program or a daemon ran. They are included by default;
    /// the CLI's picker excludes them.
    pub fn programmatic(mut self, included: bool) -> Self {
        self.interactive_only = !included;
        self
    }

    /// Includes or excludes sessions whose first and last bytes show no prompt: it follows a long
    /// paste, the file is damaged or in another dialect, or there is none. They are excluded by
    /// default, as in the official SDK. If included, the whole file is searched for the first
    /// prompt, and the summary is empty if there is none.
    pub fn silent(mut self, included: bool) -> Self {
        self.silent = included;
        self
    }

    /// Lists a session once for each folder that contains it. By default it is listed once, from
    /// its newest file, as in the official SDK.
    pub fn copies(mut self, included: bool) -> Self {
        self.copies = included;
        self
    }
}
