//! A log that a test can delay or fail.

use std::future::ready;
use std::sync::{Arc, Mutex};

use claw_server::event::SessionEvent;
use claw_server::{EventLog, LogError, MemoryLog, PageLimit};
use rusty_claw::BoxFuture;

/// Runs before a call to the log. It can return at once, wait, fail or panic.
pub(crate) type Hindrance = BoxFuture<'static, Result<(), LogError>>;

type BeforeAppend = dyn Fn(i64, &[Arc<SessionEvent>]) -> Hindrance + Send + Sync;
type BeforeRead = dyn Fn() -> Hindrance + Send + Sync;

/// Keeps events in memory. Runs a [`Hindrance`] before each call; a test can replace it at any
/// time.
pub(crate) struct HinderedLog {
    /// The log without hindrances.
    pub(crate) kept: MemoryLog,
    before_append: Mutex<Arc<BeforeAppend>>,
    before_read: Mutex<Arc<BeforeRead>>,
}

/// Returns at once.
pub(crate) fn nothing() -> Hindrance {
    Box::pin(ready(Ok(())))
}

/// Fails with this reason.
pub(crate) fn error(reason: &str) -> Hindrance {
    Box::pin(ready(Err(LogError::new(reason))))
}

impl HinderedLog {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            kept: MemoryLog::keeping(64 << 20),
            before_append: Mutex::new(Arc::new(|_, _| nothing())),
            before_read: Mutex::new(Arc::new(nothing)),
        })
    }

    /// Sets what runs before events are appended.
    pub(crate) fn before_append(
        &self,
        hindrance: impl Fn(i64, &[Arc<SessionEvent>]) -> Hindrance + Send + Sync + 'static,
    ) {
        *self.before_append.lock().unwrap() = Arc::new(hindrance);
    }

    /// Sets what runs before events are read.
    pub(crate) fn before_read(&self, hindrance: impl Fn() -> Hindrance + Send + Sync + 'static) {
        *self.before_read.lock().unwrap() = Arc::new(hindrance);
    }
}

impl EventLog for HinderedLog {
    fn append<'a>(
        &'a self,
        session_id: i64,
        events: &'a [Arc<SessionEvent>],
    ) -> BoxFuture<'a, Result<(), LogError>> {
        // Clone first, so that a hindrance that panics does not poison the lock.
        let before = Arc::clone(&self.before_append.lock().unwrap());
        let hindrance = before(session_id, events);
        Box::pin(async move {
            hindrance.await?;
            self.kept.append(session_id, events).await
        })
    }

    fn read(
        &self,
        session_id: i64,
        after: u64,
        limit: PageLimit,
    ) -> BoxFuture<'_, Result<Vec<Arc<SessionEvent>>, LogError>> {
        let before = Arc::clone(&self.before_read.lock().unwrap());
        let hindrance = before();
        Box::pin(async move {
            hindrance.await?;
            self.kept.read(session_id, after, limit).await
        })
    }
}
