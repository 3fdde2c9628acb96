//! Sessions kept where the program wants them, and resumed from there on any machine.
//!
//! The CLI writes each session to a file. Asked with `--session-mirror`, it also prints a copy of
//! every line it wrote. A [`Mirror`] takes those copies and hands them to a [`SessionStore`]; when
//! the session is to go on elsewhere, [`materialize`] lays the stored lines out as a config folder
//! of the CLI, which resumes from it as if it had never moved.
//!
//! There are two stores here, [`MemoryStore`] and [`DirectoryStore`]. A store of your own is a type
//! with two required methods; the other five are optional. [`conformance`] checks that a store
//! meets its contract.
//!
//! # Writing your own
//! ```
//! use std::collections::HashMap;
//! use std::sync::{Mutex, PoisonError};
//!
//! use rusty_claw::store::{conformance, Batch, Dedup, SessionKey, SessionStore, StoreError};
//! use rusty_claw::{BoxFuture, Json};
//!
//! /// One table: a key, the lines, and what is there already.
//! #[derive(Default)]
//! struct Table(Mutex<HashMap<SessionKey, (Vec<Json>, Dedup)>>);
//!
//! impl SessionStore for Table {
//!     fn append<'a>(
//!         &'a self,
//!         key: &'a SessionKey,
//!         batch: &'a Batch,
//!     ) -> BoxFuture<'a, Result<(), StoreError>> {
//!         Box::pin(async move {
//!             let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
//!             let (lines, dedup) = table.entry(key.clone()).or_default();
//!             // Nothing of a batch that is here already, nothing with a uuid that is.
//!             lines.extend(dedup.fresh(batch).into_iter().cloned());
//!             // Only now, when the lines are kept: a failed batch must be welcome again.
//!             dedup.commit(batch);
//!             Ok(())
//!         })
//!     }
//!
//!     fn load<'a>(
//!         &'a self,
//!         key: &'a SessionKey,
//!     ) -> BoxFuture<'a, Result<Option<Vec<Json>>, StoreError>> {
//!         Box::pin(async move {
//!             let table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
//!             Ok(table.get(key).map(|(lines, _)| lines.clone()))
//!         })
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let report = conformance::run(|| async { Table::default() }).await;
//! assert!(report.passed(), "{report}");
//! # }
//! ```
//!
//! # What a store has and has not
//! - Lines as the CLI wrote them, text for text, apart from its own `api-request` audit lines,
//!   which it does not mirror.
//! - The store follows the file. It is *not* complete when a turn's `result` arrives: some lines
//!   come after it, and what was pushed may still be on its way. [`Mirror::close`] says when
//!   everything has arrived, and what has not.
//! - File checkpoints are not mirrored, so files cannot be rewound after a move.

pub mod conformance;

mod batch;
mod compact;
mod dedup;
mod directory;
mod elsewhere;
mod error;
mod import;
mod key;
mod made_folder;
mod materialize;
mod memory;
mod mirror;
mod stored_sessions;
mod user_config;

pub use batch::{Batch, BatchId};
pub use dedup::Dedup;
pub use directory::{DirectoryStore, SyncPolicy};
pub(crate) use elsewhere::in_another_project;
pub use error::StoreError;
pub use import::{ImportOptions, ImportReport, import_session};
pub use key::SessionKey;
pub(crate) use made_folder::MadeFolder;
pub use materialize::{MaterializeOptions, Materialized, materialize};
pub use memory::MemoryStore;
#[cfg(test)]
pub(crate) use mirror::{FIRST_PAUSE, LONGEST_PAUSE};
pub use mirror::{FlushMode, Mirror, MirrorOptions, MirrorReport, MirrorStats};
pub use stored_sessions::StoredSessions;
pub use user_config::{Copied, UserConfig};

use std::sync::Arc;
use std::time::SystemTime;

use claw_transcript::SessionSummary;

use crate::future::BoxFuture;
use crate::{Json, Str};

