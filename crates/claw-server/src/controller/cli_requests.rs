//! Requests of the CLI, on their way to the loop of the session.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::event::Interaction;
use crate::registry::CliResponse;

/// Capacity of the queue of requests to the session's loop. If it is full, callbacks of the SDK
/// wait. The SDK serves at most 1,024 requests at a time and refuses the rest.
pub(super) const QUEUE: usize = 4096;

/// A request of the CLI, for the loop of the session.
#[derive(Debug)]
pub(super) enum CliRequest {
    /// A person must be asked.
    Ask {
        ticket: u64,
        interaction: Box<Interaction>,
        /// Receives the response for the CLI. Dropping it denies.
        reply: oneshot::Sender<CliResponse>,
        cancelled: CancelFlag,
    },
    /// A policy decided. The decision must be stored before the CLI receives it.
    Decided {
        interaction: Box<Interaction>,
        response: CliResponse,
        /// The policy or the grant that decided.
        by: String,
        /// Receives the response for the CLI once it is stored. It is an earlier answer if the
        /// request was answered before. Dropping it denies.
        stored: oneshot::Sender<CliResponse>,
    },
    /// The CLI no longer waits for the answer.
    Withdrawn { ticket: u64 },
}

/// Whether the CLI has cancelled its request. This is true before any later line of the CLI is
/// processed, and before `CliRequest::Withdrawn` arrives.
#[derive(Clone)]
pub(super) struct CancelFlag {
    is_cancelled: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Set if the process is gone without having cancelled the request.
    pub(super) is_abandoned: Arc<AtomicBool>,
}

impl CancelFlag {
    pub(super) fn when(is_cancelled: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self {
            is_cancelled: Arc::new(is_cancelled),
            is_abandoned: Arc::default(),
        }
    }

    pub(super) fn is_true(&self) -> bool {
        (self.is_cancelled)() && !self.is_abandoned.load(Ordering::Acquire)
    }
}

impl std::fmt::Debug for CancelFlag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("CancelFlag").field(&self.is_true()).finish()
    }
}

/// A request of the CLI that waits for an answer.
#[derive(Debug)]
pub(super) struct PendingReply {
    pub(super) ticket: u64,
    /// When it is denied if unanswered.
    pub(super) expires_at: Option<Instant>,
    pub(super) reply: oneshot::Sender<CliResponse>,
    pub(super) cancelled: CancelFlag,
}
