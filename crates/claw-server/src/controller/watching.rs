//! The handle of a sink that watches a session.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::log::LogError;

/// A sink that watches a session: stop it, or wait for its end.
///
/// Dropping it has no effect: the sink receives messages until it is closed or the session ends.
#[derive(Debug, Clone)]
pub struct Watch {
    ending: Arc<Ending>,
    task: AbortHandle,
}

/// How a [`Watch`] ended. Except after `SessionEnded`, the client may have missed messages: it can
/// [resume](crate::Controller::resume).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum WatchEnd {
    /// The session ended, and the sink has received everything.
    SessionEnded,
    /// The sink returned [`Delivery::Closed`](crate::Delivery::Closed).
    SinkClosed,
    /// [`Watch::stop`] was called.
    Stopped,
    /// The sink accepted nothing for too long while it blocked the session, or did not accept the
    /// last messages in time.
    LeftBehind,
    /// The sink panicked.
    Panicked,
    /// Earlier events could not be read from the log.
    LogFailed(LogError),
}

impl Watch {
    pub(super) fn new(ending: Arc<Ending>, task: AbortHandle) -> Self {
        Self { ending, task }
    }

    /// Drops the sink, even during a message. What was not sent stays in the log.
    pub fn stop(&self) {
        self.ending.because(WatchEnd::Stopped);
        self.task.abort();
    }

    /// Returns whether the sink is gone.
    pub fn is_over(&self) -> bool {
        self.ending.is_gone.load(Ordering::Acquire)
    }

    /// Waits until the sink is gone, and returns the reason.
    ///
    /// This method is cancel safe.
    pub async fn ended(&self) -> WatchEnd {
        let over = self.ending.over.notified();
        let mut over = std::pin::pin!(over);
        // From here on no notification is missed, so the check below cannot race.
        over.as_mut().enable();
        if !self.is_over() {
            over.await;
        }
        self.ending.how()
    }
}

/// The end of a watch, shared by its handle and its task.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// The first reason counts.
    reason: OnceLock<WatchEnd>,
    is_gone: AtomicBool,
    over: Notify,
}

impl Ending {
    pub(super) fn because(&self, reason: WatchEnd) {
        let _ = self.reason.set(reason);
    }

    /// Marks the sink as gone. If no reason was set, it panicked.
    pub(super) fn gone(&self) {
        self.because(WatchEnd::Panicked);
        self.is_gone.store(true, Ordering::Release);
        self.over.notify_waiters();
    }

    pub(super) fn how(&self) -> WatchEnd {
        let reason = self.reason.get().cloned();
        reason.unwrap_or(WatchEnd::Panicked)
    }
}
