//! Mirrors the lines that the CLI prints to a store.

mod batcher;
mod options;
mod queue;
mod report;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio_util::sync::CancellationToken;

pub use self::options::{FlushMode, MirrorOptions};
use self::queue::Queue;
pub use self::report::{MirrorReport, MirrorStats};
use self::worker::Worker;
#[cfg(test)]
pub(crate) use self::worker::{FIRST_PAUSE, LONGEST_PAUSE};
use super::session_store::SessionStore;

/// How long [`Mirror::close`] waits after its deadline for a store that blocks the thread.
const LAST_GRACE: Duration = Duration::from_secs(1);

/// Sends lines from the CLI to a [`SessionStore`], in a task of its own.
///
/// The session passes it each `transcript_mirror` frame and continues at once: a store that is slow
/// or hangs does not block the conversation. Lines of one key are stored in order. An attempt that
/// fails or times out is retried with the same [`BatchId`](super::BatchId), after 200 ms, 800 ms
/// and so on up to every 30 s, until the store accepts it: later lines wait, so that there is no
/// gap. Lines are lost only
/// - if they arrive while more than [`MirrorOptions::queue_limit`] is pending,
/// - if [`Mirror::close`] reaches its deadline,
/// - if they are not JSON objects, or the store rejects them permanently ([`StoreError::BadKey`],
///   [`StoreError::Unsupported`], [`StoreError::Rejected`]).
///
/// Every loss is counted, logged and reported, see [`MirrorOptions::on_loss`]. Lines after a loss
/// are still stored, and the key is listed in [`MirrorReport::damaged`].
///
/// [`StoreError::BadKey`]: super::StoreError::BadKey
/// [`StoreError::Unsupported`]: super::StoreError::Unsupported
/// [`StoreError::Rejected`]: super::StoreError::Rejected
///
/// Dropping it closes the queue: as long as the runtime lives, the task continues until everything
/// is stored or lost. It retries for five minutes.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use rusty_claw::store::{MemoryStore, Mirror, MirrorOptions, SessionKey, SessionStore};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = Arc::new(MemoryStore::new());
/// let mirror = Mirror::start(store.clone(), MirrorOptions::new("/home/user/.claude"));
/// mirror.push(&br#"{"type":"transcript_mirror","filePath":"/home/user/.claude/projects/-p/5e5e.jsonl","entries":[{"type":"mode"}]}"#[..]);
/// mirror.flush();
/// let report = mirror.close(Duration::from_secs(10)).await;
/// assert_eq!((report.appended, report.lost), (1, 0));
/// let lines = store.load(&SessionKey::new("-p", "5e5e")).await?.unwrap();
/// assert_eq!(lines[0].text(), r#"{"type":"mode"}"#);
/// # Ok(())
/// # }
/// ```
pub struct Mirror {
    queue: Arc<Queue>,
    give_up: CancellationToken,
}

impl Mirror {
    /// Starts a mirror. Must be called inside a tokio runtime with timers.
    pub fn start(store: Arc<dyn SessionStore>, options: MirrorOptions) -> Self {
        let queue = Arc::new(Queue::new(options.queue_limit));
        let give_up = CancellationToken::new();
        let worker = Worker::new(Arc::clone(&queue), store, options, give_up.clone());
        tokio::spawn(worker.run());
        Self { queue, give_up }
    }

    /// Queues a `transcript_mirror` frame. Does not block.
    pub fn push(&self, frame: impl Into<Bytes>) {
        self.queue.push(frame.into());
    }

    /// Marks the end of a turn, so that everything that was pushed is sent now. Does not block.
    pub fn flush(&self) {
        self.queue.flush();
    }

    /// The current statistics.
    pub fn stats(&self) -> MirrorStats {
        self.queue.stats()
    }

    /// Waits until everything that was pushed is stored or lost, and ends the mirror. Call it when
    /// the CLI has ended, since its last lines arrive just before that.
    ///
    /// At the deadline, the remaining lines are abandoned and counted as lost; an attempt in
    /// progress may still succeed. Frames that are pushed after this call are lost.
    ///
    /// If the future is dropped, the mirror continues to store what was pushed.
    pub async fn close(&self, deadline: Duration) -> MirrorReport {
        self.queue.close();
        if tokio::time::timeout(deadline, self.queue.ended())
            .await
            .is_err()
        {
            self.give_up.cancel();
            // Everything the task waits for ends now, unless a store blocks its thread.
            let _ = tokio::time::timeout(LAST_GRACE, self.queue.ended()).await;
        }
        self.queue.report()
    }
}

impl Drop for Mirror {
    fn drop(&mut self) {
        self.queue.abandon();
    }
}

debug_fields!(Mirror, |mirror| stats: mirror.stats());
