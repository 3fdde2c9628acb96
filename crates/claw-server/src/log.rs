//! Storage of events.

mod contained;
mod memory;
mod page;
mod weight;

use std::sync::Arc;

use rusty_claw::BoxFuture;

use crate::event::{SessionEvent, TextDelta};

pub(crate) use contained::Contained;
pub use memory::MemoryLog;
pub use page::PageLimit;
pub(crate) use weight::weight;

/// Stores the events of sessions. An event is published only after it is stored.
///
/// [`MemoryLog`] is for one process; a gateway stores events durably.
pub trait EventLog: Send + Sync + 'static {
    /// Appends events of one session, in order, all or none. The session waits for it, so a slow
    /// log slows the session down, and nothing is lost.
    ///
    /// # Errors
    /// The events are not stored, or that is unknown. The session is closed, because nothing may
    /// happen that is not recorded. A panic counts as an error.
    ///
    /// A log with several writers must reject events whose sequence it already has: two owners of
    /// one session do not know of each other, and the late one must end.
    ///
    /// The future runs in its own task and is not dropped before it completes, unless the runtime
    /// is. If it hangs, it blocks its session until that is closed; then it has the grace period of
    /// the session and five more seconds. After that the session ends without it, and nothing else
    /// is appended to that session: it is unknown whether the events are stored.
    fn append<'a>(
        &'a self,
        session_id: i64,
        events: &'a [Arc<SessionEvent>],
    ) -> BoxFuture<'a, Result<(), LogError>>;

    /// Reads events of a session after a sequence, in order: as many as the limit allows and no
    /// fewer, as cut by [`PageLimit::page`]. So [`PageLimit::ALL`] returns everything, and with a
    /// limit in events alone, a shorter page means that there are no more now. Events that are no
    /// longer stored are left out, and readers see the gap.
    ///
    /// # Errors
    /// The events cannot be read.
    ///
    /// This method is cancel safe.
    fn read(
        &self,
        session_id: i64,
        after: u64,
        limit: PageLimit,
    ) -> BoxFuture<'_, Result<Vec<Arc<SessionEvent>>, LogError>>;

    /// Receives text that is still being written. It is not stored, and may be lost.
    fn live(&self, session_id: i64, delta: &TextDelta) {
        let _ = (session_id, delta);
    }
}

/// Events could not be stored or read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the log of events failed: {reason}")]
pub struct LogError {
    reason: String,
}

impl LogError {
    /// Creates an error from what happened and what to do about it, without the content of events.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
        }
    }
}
