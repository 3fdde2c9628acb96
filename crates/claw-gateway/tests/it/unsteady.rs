//! A log that is unavailable now and then.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use claw_gateway::StoreLog;
use claw_server::{
    Checkpoint, EventLog, Fence, Latest, LogError, LogStream, PageLimit, SessionEvent, SessionId,
    SessionList, TextDelta,
};
use rusty_claw::BoxFuture;

use crate::random::Random;

/// Fails some appends with `Unavailable`, before or after they took effect.
pub(crate) struct Unsteady {
    log: StoreLog,
    percent: usize,
    random: Mutex<Random>,
    /// The appends that failed without effect.
    pub(crate) lost: AtomicU64,
    /// The appends that took effect and were reported as failed.
    pub(crate) unacknowledged: AtomicU64,
}

impl Unsteady {
    /// Fails so many of a hundred appends.
    pub(crate) fn new(log: StoreLog, percent: usize, seed: u64) -> Arc<Self> {
        Arc::new(Self {
            log,
            percent,
            random: Mutex::new(Random::new(seed)),
            lost: AtomicU64::new(0),
            unacknowledged: AtomicU64::new(0),
        })
    }

    fn fails(&self) -> bool {
        self.random.lock().unwrap().chance(self.percent)
    }

    /// The number of appends that failed.
    pub(crate) fn failures(&self) -> u64 {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        count(&self.lost) + count(&self.unacknowledged)
    }
}

impl EventLog for Unsteady {
    fn append<'a>(
        &'a self,
        session_id: SessionId,
        fence: Fence,
        events: &'a [Arc<SessionEvent>],
    ) -> BoxFuture<'a, Result<(), LogError>> {
        Box::pin(async move {
            if self.fails() {
                self.lost.fetch_add(1, Ordering::Relaxed);
                return Err(LogError::unavailable("the request was lost"));
            }
            self.log.append(session_id, fence, events).await?;
            if self.fails() {
                self.unacknowledged.fetch_add(1, Ordering::Relaxed);
                return Err(LogError::unavailable("the reply was lost"));
            }
            Ok(())
        })
    }

    fn read(
        &self,
        session_id: SessionId,
        after: u64,
        limit: PageLimit,
    ) -> BoxFuture<'_, Result<Vec<Arc<SessionEvent>>, LogError>> {
        self.log.read(session_id, after, limit)
    }

    fn latest(&self, session_id: SessionId) -> BoxFuture<'_, Result<Latest, LogError>> {
        self.log.latest(session_id)
    }

    fn list<'a>(
        &'a self,
        tenant: &'a str,
        from: Option<String>,
        limit: usize,
    ) -> BoxFuture<'a, Result<SessionList, LogError>> {
        self.log.list(tenant, from, limit)
    }

    fn subscribe(
        &self,
        session_id: SessionId,
        after: u64,
    ) -> BoxFuture<'_, Result<LogStream, LogError>> {
        self.log.subscribe(session_id, after)
    }

    fn checkpoint(
        &self,
        session_id: SessionId,
    ) -> BoxFuture<'_, Result<Option<Checkpoint>, LogError>> {
        self.log.checkpoint(session_id)
    }

    fn save_checkpoint(
        &self,
        session_id: SessionId,
        epoch: u64,
        checkpoint: Checkpoint,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        self.log.save_checkpoint(session_id, epoch, checkpoint)
    }

    fn live(&self, session_id: SessionId, delta: &Arc<TextDelta>) {
        self.log.live(session_id, delta);
    }
}
