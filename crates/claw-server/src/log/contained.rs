//! Catches panics of a log.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use rusty_claw::BoxFuture;

use super::{Checkpoint, EventLog, Fence, Latest, LogError, LogStream, PageLimit, SessionList};
use crate::event::{SessionEvent, TextDelta};
use crate::session_id::SessionId;

/// Converts panics to errors: a log is third-party code, and a session must be able to continue
/// when it fails.
pub(crate) struct Contained(pub(crate) Arc<dyn EventLog>);

/// Calls the log inside the future, because the call itself may panic too.
macro_rules! contained {
    ($call:expr) => {{
        let call = AssertUnwindSafe(async move { $call.await }).catch_unwind();
        Box::pin(
            call.map(|done| done.unwrap_or_else(|_| Err(LogError::unavailable("it panicked")))),
        )
    }};
}

impl EventLog for Contained {
    fn append<'a>(
        &'a self,
        session_id: SessionId,
        fence: Fence,
        events: &'a [Arc<SessionEvent>],
    ) -> BoxFuture<'a, Result<(), LogError>> {
        contained!(self.0.append(session_id, fence, events))
    }

    fn read(
        &self,
        session_id: SessionId,
        after: u64,
        limit: PageLimit,
    ) -> BoxFuture<'_, Result<Vec<Arc<SessionEvent>>, LogError>> {
        contained!(self.0.read(session_id, after, limit))
    }

    fn latest(&self, session_id: SessionId) -> BoxFuture<'_, Result<Latest, LogError>> {
        contained!(self.0.latest(session_id))
    }

    fn list<'a>(
        &'a self,
        tenant: &'a str,
        from: Option<String>,
        limit: usize,
    ) -> BoxFuture<'a, Result<SessionList, LogError>> {
        contained!(self.0.list(tenant, from, limit))
    }

    fn subscribe(
        &self,
        session_id: SessionId,
        after: u64,
    ) -> BoxFuture<'_, Result<LogStream, LogError>> {
        contained!(self.0.subscribe(session_id, after))
    }

    fn checkpoint(
        &self,
        session_id: SessionId,
    ) -> BoxFuture<'_, Result<Option<Checkpoint>, LogError>> {
        contained!(self.0.checkpoint(session_id))
    }

    fn save_checkpoint(
        &self,
        session_id: SessionId,
        epoch: u64,
        checkpoint: Checkpoint,
    ) -> BoxFuture<'_, Result<(), LogError>> {
        contained!(self.0.save_checkpoint(session_id, epoch, checkpoint))
    }

    fn live(&self, session_id: SessionId, delta: &Arc<TextDelta>) {
        let live = || self.0.live(session_id, delta);
        if std::panic::catch_unwind(AssertUnwindSafe(live)).is_err() {
            tracing::warn!("the log panicked while it published text");
        }
    }
}
