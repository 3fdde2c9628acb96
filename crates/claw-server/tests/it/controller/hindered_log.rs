//! A log that a test can delay or fail.

use std::future::ready;
use std::sync::{Arc, Mutex};

use claw_server::event::SessionEvent;
use claw_server::{
    Checkpoint, EventLog, Fence, Latest, LogError, LogStream, MemoryLog, PageLimit, SessionId,
    SessionList,
};
use rusty_claw::BoxFuture;

/// Runs before a call to the log. It can return at once, wait, fail or panic.
pub(crate) type Hindrance = BoxFuture<'static, Result<(), LogError>>;

type BeforeAppend = dyn Fn(SessionId, &[Arc<SessionEvent>]) -> Hindrance + Send + Sync;
type BeforeRead = dyn Fn() -> Hindrance + Send + Sync;

/// Keeps events in memory. Runs a [`Hindrance`] before each call; a test can replace it at any
/// time.
pub(crate) struct HinderedLog {
    /// The log without hindrances.
    pub(crate) kept: MemoryLog,
    before_append: Mutex<Arc<BeforeAppend>>,
    before_read: Mutex<Arc<BeforeRead>>,
    /// The cursors of all reads and subscriptions.
    pub(crate) cursors: Mutex<Vec<u64>>,
}

/// Returns at once.
pub(crate) fn nothing() -> Hindrance {
    Box::pin(ready(Ok(())))
}

/// Fails with this error.
pub(crate) fn error(error: LogError) -> Hindrance {
    Box::pin(ready(Err(error)))
}

impl HinderedLog {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            kept: MemoryLog::keeping(64 << 20),
            before_append: Mutex::new(Arc::new(|_, _| nothing())),
            before_read: Mutex::new(Arc::new(nothing)),
            cursors: Mutex::default(),
        })
    }

    /// Sets what runs before events are appended.
    pub(crate) fn before_append(
        &self,
        hindrance: impl Fn(SessionId, &[Arc<SessionEvent>]) -> Hindrance + Send + Sync + 'static,
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
        session_id: SessionId,
        fence: Fence,
        events: &'a [Arc<SessionEvent>],
    ) -> BoxFuture<'a, Result<(), LogError>> {
        // Clone first, so that a hindrance that panics does not poison the lock.
        let before = Arc::clone(&self.before_append.lock().unwrap());
        let hindrance = before(session_id, events);
        Box::pin(async move {
            hindrance.await?;
            self.kept.append(session_id, fence, events).await
        })
    }

    fn read(
        &self,
        session_id: SessionId,
        after: u64,
        limit: PageLimit,
    ) -> BoxFuture<'_, Result<Vec<Arc<SessionEvent>>, LogError>> {
        self.cursors.lock().unwrap().push(after);
        let before = Arc::clone(&self.before_read.lock().unwrap());
        let hindrance = before();
        Box::pin(async move {
            hindrance.await?;
            self.kept.read(session_id, after, limit).await
        })
    }

    fn latest(&self, session_id: SessionId) -> BoxFuture<'_, Result<Latest, LogError>> {
        let before = Arc::clone(&self.before_read.lock().unwrap());
        let hindrance = before();
        Box::pin(async move {
            hindrance.await?;
            self.kept.latest(session_id).await
        })
    }

    fn list<'a>(
        &'a self,
        tenant: &'a str,
        from: Option<String>,
        limit: usize,
    ) -> BoxFuture<'a, Result<SessionList, LogError>> {
        self.kept.list(tenant, from, limit)
    }

    fn subscribe(
        &self,
        session_id: SessionId,
        after: u64,
    ) -> BoxFuture<'_, Result<LogStream, LogError>> {
        self.cursors.lock().unwrap().push(after);
        self.kept.subscribe(session_id, after)
    }

    fn checkpoint(
        &self,
        session_id: SessionId,
    ) -> BoxFuture<'_, Result<Option<Checkpoint>, LogError>> {
        self.kept.checkpoint(session_id)
    }

    fn save_checkpoint(
        &self,
        session_id: SessionId,
        epoch: u64,
        checkpoint: Checkpoint,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        self.kept.save_checkpoint(session_id, epoch, checkpoint)
    }
}
