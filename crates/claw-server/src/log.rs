//! Where events are kept.

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

/// Keeps the events of sessions. Nobody sees an event before this has it.
///
/// [`MemoryLog`] is for one process; a gateway keeps them where they outlive it.
pub trait EventLog: Send + Sync + 'static {
    /// Keeps events of one session, in order, all or none. The session goes on when it is done,
    /// so a log that is slow makes the session slow, and loses nothing.
    ///
    /// # Errors
    /// They are not kept, or nobody can say. The session is closed: it must not do what is not
    /// written down. A panic is such an error too.
    ///
    /// A log that several programs write to must refuse events whose sequence it has already: two
    /// owners of one session know nothing of each other, and the one who is late must end.
    ///
    /// The future has a task of its own, and is not dropped before it is done, unless the runtime
    /// is. One that does not end holds its session up until somebody closes it; then it has the
    /// time that the session has, and five seconds more. After that the session ends without it,
    /// and nothing else is appended to that session: whether its events are kept, nobody can say.
    fn append<'a>(
        &'a self,
        session_id: i64,
        events: &'a [Arc<SessionEvent>],
    ) -> BoxFuture<'a, Result<(), LogError>>;

    /// Events of a session behind a sequence, in order, for a reader who joins late: as many as the
    /// limit allows, and no fewer, as [`PageLimit::page`] cuts them. So [`PageLimit::ALL`] is all
    /// that is kept, and of a limit in events alone a shorter page says that there are no more now.
    /// What is kept no longer is left out, and readers see the gap.
    ///
    /// # Errors
    /// They cannot be read.
    ///
    /// Dropping the future changes nothing.
    fn read(
        &self,
        session_id: i64,
        after: u64,
        limit: PageLimit,
    ) -> BoxFuture<'_, Result<Vec<Arc<SessionEvent>>, LogError>>;

    /// Text that is still being written, for whoever watches. It is not kept, and may be lost.
    fn live(&self, session_id: i64, delta: &TextDelta) {
        let _ = (session_id, delta);
    }
}

/// Events could not be kept or read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the log of events failed: {reason}")]
pub struct LogError {
    reason: String,
}

impl LogError {
    /// Says what happened and what to do about it, without the content of events.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
        }
    }
}
