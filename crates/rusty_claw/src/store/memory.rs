//! Stores sessions in memory.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use claw_transcript::SessionSummary;

use super::batch::Batch;
use super::dedup::Dedup;
use super::key::SessionKey;
use super::session_store::{SessionStore, StoreFuture, StoredSession, StoredSummary};
use crate::{Json, Str};

/// Stores sessions in memory, for tests and for sessions that move within one process.
///
/// ```
/// use rusty_claw::store::{Batch, BatchId, MemoryStore, SessionKey, SessionStore};
/// use rusty_claw::Json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = MemoryStore::new();
/// let key = SessionKey::new("-home-user-project", "5e5e5e5e-2222-4222-8222-000000000601");
/// let line = Json::from_text(r#"{"type":"mode","mode":"normal"}"#)?;
/// store.append(&key, &Batch::new(BatchId::first(), vec![line.clone()])).await?;
/// assert_eq!(store.load(&key).await?, Some(vec![line]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct MemoryStore {
    keys: Mutex<HashMap<SessionKey, Kept>>,
}

#[derive(Debug)]
struct Kept {
    entries: Vec<Json>,
    dedup: Dedup,
    summary: SessionSummary,
    modified: SystemTime,
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// All stored keys, sorted.
    pub fn keys(&self) -> Vec<SessionKey> {
        let mut keys: Vec<SessionKey> = self.lock().keys().cloned().collect();
        keys.sort();
        keys
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionKey, Kept>> {
        // Nothing in here panics between two changes that belong together.
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionStore for MemoryStore {
    fn append<'a>(&'a self, key: &'a SessionKey, batch: &'a Batch) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let mut keys = self.lock();
            let kept = keys.entry(key.clone()).or_insert_with(|| Kept {
                entries: Vec::new(),
                dedup: Dedup::default(),
                summary: SessionSummary::new(),
                modified: SystemTime::UNIX_EPOCH,
            });
            for entry in kept.dedup.fresh(batch) {
                kept.summary.fold(entry.text());
                kept.entries.push(entry.clone());
            }
            kept.dedup.commit(batch);
            kept.modified = SystemTime::now();
            Ok(())
        })
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<Json>>> {
        Box::pin(async move { Ok(self.lock().get(key).map(|kept| kept.entries.clone())) })
    }

    fn list_sessions<'a>(&'a self, project_key: &'a str) -> StoreFuture<'a, Vec<StoredSession>> {
        Box::pin(async move {
            Ok(self
                .lock()
                .iter()
                .filter(|(key, _)| key.project_key == *project_key && key.subpath.is_none())
                .map(|(key, kept)| StoredSession {
                    session_id: key.session_id.clone(),
                    modified: kept.modified,
                })
                .collect())
        })
    }

    fn list_session_summaries<'a>(
        &'a self,
        project_key: &'a str,
    ) -> StoreFuture<'a, Vec<StoredSummary>> {
        Box::pin(async move {
            Ok(self
                .lock()
                .iter()
                .filter(|(key, _)| key.project_key == *project_key && key.subpath.is_none())
                .map(|(key, kept)| StoredSummary {
                    session_id: key.session_id.clone(),
                    modified: kept.modified,
                    summary: kept.summary.clone(),
                })
                .collect())
        })
    }

    fn list_projects(&self) -> StoreFuture<'_, Vec<Str>> {
        Box::pin(async move {
            let keys = self.lock();
            let sessions = keys.keys().filter(|key| key.subpath.is_none());
            let projects: HashSet<Str> = sessions.map(|key| key.project_key.clone()).collect();
            Ok(projects.into_iter().collect())
        })
    }

    fn list_subkeys<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Vec<Str>> {
        Box::pin(async move {
            let session = key.session();
            Ok(self
                .lock()
                .keys()
                .filter(|stored| stored.session() == session)
                .filter_map(|stored| stored.subpath.clone())
                .collect())
        })
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.lock().retain(|stored, _| {
                stored != key && (key.subpath.is_some() || stored.session() != *key)
            });
            Ok(())
        })
    }
}
