//! A store with scripted failures.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use rusty_claw::Json;
use rusty_claw::store::{
    Batch, BatchId, MemoryStore, SessionKey, SessionStore, StoreError, StoreFuture,
};

#[derive(Debug, Clone, Copy)]
pub(crate) enum Act {
    Take,
    Fail,
    /// Stores the lines and returns an error.
    TakeAndFail,
    /// Stores the lines and never returns.
    TakeAndHang,
    Hang,
    /// Says that it never will take the lines.
    Refuse,
    Panic,
    Slow(Duration),
}

/// Plays its acts, then takes everything.
#[derive(Default)]
pub(crate) struct FailingStore {
    pub(crate) kept: MemoryStore,
    acts: Mutex<VecDeque<Act>>,
    /// Every attempt: batch, key, lines.
    attempts: Mutex<Vec<(BatchId, SessionKey, usize)>>,
}

impl FailingStore {
    pub(crate) fn new(acts: &[Act]) -> Self {
        Self {
            acts: Mutex::new(acts.iter().copied().collect()),
            ..Self::default()
        }
    }

    pub(crate) fn attempts(&self) -> Vec<(BatchId, SessionKey, usize)> {
        self.attempts.lock().unwrap().clone()
    }
}

impl SessionStore for FailingStore {
    fn append<'a>(&'a self, key: &'a SessionKey, batch: &'a Batch) -> StoreFuture<'a, ()> {
        let act = self.acts.lock().unwrap().pop_front().unwrap_or(Act::Take);
        self.attempts
            .lock()
            .unwrap()
            .push((batch.id, key.clone(), batch.entries.len()));
        Box::pin(async move {
            let failed = || StoreError::failed("the bucket is away", "no route");
            match act {
                Act::Take => self.kept.append(key, batch).await,
                Act::Fail => Err(failed()),
                Act::Refuse => Err(StoreError::Unsupported {
                    operation: "append",
                }),
                Act::TakeAndFail => {
                    self.kept.append(key, batch).await?;
                    Err(failed())
                }
                Act::TakeAndHang => {
                    self.kept.append(key, batch).await?;
                    std::future::pending().await
                }
                Act::Hang => std::future::pending().await,
                Act::Panic => panic!("the store is broken"),
                Act::Slow(time) => {
                    tokio::time::sleep(time).await;
                    self.kept.append(key, batch).await
                }
            }
        })
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<Json>>> {
        self.kept.load(key)
    }
}
