//! The handle of somebody who looks at a session.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::log::LogError;

/// Somebody looks at a session: stop it, or hear how it ended.
///
/// Dropping it changes nothing: the sink gets messages until it is closed or the session ends.
#[derive(Debug, Clone)]
pub struct Watch {
    ending: Arc<Ending>,
    task: AbortHandle,
}

/// How a [`Watch`] ended. Behind all but the first two, the sink does not have everything: it can
/// [resume](crate::Controller::resume) while the session runs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum WatchEnd {
    /// The session is over, and the sink has all that was said.
    SessionEnded,
    /// The sink said that nobody is there.
    SinkClosed,
    /// Somebody called [`Watch::stop`].
    Stopped,
    /// The sink took nothing for too long while the session waited for it, or not the last of it
    /// in time.
    LeftBehind,
    /// The sink panicked.
    Panicked,
    /// What was said before cannot be read.
    LogFailed(LogError),
}

impl Watch {
    pub(super) fn new(ending: Arc<Ending>, task: AbortHandle) -> Self {
        Self { ending, task }
    }

    /// Lets go of the sink, also in the middle of a message. What it was not sent stays in the log.
    pub fn stop(&self) {
        self.ending.because(WatchEnd::Stopped);
        self.task.abort();
    }

    /// Whether the sink is gone.
    pub fn is_over(&self) -> bool {
        self.ending.is_gone.load(Ordering::Acquire)
    }

    /// Waits until the sink is gone, and says how that came.
    ///
    /// Dropping the future changes nothing.
    pub async fn ended(&self) -> WatchEnd {
        let over = self.ending.over.notified();
        let mut over = std::pin::pin!(over);
        // From here on a notification is not missed, so looking afterwards leaves no hole.
        over.as_mut().enable();
        if !self.is_over() {
            over.await;
        }
        self.ending.how()
    }
}

/// What is known of the end of a watch.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// Why: the first reason counts.
    reason: OnceLock<WatchEnd>,
    /// The sink is gone.
    is_gone: AtomicBool,
    over: Notify,
}

impl Ending {
    pub(super) fn because(&self, reason: WatchEnd) {
        let _ = self.reason.set(reason);
    }

    /// The sink is gone. Without a reason it did not go by itself.
    pub(super) fn gone(&self) {
        self.because(WatchEnd::Panicked);
        self.is_gone.store(true, Ordering::Release);
        self.over.notify_waiters();
    }

    /// How it ended, when it has.
    pub(super) fn how(&self) -> WatchEnd {
        let reason = self.reason.get().cloned();
        reason.unwrap_or(WatchEnd::Panicked)
    }
}
