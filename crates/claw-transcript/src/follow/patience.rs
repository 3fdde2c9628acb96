//! How long to wait before a file is taken for what it looks like.

use std::fs::Metadata;
use std::time::{Duration, Instant, SystemTime};

use super::cursor::Identity;

/// Times of files are coarse. One that is older than this changes with the next write.
const COARSE: Duration = Duration::from_secs(2);

/// What a file looked like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    identity: Identity,
    pub(super) len: u64,
    modified: Option<SystemTime>,
}

impl Look {
    pub(super) fn of(meta: &Metadata) -> Self {
        Self {
            identity: Identity::of_meta(meta),
            len: meta.len(),
            modified: meta.modified().ok(),
        }
    }

    /// Whether whatever happens to the file from now on will make it look otherwise.
    pub(super) fn would_show(self) -> bool {
        let passed = self.modified.and_then(|time| time.elapsed().ok());
        passed.is_some_and(|passed| passed > COARSE)
    }
}

/// Waits until something has looked the same for some time, and twice at least.
///
/// A file that somebody writes anew is short at first, and one that is being rotated is nowhere
/// for a moment. Neither is what it looks like.
#[derive(Debug)]
pub(super) struct Patience {
    limit: Duration,
    held: Option<(Option<Look>, Instant)>,
}

/// What to do about something that may pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// It is new: look closely.
    New,
    /// It is as it was, and not for long enough.
    On,
    /// It has been so for long enough.
    Over,
}

impl Patience {
    pub(super) fn new(limit: Duration) -> Self {
        Self { limit, held: None }
    }

    pub(super) fn limit(&self) -> Duration {
        self.limit
    }

    pub(super) fn look(&mut self, now: Option<Look>) -> Wait {
        match self.held {
            Some((held, since)) if held == now => {
                if since.elapsed() >= self.limit {
                    Wait::Over
                } else {
                    Wait::On
                }
            }
            _ => {
                self.held = Some((now, Instant::now()));
                Wait::New
            }
        }
    }

    /// There is nothing to wait for any more.
    pub(super) fn clear(&mut self) {
        self.held = None;
    }
}
