//! The store in memory.

use std::fmt;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tokio::sync::Notify;

use crate::error::StoreError;
use crate::hub::{Attached, Hub, lock};
use crate::{BoxFuture, Claim, Durability, DurabilityLevel, Result, SessionKey, Store};

mod data;
mod directory;
#[cfg(any(test, feature = "contract"))]
mod hooks;
mod log;
mod records;

use data::Data;

/// A store that keeps everything in memory, for tests and for programs that keep nothing.
///
/// A clone is the same handle. [`MemoryStore::handle`] returns another one on the same data, as
/// another process would open it.
#[derive(Clone)]
pub struct MemoryStore {
    data: Arc<Mutex<Data>>,
    hub: Arc<Hub>,
}

impl MemoryStore {
    /// Returns an empty store.
    pub fn new() -> Self {
        Self::open(Arc::default())
    }

    /// Returns another handle on the same data.
    #[must_use]
    pub fn handle(&self) -> Self {
        Self::open(self.data.clone())
    }

    fn open(data: Arc<Mutex<Data>>) -> Self {
        let hub = Arc::<Hub>::default();
        lock(&data).hubs.push(Arc::downgrade(&hub));
        Self { data, hub }
    }

    fn query<'a, T: Send + 'a>(
        &'a self,
        call: impl FnOnce(&mut Data) -> Result<T> + Send + 'a,
    ) -> BoxFuture<'a, Result<T>> {
        Box::pin(async {
            // Nothing here waits: a caller in a loop would starve other tasks.
            tokio::task::coop::consume_budget().await;
            let mut data = lock(&self.data);
            if data.is_stopped {
                return Err(StoreError::unavailable("the store is stopped"));
            }
            call(&mut data)
        })
    }

    fn write<'a, T: Send + 'a>(
        &'a self,
        call: impl FnOnce(&mut Data) -> Result<T> + Send + 'a,
    ) -> BoxFuture<'a, Result<T>> {
        self.query(|data| match data.is_full {
            true => Err(StoreError::full("the store", "free some space")),
            false => call(data),
        })
    }

    fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    fn subscribe<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Attached>> {
        self.query(|data| {
            let last = data.session(key)?.row.last;
            let guard = Box::new(data.subscription.clone());
            Ok(Attached { last, guard })
        })
    }

    fn publish(&self, claim: &Claim, body: Bytes) {
        let mut data = lock(&self.data);
        if data.owned(claim).is_ok() {
            let delta = claim.delta(body);
            data.publish(|hub| hub.delta(claim.key(), delta.clone()));
        }
    }

    fn watch<'a>(&'a self, claim: &'a Claim) -> BoxFuture<'a, Result<(Arc<Notify>, ())>> {
        self.query(|data| Ok((data.owned(claim)?.changed.clone(), ())))
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

impl Store for MemoryStore {
    fn durability(&self) -> BoxFuture<'_, Durability> {
        let evidence = vec!["the data is in the memory of this process".to_owned()];
        let level = DurabilityLevel::Memory;
        Box::pin(async move { Durability { level, evidence } })
    }
}

crate::local::implement_store!(MemoryStore);
