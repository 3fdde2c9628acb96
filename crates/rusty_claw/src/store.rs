//! Stores sessions where the program chooses, and resumes them from there on any machine.
//!
//! The CLI writes each session to a file. With `--session-mirror`, it also prints a copy of every
//! line it wrote. A [`Mirror`] passes those copies to a [`SessionStore`]. To resume the session
//! elsewhere, [`materialize`] writes the stored lines to a config folder, from which the CLI
//! resumes as if the session had never moved.
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
//! # What a store contains
//! - The lines of the CLI with their text unchanged, apart from its own `api-request` audit lines,
//!   which it does not mirror.
//! - The store follows the file. It is *not* complete when a turn's `result` arrives: some lines
//!   follow it, and lines that were pushed may still be pending. [`Mirror::close`] waits until
//!   everything has arrived, and reports what has not.
//! - File checkpoints are not mirrored, so files cannot be rewound after a move.

pub mod conformance;

mod batch;
mod blocking;
mod compact;
mod dedup;
mod directory;
pub(crate) mod elsewhere;
pub(crate) mod error;
mod import;
pub(crate) mod key;
mod key_path;
mod made_folder;
mod materialize;
mod memory;
pub(crate) mod mirror;
pub(crate) mod session_store;
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
pub use session_store::{SessionStore, StoreFuture, StoredSession, StoredSummary};
pub use stored_sessions::StoredSessions;
pub use user_config::{Copied, UserConfig};
