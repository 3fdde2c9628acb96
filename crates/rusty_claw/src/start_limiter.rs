//! Limits concurrent starts of sessions.

use std::sync::{Arc, LazyLock};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Limits how many sessions start at the same time. Further starts wait in a fair queue.
///
/// Starting the CLI takes about half a second of processor time. If many start at once, all of them
/// slow down and may exceed [`Options::start_timeout`](crate::Options::start_timeout), which does
/// not run while a start waits in the queue.
///
/// The queue is unbounded in length and time. A program that accepts requests from outside should
/// limit how many of them wait, or put a timeout around the start: dropping the future leaves the
/// queue.
///
/// A start that itself waits for a start of the same limiter, for example because its transport
/// starts a session, keeps its permit. If all permits are held by such starts, they wait for each
/// other until [`Options::start_timeout`](crate::Options::start_timeout). Give the inner sessions
/// their own limiter, or none.
///
/// All sessions of a process share one limiter unless
/// [`Options::start_limiter`](crate::Options::start_limiter) sets another or none.
///
/// ```
/// use rusty_claw::{Options, StartLimiter};
///
/// let limiter = StartLimiter::new(8);
/// let options = Options::new().start_limiter(limiter.clone());
/// let unlimited = Options::new().start_limiter(None);
/// # let _ = (options, unlimited);
/// ```
#[derive(Debug, Clone)]
pub struct StartLimiter {
    slots: Arc<Semaphore>,
    at_once: usize,
}

static SHARED: LazyLock<StartLimiter> = LazyLock::new(|| {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    StartLimiter::new(2 * processors)
});

impl StartLimiter {
    /// Creates a limiter. At least one session can start at a time, even if `at_once` is zero.
    pub fn new(at_once: usize) -> Self {
        let at_once = at_once.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            slots: Arc::new(Semaphore::new(at_once)),
            at_once,
        }
    }

    /// The limiter of this process: two starts per processor.
    pub fn shared() -> Self {
        SHARED.clone()
    }

    /// The maximum number of concurrent starts.
    pub fn at_once(&self) -> usize {
        self.at_once
    }

    /// Waits in the queue. Dropping the future leaves the queue; dropping the permit frees the
    /// slot.
    pub(crate) async fn acquire(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        Arc::clone(&self.slots).acquire_owned().await.ok()
    }
}

impl PartialEq for StartLimiter {
    /// Returns whether both are the same limiter.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.slots, &other.slots)
    }
}
