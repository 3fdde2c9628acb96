//! From what the CLI prints to what a store keeps.

mod batcher;
mod queue;
mod worker;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio_util::sync::CancellationToken;

use self::queue::Queue;
use self::worker::Worker;
#[cfg(test)]
pub(crate) use self::worker::{FIRST_PAUSE, LONGEST_PAUSE};
use super::SessionStore;
use super::key::SessionKey;
use crate::Received;

/// How long [`Mirror::close`] waits, after it has given up, for a store that holds up the thread.
const LAST_GRACE: Duration = Duration::from_secs(1);

/// When lines go to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum FlushMode {
    /// Together: at the end of a turn, when 500 lines or 1 MiB wait, or when the oldest has
    /// waited for [`MirrorOptions::linger`]. The usual.
    #[default]
    Batched,
    /// Each frame of the CLI by itself, at once. For stores that are cheap to call and readers
    /// that follow the store.
    Eager,
}

/// How a [`Mirror`] is to be.
#[derive(Clone)]
pub struct MirrorOptions {
    config_dir: PathBuf,
    mode: FlushMode,
    pub(crate) linger: Duration,
    pub(crate) attempt_limit: Duration,
    pub(crate) queue_limit: usize,
    on_loss: Option<Arc<OnLoss>>,
}

type OnLoss = dyn Fn(Received) + Send + Sync;

impl MirrorOptions {
    /// The usual, for a CLI whose config folder this is, spelled as the CLI was given it.
    pub fn new(config_dir: impl Into<PathBuf>) -> Self {
        Self {
            config_dir: config_dir.into(),
            mode: FlushMode::default(),
            linger: Duration::from_secs(1),
            attempt_limit: Duration::from_secs(60),
            queue_limit: 64 << 20,
            on_loss: None,
        }
    }

    /// When lines go to the store.
    pub fn mode(mut self, mode: FlushMode) -> Self {
        self.mode = mode;
        self
    }

    /// How long a line waits for company in [`FlushMode::Batched`]; a second unless said
    /// otherwise. Some lines come behind the end of a turn, and without this the last ones would
    /// wait for the next turn.
    pub fn linger(mut self, linger: Duration) -> Self {
        self.linger = linger;
        self
    }

    /// How long the store has for one attempt; a minute unless said otherwise.
    pub fn attempt_limit(mut self, limit: Duration) -> Self {
        self.attempt_limit = limit;
        self
    }

    /// How many bytes may wait for the store; 64 MiB unless said otherwise. What comes when they
    /// do is lost, and reported. One frame is taken however long it is.
    pub fn queue_limit(mut self, bytes: usize) -> Self {
        self.queue_limit = bytes;
        self
    }

    /// Calls this for every loss, with a message `system/mirror_error` that says what was lost.
    /// It is called in the mirror's task and must not block.
    pub fn on_loss(mut self, report: impl Fn(Received) + Send + Sync + 'static) -> Self {
        self.on_loss = Some(Arc::new(report));
        self
    }
}

impl fmt::Debug for MirrorOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MirrorOptions")
            .field("config_dir", &self.config_dir)
            .field("mode", &self.mode)
            .field("linger", &self.linger)
            .field("attempt_limit", &self.attempt_limit)
            .field("queue_limit", &self.queue_limit)
            .finish_non_exhaustive()
    }
}

/// Carries lines from the CLI to a [`SessionStore`], in a task of its own.
///
/// The session hands it each `transcript_mirror` frame and goes on at once: neither a slow store
/// nor one that hangs holds up the conversation. Lines of one key are stored in the order in
/// which they came. An attempt that fails or takes too long is made again with the same
/// [`BatchId`](super::BatchId), after 200 ms, 800 ms and so on up to every 30 s, until the store
/// takes it: what comes behind it waits, so that no gap is made. Lines are lost only
/// - when they come while more than [`MirrorOptions::queue_limit`] waits already,
/// - when the time for [`Mirror::close`] is over,
/// - when the store says that it never will take them ([`StoreError::BadKey`],
///   [`StoreError::Unsupported`]).
///
/// Every loss is counted, logged and reported, see [`MirrorOptions::on_loss`]. What came behind a
/// loss is stored all the same, and the key is named in [`MirrorReport::damaged`].
///
/// [`StoreError::BadKey`]: super::StoreError::BadKey
/// [`StoreError::Unsupported`]: super::StoreError::Unsupported
///
/// Dropping it ends it behind what was pushed: as long as the runtime lives, the task goes on
/// until everything is stored or lost. It has five minutes for that.
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

    /// Takes a `transcript_mirror` frame as it came. Never waits.
    pub fn push(&self, frame: impl Into<Bytes>) {
        self.queue.push(frame.into());
    }

    /// Says that a turn has ended, so what was pushed goes to the store now. Never waits.
    pub fn flush(&self) {
        self.queue.flush();
    }

    /// How it goes.
    pub fn stats(&self) -> MirrorStats {
        self.queue.stats()
    }

    /// Waits until everything that was pushed is stored or lost, and ends the mirror. To be called
    /// when the CLI has ended, since its last lines come just before that.
    ///
    /// At the deadline what is left is given up, and counted as lost: an attempt that is under way
    /// may still land. What is pushed after this call is lost.
    ///
    /// Dropping the future changes nothing: the mirror goes on as if it was dropped.
    pub async fn close(&self, deadline: Duration) -> MirrorReport {
        self.queue.close();
        if tokio::time::timeout(deadline, self.queue.ended())
            .await
            .is_err()
        {
            self.give_up.cancel();
            // Everything the task waits for ends now, unless a store holds up its thread.
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

impl fmt::Debug for Mirror {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mirror")
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

/// How a [`Mirror`] is doing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirrorStats {
    /// Lines that the store has taken.
    pub appended: u64,
    /// Lines that the store will never have.
    pub lost: u64,
    /// Frames whose file is none of the CLI's session files, or that could not be read.
    pub refused: u64,
    /// Bytes that wait for the store.
    pub waiting: usize,
    /// How long the oldest of them has waited: by so much the store is behind.
    pub lag: Duration,
}

/// What became of everything that was pushed into a [`Mirror`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirrorReport {
    /// Lines that the store has taken.
    pub appended: u64,
    /// Lines that the store will never have.
    pub lost: u64,
    /// Frames whose file is none of the CLI's session files, or that could not be read.
    pub refused: u64,
    /// The longest time from the push of a line to the store's word that it has it.
    pub lag: Duration,
    /// Keys that have lost lines. Resumed from the store, such a session may know only what came
    /// behind the gap.
    pub damaged: Vec<SessionKey>,
    /// Whether the mirror has come to its end. When not, the store holds up the thread, and the
    /// figures are those of the moment.
    pub ended: bool,
}

impl MirrorReport {
    /// Whether the store has every line.
    pub fn is_complete(&self) -> bool {
        self.ended && self.lost == 0 && self.refused == 0
    }
}
