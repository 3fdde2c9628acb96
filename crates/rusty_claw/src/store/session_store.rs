//! The interface of a store.

use std::sync::Arc;
use std::time::SystemTime;

use claw_transcript::SessionSummary;
use rusty_claw_protocol::{Json, Str};

use super::batch::Batch;
use super::error::StoreError;
use super::key::SessionKey;
use crate::future::BoxFuture;

/// What the methods of a [`SessionStore`] return.
pub type StoreFuture<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// Stores the lines of sessions.
///
/// Each key has an append-only list of lines. [`SessionStore::append`] and [`SessionStore::load`]
/// are required. The others return [`StoreError::Unsupported`] by default.
///
/// Text is kept unchanged. A store that parses lines and writes them again may lose lone
/// surrogates, digits and the order of members: store text or bytes.
pub trait SessionStore: Send + Sync {
    /// Appends lines.
    ///
    /// All or nothing: after an error, none of the batch may remain, or the retry must recognize
    /// what did. The same batch may be appended again, because a mirror cannot know whether a
    /// failed or timed-out attempt succeeded after all. [`Dedup`](super::Dedup) implements the two
    /// rules that recognize it.
    ///
    /// One mirror sends its appends to a key in order, one at a time. Appends to different keys may
    /// run concurrently.
    ///
    /// Dropping the future stops waiting. The lines may or may not be stored.
    fn append<'a>(&'a self, key: &'a SessionKey, batch: &'a Batch) -> StoreFuture<'a, ()>;

    /// Returns all lines of a key, in the order in which they were appended; `None` for a key that
    /// was never written.
    ///
    /// Dropping the future changes nothing.
    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<Json>>>;

    /// Lists the sessions of a project, in any order.
    ///
    /// Dropping the future changes nothing.
    fn list_sessions<'a>(&'a self, project_key: &'a str) -> StoreFuture<'a, Vec<StoredSession>> {
        let _ = project_key;
        unsupported("list_sessions")
    }

    /// Lists the summaries of a project's sessions, in any order. If a store folds each line into a
    /// [`SessionSummary`] in [`SessionStore::append`],
    /// [`StoredSessions::list`](super::StoredSessions::list) can list sessions without loading them.
    ///
    /// Folding and saving must be atomic: two appends to one session must not start from the same
    /// summary.
    ///
    /// Dropping the future changes nothing.
    fn list_session_summaries<'a>(
        &'a self,
        project_key: &'a str,
    ) -> StoreFuture<'a, Vec<StoredSummary>> {
        let _ = project_key;
        unsupported("list_session_summaries")
    }

    /// Lists the projects that have sessions, in any order.
    ///
    /// With this and [`SessionStore::list_sessions`], a session that was started in another folder
    /// can be found.
    ///
    /// Dropping the future changes nothing.
    fn list_projects(&self) -> StoreFuture<'_, Vec<Str>> {
        unsupported("list_projects")
    }

    /// Lists the subpaths that are stored below a session, in any order: its subagents' files.
    ///
    /// `key` is the session's; its subpath is ignored. Without this method a session is resumed
    /// without the files of its subagents, which it does not need.
    ///
    /// Dropping the future changes nothing.
    fn list_subkeys<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Vec<Str>> {
        let _ = key;
        unsupported("list_subkeys")
    }

    /// Deletes a key, and with a session's key everything below it. Returns `Ok` if there is no
    /// such key.
    ///
    /// Dropping the future stops waiting. The key may or may not be deleted.
    fn delete<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, ()> {
        let _ = key;
        unsupported("delete")
    }
}

fn unsupported<T: Send + 'static>(operation: &'static str) -> StoreFuture<'static, T> {
    Box::pin(async move { Err(StoreError::Unsupported { operation }) })
}

/// An entry of [`SessionStore::list_sessions`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSession {
    /// The session id.
    pub session_id: Str,
    /// The time of the last append, by the store's clock.
    pub modified: SystemTime,
}

/// An entry of [`SessionStore::list_session_summaries`].
///
/// ```
/// use std::time::SystemTime;
///
/// use rusty_claw::sessions::SessionSummary;
/// use rusty_claw::store::StoredSummary;
///
/// let summary = SessionSummary::default();
/// let stored = StoredSummary::new("5e5e", SystemTime::now(), summary);
/// assert_eq!(stored.session_id, "5e5e");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StoredSummary {
    /// The session id.
    pub session_id: Str,
    /// When the summary was last written, by the clock of [`StoredSession::modified`]. A summary
    /// that is older than its session is not used.
    pub modified: SystemTime,
    /// The summary.
    pub summary: SessionSummary,
}

impl StoredSummary {
    /// Creates an entry from a session's id, the time of its last write and its summary.
    pub fn new(session_id: impl Into<Str>, modified: SystemTime, summary: SessionSummary) -> Self {
        Self {
            session_id: session_id.into(),
            modified,
            summary,
        }
    }
}

impl<S: SessionStore + ?Sized> SessionStore for Arc<S> {
    fn append<'a>(&'a self, key: &'a SessionKey, batch: &'a Batch) -> StoreFuture<'a, ()> {
        (**self).append(key, batch)
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<Json>>> {
        (**self).load(key)
    }

    fn list_sessions<'a>(&'a self, project_key: &'a str) -> StoreFuture<'a, Vec<StoredSession>> {
        (**self).list_sessions(project_key)
    }

    fn list_session_summaries<'a>(
        &'a self,
        project_key: &'a str,
    ) -> StoreFuture<'a, Vec<StoredSummary>> {
        (**self).list_session_summaries(project_key)
    }

    fn list_projects(&self) -> StoreFuture<'_, Vec<Str>> {
        (**self).list_projects()
    }

    fn list_subkeys<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Vec<Str>> {
        (**self).list_subkeys(key)
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, ()> {
        (**self).delete(key)
    }
}
