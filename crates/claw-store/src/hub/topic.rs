//! A session with followers.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{Notify, OnceCell};

use super::ring::{self, Ring};
use crate::{BoxFuture, Event, ReadLimit, Result, SessionKey, StoreError};

/// The first and the longest pause before the log is read again.
pub(super) const RETRY: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));

/// The engine behind a hub.
pub(crate) trait Source: Send + Sync {
    /// Subscribes to a session, and then looks up its last event. Called when the session gets its
    /// first follower. Two attachments of a session may overlap for a moment.
    ///
    /// # Errors
    /// `NotFound`, `Deleted`, `Unavailable`.
    fn attach<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Attached>>;

    /// Reads the log as [`crate::Log::read`].
    ///
    /// # Errors
    /// As [`crate::Log::read`].
    fn read<'a>(
        &'a self,
        key: &'a SessionKey,
        after: u64,
        limit: ReadLimit,
    ) -> BoxFuture<'a, Result<Vec<Event>>>;
}

/// The engine's subscription to a session.
pub(crate) struct Attached {
    /// The last event, read after the subscription began. May be too low, but not too high.
    pub(crate) last: u64,
    /// Ends the subscription when it is dropped.
    pub(crate) guard: Box<dyn Any + Send>,
}

/// A session with followers.
pub(super) struct Topic {
    pub(super) key: SessionKey,
    pub(super) source: Arc<dyn Source>,
    /// The guard of the engine's subscription.
    attached: OnceCell<Mutex<Box<dyn Any + Send>>>,
    ring: Mutex<Ring>,
    pub(super) changed: Notify,
}

impl Topic {
    pub(super) fn new(source: Arc<dyn Source>, key: &SessionKey) -> Self {
        Self {
            key: key.clone(),
            source,
            attached: OnceCell::new(),
            ring: Mutex::default(),
            changed: Notify::new(),
        }
    }

    pub(super) fn ring(&self) -> MutexGuard<'_, Ring> {
        lock(&self.ring)
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut Ring)) {
        change(&mut self.ring());
        self.changed.notify_waiters();
    }

    pub(super) async fn attach(&self) -> Result<()> {
        let attach = || async {
            let attached = self.source.attach(&self.key).await?;
            let mut ring = self.ring();
            (ring.is_attached, ring.last) = (true, attached.last);
            Ok(Mutex::new(attached.guard))
        };
        self.attached.get_or_try_init(attach).await.map(|_| ())
    }

    /// Reads the log, and checks that no event is missing.
    pub(super) async fn read(&self, after: u64, limit: ReadLimit) -> Result<Vec<Event>> {
        let events = self.source.read(&self.key, after, limit).await?;
        let next = events.first().map_or(after + 1, |event| event.sequence);
        if next != after + 1 {
            let at = format!("event {}", after + 1);
            return Err(StoreError::damaged(at, "it is missing"));
        }
        Ok(events)
    }

    /// Reads the events that the ring lacks, in a task: a follower that is not polled must not
    /// delay others.
    pub(super) fn fill(self: &Arc<Self>, ring: &mut Ring) {
        if !ring.is_filling {
            ring.is_filling = true;
            tokio::spawn(fill(Arc::downgrade(self)));
        }
    }
}

async fn fill(topic: Weak<Topic>) {
    let mut pause = RETRY.0;
    while let Some(topic) = topic.upgrade() {
        let after = {
            let mut ring = topic.ring();
            ring.is_filling = ring.has_hole() && ring.end.is_none();
            if !ring.is_filling {
                return;
            }
            ring.last
        };
        match topic.read(after, ring::PART).await {
            Ok(events) if !events.is_empty() => {
                pause = RETRY.0;
                topic.change(|ring| ring.push_events(&events));
            }
            Ok(_) | Err(StoreError::Unavailable { .. }) => {
                drop(topic);
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(RETRY.1);
            }
            Err(error) => topic.change(|ring| ring.end = Some(error)),
        }
    }
}

/// Locks data that stays consistent if a holder of the lock panics.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
