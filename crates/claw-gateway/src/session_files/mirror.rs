//! Appends the lines that a CLI prints to the copies of its files.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use claw_store::{Claim, ReadLimit, Store, StoreError};
use rusty_claw::Json;
use rusty_claw::store::{
    Batch, BatchId, SessionKey, SessionStore, StoreError as MirrorError, StoreFuture,
};
use tokio::sync::Mutex;

use super::split_page;
use super::tail::{LINES, Tail};

/// Appends lines under a claim. The lines of an earlier owner are recognized, and are not appended
/// again.
pub(crate) struct FileMirror {
    store: Arc<dyn Store>,
    claim: Arc<Claim>,
    /// Held during an append.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    tails: HashMap<String, Tail>,
    /// The last batch of each file that is stored.
    batches: HashMap<String, BatchId>,
}

impl FileMirror {
    pub(super) fn new(store: Arc<dyn Store>, claim: Arc<Claim>) -> Self {
        Self {
            store,
            claim,
            state: Mutex::default(),
        }
    }

    /// Returns the end of a copy.
    pub(super) async fn tail(&self, name: &str) -> Result<Tail, StoreError> {
        let mut state = self.state.lock().await;
        Ok(self.loaded(&mut state, name).await?.clone())
    }

    /// Appends the lines of a file that its copy does not have.
    pub(super) async fn add_missing(
        &self,
        name: &str,
        lines: Vec<Bytes>,
    ) -> Result<(), StoreError> {
        let mut state = self.state.lock().await;
        let fresh = self.loaded(&mut state, name).await?.fresh_of_file(&lines);
        self.store_lines(&mut state, name, &fresh).await
    }

    async fn loaded<'a>(
        &self,
        state: &'a mut State,
        name: &str,
    ) -> Result<&'a mut Tail, StoreError> {
        if !state.tails.contains_key(name) {
            let tail = self.load_tail(name).await?;
            state.tails.insert(name.to_owned(), tail);
        }
        Ok(state.tails.entry(name.to_owned()).or_default())
    }

    async fn load_tail(&self, name: &str) -> Result<Tail, StoreError> {
        let key = self.claim.key();
        let files = self.store.mirrored_files(key).await?;
        let last = files.iter().find(|(file, _)| file == name);
        let last = last.map_or(0, |(_, last)| *last);
        let first = last.saturating_sub(LINES);
        let mut tail = Tail::new(first, &[]);
        while tail.last < last {
            let limit = ReadLimit::default();
            let page = self.store.mirrored(key, name, tail.last, limit).await?;
            if page.is_empty() {
                break;
            }
            tail.add(&page);
        }
        Ok(tail)
    }

    async fn store_lines(
        &self,
        state: &mut State,
        name: &str,
        mut lines: &[Bytes],
    ) -> Result<(), StoreError> {
        while !lines.is_empty() {
            let (page, rest) = split_page(lines);
            let tail = self.loaded(state, name).await?;
            let last = tail.last;
            match self.store.mirror(&self.claim, name, last, page).await {
                Ok(_) => tail.add(page),
                Err(error) => {
                    // A write whose result was unknown took effect, and its lines are recognized.
                    if matches!(error, StoreError::Conflict { .. }) {
                        state.tails.remove(name);
                    }
                    return Err(error);
                }
            }
            lines = rest;
        }
        Ok(())
    }

    async fn append_batch(&self, name: &str, batch: &Batch) -> Result<(), StoreError> {
        let mut state = self.state.lock().await;
        let stored = state.batches.get(name);
        let is_repeat = stored.is_some_and(|stored| {
            stored.writer == batch.id.writer && batch.id.sequence <= stored.sequence
        });
        if is_repeat {
            return Ok(());
        }
        let line = |entry: &Json| Bytes::copy_from_slice(entry.text().as_bytes());
        let lines: Vec<Bytes> = batch.entries.iter().map(line).collect();
        let fresh = self.loaded(&mut state, name).await?.fresh(&lines);
        self.store_lines(&mut state, name, &fresh).await?;
        state.batches.insert(name.to_owned(), batch.id);
        Ok(())
    }
}

/// The name of a file in the store.
fn name_of(key: &SessionKey) -> String {
    match &key.subpath {
        Some(subpath) => format!("{}/{subpath}", key.session_id),
        None => key.session_id.to_string(),
    }
}

impl SessionStore for FileMirror {
    fn append<'a>(&'a self, key: &'a SessionKey, batch: &'a Batch) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let appended = self.append_batch(&name_of(key), batch).await;
            appended.map_err(|error| match error {
                StoreError::Fenced { .. } | StoreError::Deleted | StoreError::TooLarge { .. } => {
                    MirrorError::Rejected {
                        what: error.to_string(),
                    }
                }
                error => MirrorError::failed("the lines are not stored", error),
            })
        })
    }

    /// The mirror only receives lines.
    fn load<'a>(&'a self, _: &'a SessionKey) -> StoreFuture<'a, Option<Vec<Json>>> {
        let operation = "load";
        Box::pin(async move { Err(MirrorError::Unsupported { operation }) })
    }
}
