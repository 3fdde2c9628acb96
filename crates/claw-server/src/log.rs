//! Storage of events.

mod contained;
mod memory;
mod page;
mod weight;

use std::pin::Pin;
use std::sync::Arc;

use futures_util::Stream;
use rusty_claw::BoxFuture;
use serde::Serialize;

use crate::event::{SessionEvent, TextDelta};
use crate::session_id::SessionId;

pub(crate) use contained::Contained;
pub use memory::MemoryLog;
pub use page::PageLimit;
pub(crate) use weight::weight;

/// Stores the events of sessions. An event is published only after it is stored.
///
/// [`MemoryLog`] is for one process; a gateway stores events durably. Anyone may read and follow a
/// session, also one that has ended; only its owner may append.
///
/// Methods are cancel safe, except for the two that write.
pub trait EventLog: Send + Sync + 'static {
    /// Appends events of one session, in order, all or none.
    ///
    /// While an append is pending, the session collects the next events, and appends them together.
    /// The future runs in its own task and is not dropped before it completes, unless the runtime
    /// is. If it hangs when the session is closed, it has the grace period of the session and five
    /// more seconds; then the session ends without it.
    ///
    /// # Errors
    /// [`LogError::Fenced`] if the session has an owner with a higher epoch, or another last event
    /// than the fence names. A repeated append with the same events and fence succeeds and stores
    /// them once. If the outcome is unknown, the log determines it by reading, or returns
    /// [`LogError::Unavailable`].
    ///
    /// `Fenced` and `Deleted` end the session. After `TooLarge`, the largest event is replaced by
    /// [`Fact::Omitted`](crate::Fact::Omitted). After other errors, the same append is repeated
    /// until it succeeds or the session is closed. A panic counts as `Unavailable`.
    fn append<'a>(
        &'a self,
        session_id: SessionId,
        fence: Fence,
        events: &'a [Arc<SessionEvent>],
    ) -> BoxFuture<'a, Result<(), LogError>>;

    /// Reads events of a session after a sequence, in order: as many as the limit allows and no
    /// fewer, as cut by [`PageLimit::page`]. So [`PageLimit::ALL`] returns everything, and with a
    /// limit in events alone, a shorter page means that there are no more now. Events that are no
    /// longer stored are left out, and readers see the gap.
    ///
    /// # Errors
    /// The events cannot be read.
    fn read(
        &self,
        session_id: SessionId,
        after: u64,
        limit: PageLimit,
    ) -> BoxFuture<'_, Result<Vec<Arc<SessionEvent>>, LogError>>;

    /// Returns the last event of a session; zeros if the log has none.
    ///
    /// # Errors
    /// The log cannot be read.
    fn latest(&self, session_id: SessionId) -> BoxFuture<'_, Result<Latest, LogError>>;

    /// Lists the sessions of a tenant, in an order that does not change: at most `limit`, from the
    /// start or from where an earlier page ended.
    ///
    /// # Errors
    /// The log cannot be read.
    fn list<'a>(
        &'a self,
        tenant: &'a str,
        from: Option<String>,
        limit: usize,
    ) -> BoxFuture<'a, Result<SessionList, LogError>>;

    /// Follows a session: the events after a sequence, then new ones as they are stored, each once
    /// and in order, and deltas as they are published. If the sequence jumps, the events between
    /// are no longer stored. The stream ends only when the log deletes the session.
    ///
    /// # Errors
    /// The log cannot be read.
    fn subscribe(
        &self,
        session_id: SessionId,
        after: u64,
    ) -> BoxFuture<'_, Result<LogStream, LogError>>;

    /// Returns the latest checkpoint of a session.
    ///
    /// # Errors
    /// The log cannot be read.
    fn checkpoint(
        &self,
        session_id: SessionId,
    ) -> BoxFuture<'_, Result<Option<Checkpoint>, LogError>>;

    /// Stores a checkpoint in place of the earlier one.
    ///
    /// # Errors
    /// The checkpoint is not stored. The session continues without it.
    fn save_checkpoint(
        &self,
        session_id: SessionId,
        epoch: u64,
        checkpoint: Checkpoint,
    ) -> BoxFuture<'_, Result<(), LogError>>;

    /// Receives text that is still being written. It is not stored, and may be lost.
    fn live(&self, session_id: SessionId, delta: &Arc<TextDelta>) {
        let _ = (session_id, delta);
    }
}

/// The state of the log that an append expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    /// The epoch of the owner that appends. A higher one fences all owners before it.
    pub epoch: u64,
    /// The sequence of the last event in the log, 0 if it has none.
    pub expected_last: u64,
}

/// The end of a session's log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Latest {
    /// The sequence of the last event, 0 if there is none.
    pub sequence: u64,
    /// The epoch of the last owner, 0 if there was none.
    pub epoch: u64,
}

/// A page of sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SessionList {
    /// The sessions.
    pub sessions: Vec<SessionId>,
    /// Where the next page starts, if there may be one.
    pub next: Option<String>,
}

/// The state of a session at an event, so that the events before it need not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The sequence of the last event that it includes.
    pub sequence: u64,
    /// The state as JSON. Its format is private to the version of this library that it names.
    pub state: String,
}

/// An update that a log delivers to the followers of a session.
#[derive(Debug, Clone)]
pub enum LogUpdate {
    /// A stored event.
    Event(Arc<SessionEvent>),
    /// Text that is not stored.
    Delta(Arc<TextDelta>),
}

impl LogUpdate {
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Event(event) => weight(event),
            Self::Delta(delta) => delta.text.len() + 64,
        }
    }
}

/// The updates of one session.
pub type LogStream = Pin<Box<dyn Stream<Item = Result<LogUpdate, LogError>> + Send>>;

/// Events could not be stored or read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// Another owner has claimed the session, and this one must end.
    #[error("the session has another owner: continue there, or open it again")]
    Fenced,
    /// The session was deleted, and nothing more can be stored in it.
    #[error("the session was deleted")]
    Deleted,
    /// The log does not respond now. It is unknown whether the events are stored.
    #[error("the log of events is unavailable: {reason}")]
    Unavailable {
        /// What happened, without the content of events.
        reason: String,
    },
    /// There is no space for more events.
    #[error("the log of events is full: {reason}")]
    Full {
        /// What is full, and what to do about it.
        reason: String,
    },
    /// An event is larger than the log accepts.
    #[error("an event of {size} bytes is larger than the log accepts ({limit} bytes)")]
    TooLarge {
        /// The size of the event.
        size: u64,
        /// The maximum size.
        limit: u64,
    },
    /// A stored event cannot be read.
    #[error("event {sequence} in the log is damaged: {reason}")]
    Damaged {
        /// Its sequence.
        sequence: u64,
        /// What is wrong with it.
        reason: String,
    },
}

impl LogError {
    /// The log does not respond, for this reason.
    pub fn unavailable(reason: impl Into<String>) -> Self {
        Self::Unavailable {
            reason: reason.into(),
        }
    }

    /// Returns whether the same append may succeed later.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::Full { .. })
    }
}
