//! The data that all handles share.

use std::sync::{Arc, Mutex};

use super::data::Data;
use crate::error::StoreError;
use crate::event::{Event, ReadLimit};
use crate::hub::{Attached, Source, lock};
use crate::id::SessionKey;
use crate::store::{BoxFuture, Result};

#[derive(Default)]
pub(super) struct Shared {
    pub(super) data: Mutex<Data>,
    /// Cloned for each session with followers, on each handle.
    pub(super) subscription: Arc<()>,
}

impl Shared {
    pub(super) async fn read<T>(&self, call: impl FnOnce(&mut Data) -> Result<T>) -> Result<T> {
        // Nothing here waits: a caller in a loop would starve other tasks.
        tokio::task::coop::consume_budget().await;
        let mut data = lock(&self.data);
        if data.is_stopped {
            return Err(StoreError::unavailable("the store is stopped"));
        }
        call(&mut data)
    }

    pub(super) async fn write<T>(&self, call: impl FnOnce(&mut Data) -> Result<T>) -> Result<T> {
        let call = |data: &mut Data| match data.is_full {
            true => Err(StoreError::full("the store", "free some space")),
            false => call(data),
        };
        self.read(call).await
    }
}

impl Source for Shared {
    fn attach<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Attached>> {
        Box::pin(self.read(|data| {
            let last = data.session(key)?.row.last;
            let guard = Box::new(self.subscription.clone());
            Ok(Attached { last, guard })
        }))
    }

    fn read<'a>(
        &'a self,
        key: &'a SessionKey,
        after: u64,
        limit: ReadLimit,
    ) -> BoxFuture<'a, Result<Vec<Event>>> {
        Box::pin(Self::read(self, move |data| data.read(key, after, limit)))
    }
}
