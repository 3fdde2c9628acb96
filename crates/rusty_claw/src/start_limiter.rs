//! How many sessions start at the same time.

use std::sync::{Arc, LazyLock};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Limits how many sessions start at the same time. Further starts wait in a fair queue.
///
/// Starting the CLI keeps a processor busy for about half a second. Where many start at once, all
/// of them become slow together and miss [`Options::start_timeout`](crate::Options::start_timeout).
/// In the queue that limit does not run: it counts from the moment the CLI is started.
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
    /// A limiter of its own. At least one session starts at a time, even if `at_once` is zero.
    pub fn new(at_once: usize) -> Self {
        let at_once = at_once.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            slots: Arc::new(Semaphore::new(at_once)),
            at_once,
        }
    }

    /// The limiter of this process: two starts for each processor.
    pub fn shared() -> Self {
        SHARED.clone()
    }

    /// How many sessions may start at the same time.
    pub fn at_once(&self) -> usize {
        self.at_once
    }

    /// Waits for the start's place in the queue. Dropping the future leaves the queue, dropping
    /// the permit ends the start.
    pub(crate) async fn acquire(&self) -> Option<OwnedSemaphorePermit> {
        // It is never closed.
        Arc::clone(&self.slots).acquire_owned().await.ok()
    }
}

impl PartialEq for StartLimiter {
    /// Whether both are the same limiter.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.slots, &other.slots)
    }
}
