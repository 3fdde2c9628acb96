//! Catches panics of a log.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use rusty_claw::BoxFuture;

use super::{EventLog, LogError, PageLimit};
use crate::event::{SessionEvent, TextDelta};

/// Converts panics to errors: a log is third-party code, and a session must be able to end when it
/// fails.
pub(crate) struct Contained(pub(crate) Arc<dyn EventLog>);

impl EventLog for Contained {
    fn append<'a>(
        &'a self,
        session_id: i64,
        events: &'a [Arc<SessionEvent>],
    ) -> BoxFuture<'a, Result<(), LogError>> {
        let appended = async move { self.0.append(session_id, events).await };
        Box::pin(AssertUnwindSafe(appended).catch_unwind().map(|appended| {
            appended.unwrap_or_else(|_| Err(LogError::new("it panicked while it stored events")))
        }))
    }

    fn read(
        &self,
        session_id: i64,
        after: u64,
        limit: PageLimit,
    ) -> BoxFuture<'_, Result<Vec<Arc<SessionEvent>>, LogError>> {
        let read = async move { self.0.read(session_id, after, limit).await };
        Box::pin(AssertUnwindSafe(read).catch_unwind().map(|read| {
            read.unwrap_or_else(|_| Err(LogError::new("it panicked while it read events")))
        }))
    }

    fn live(&self, session_id: i64, delta: &TextDelta) {
        let live = || self.0.live(session_id, delta);
        if std::panic::catch_unwind(AssertUnwindSafe(live)).is_err() {
            tracing::warn!("the log panicked over text that is not kept");
        }
    }
}
