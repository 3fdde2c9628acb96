//! Options of a mirror.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::Received;

/// When lines are sent to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum FlushMode {
    /// In batches: at the end of a turn, when more than 500 lines or 1 MiB are pending, or when the
    /// oldest has waited for [`MirrorOptions::linger`]. The default.
    #[default]
    Batched,
    /// Each frame of the CLI separately, at once. For stores that are cheap to call and readers
    /// that follow the store.
    Eager,
}

/// Options of a [`Mirror`](super::Mirror).
#[derive(Clone)]
pub struct MirrorOptions {
    pub(super) config_dir: PathBuf,
    pub(super) mode: FlushMode,
    pub(crate) linger: Duration,
    pub(crate) attempt_limit: Duration,
    pub(crate) queue_limit: usize,
    pub(super) on_loss: Option<Arc<OnLoss>>,
}

type OnLoss = dyn Fn(Received) + Send + Sync;

impl MirrorOptions {
    /// The defaults, for a CLI with this config folder, spelled as it was passed to the CLI.
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

    /// Sets when lines are sent to the store.
    pub fn mode(mut self, mode: FlushMode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets how long a line waits for others in [`FlushMode::Batched`]; one second by default. Some
    /// lines follow the end of a turn, and without this the last ones would wait for the next turn.
    pub fn linger(mut self, linger: Duration) -> Self {
        self.linger = linger;
        self
    }

    /// Sets the time limit of one attempt; one minute by default.
    pub fn attempt_limit(mut self, limit: Duration) -> Self {
        self.attempt_limit = limit;
        self
    }

    /// Sets how many bytes may be pending; 64 MiB by default. Frames beyond that are lost and
    /// reported. If nothing is pending, a frame of any length is accepted.
    pub fn queue_limit(mut self, bytes: usize) -> Self {
        self.queue_limit = bytes;
        self
    }

    /// Calls this for every loss, with a message `system/mirror_error` that describes what was
    /// lost. It is called in the mirror's task and must not block.
    pub fn on_loss(mut self, report: impl Fn(Received) + Send + Sync + 'static) -> Self {
        self.on_loss = Some(Arc::new(report));
        self
    }
}

debug_fields!(MirrorOptions, |options|
    config_dir: options.config_dir,
    mode: options.mode,
    linger: options.linger,
    attempt_limit: options.attempt_limit,
    queue_limit: options.queue_limit
);