/// Keeps the lines of sessions.
///
/// Each key holds a list of lines that only grows. [`SessionStore::append`] and
/// [`SessionStore::load`] are needed; a store without one of the others answers
/// [`StoreError::Unsupported`], and what needs it says so.
///
/// Text is kept as it came. A store that parses lines and writes them again may lose half
/// surrogates, digits and the order of members: keep text or bytes.
pub trait SessionStore: Send + Sync {
    /// Adds lines behind those that are there.
    ///
    /// All or nothing: after an error, none of the batch may stay, or the retry must recognise
    /// what did. The same batch may come again, because a mirror cannot know whether a failed or
    /// overdue attempt has landed after all. [`Dedup`] holds the two rules by which it is
    /// recognised.
    ///
    /// Appends to one key come in order, one at a time from one mirror. Appends to different keys
    /// may come at the same time.
    ///
    /// Dropping the future gives up waiting. The lines may be stored or not.
    fn append<'a>(
        &'a self,
        key: &'a SessionKey,
        batch: &'a Batch,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// All lines of a key, in the order in which they were appended; `None` for a key that was
    /// never written.
    ///
    /// Dropping the future changes nothing.
    fn load<'a>(
        &'a self,
        key: &'a SessionKey,
    ) -> BoxFuture<'a, Result<Option<Vec<Json>>, StoreError>>;

    /// The sessions of a project, in any order.
    ///
    /// Dropping the future changes nothing.
    fn list_sessions<'a>(
        &'a self,
        project_key: &'a str,
    ) -> BoxFuture<'a, Result<Vec<StoredSession>, StoreError>> {
        let _ = project_key;
        unsupported("list_sessions")
    }

    /// The summaries of a project's sessions, in any order. If a store folds each line into a
    /// [`SessionSummary`] in [`SessionStore::append`], [`StoredSessions::list`] can list sessions
    /// without loading them.
    ///
    /// Folding and saving must be atomic: two appends to one session must not start from the same
    /// summary.
    ///
    /// Dropping the future changes nothing.
    fn list_session_summaries<'a>(
        &'a self,
        project_key: &'a str,
    ) -> BoxFuture<'a, Result<Vec<StoredSummary>, StoreError>> {
        let _ = project_key;
        unsupported("list_session_summaries")
    }

    /// The projects that have sessions, in any order.
    ///
    /// With this and [`SessionStore::list_sessions`] a session is found that was begun in another
    /// folder.
    ///
    /// Dropping the future changes nothing.
    fn list_projects(&self) -> BoxFuture<'_, Result<Vec<Str>, StoreError>> {
        unsupported("list_projects")
    }

    /// The subpaths that are stored below a session, in any order: its subagents' files.
    ///
    /// `key` is the session's; a subpath in it is not looked at. Without this method a session is
    /// resumed without the files of its subagents, which it can do without.
    ///
    /// Dropping the future changes nothing.
    fn list_subkeys<'a>(
        &'a self,
        key: &'a SessionKey,
    ) -> BoxFuture<'a, Result<Vec<Str>, StoreError>> {
        let _ = key;
        unsupported("list_subkeys")
    }

    /// Forgets a key, and with a session's key everything below it. Forgetting what is not there
    /// is no error.
    ///
    /// Dropping the future gives up waiting. The key may be gone or not.
    fn delete<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<(), StoreError>> {
        let _ = key;
        unsupported("delete")
    }
}

fn unsupported<T: Send + 'static>(
    operation: &'static str,
) -> BoxFuture<'static, Result<T, StoreError>> {
    Box::pin(async move { Err(StoreError::Unsupported { operation }) })
}

/// A session as [`SessionStore::list_sessions`] gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSession {
    /// The session.
    pub session_id: Str,
    /// When something was last appended, by the store's clock.
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
    /// The session.
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
    fn append<'a>(
        &'a self,
        key: &'a SessionKey,
        batch: &'a Batch,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        (**self).append(key, batch)
    }

    fn load<'a>(
        &'a self,
        key: &'a SessionKey,
    ) -> BoxFuture<'a, Result<Option<Vec<Json>>, StoreError>> {
        (**self).load(key)
    }

    fn list_sessions<'a>(
        &'a self,
        project_key: &'a str,
    ) -> BoxFuture<'a, Result<Vec<StoredSession>, StoreError>> {
        (**self).list_sessions(project_key)
    }

    fn list_session_summaries<'a>(
        &'a self,
        project_key: &'a str,
    ) -> BoxFuture<'a, Result<Vec<StoredSummary>, StoreError>> {
        (**self).list_session_summaries(project_key)
    }

    fn list_projects(&self) -> BoxFuture<'_, Result<Vec<Str>, StoreError>> {
        (**self).list_projects()
    }

    fn list_subkeys<'a>(
        &'a self,
        key: &'a SessionKey,
    ) -> BoxFuture<'a, Result<Vec<Str>, StoreError>> {
        (**self).list_subkeys(key)
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<(), StoreError>> {
        (**self).delete(key)
    }
}
