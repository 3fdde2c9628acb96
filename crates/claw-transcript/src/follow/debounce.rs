//! How long to wait before the state of a file is accepted.

use std::fs::Metadata;
use std::time::{Duration, Instant, SystemTime};

use super::cursor::Identity;

/// File times are coarse. A time older than this changes with the next write.
const COARSE: Duration = Duration::from_secs(2);

/// The visible state of a file.
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

    /// Returns whether any further change to the file will change this state.
    pub(super) fn would_show(self) -> bool {
        let passed = self.modified.and_then(|time| time.elapsed().ok());
        passed.is_some_and(|passed| passed > COARSE)
    }
}

/// Waits until a state was seen at least twice, over some time.
///
/// A file that is being rewritten is short at first, and a file that is being rotated is missing
/// for a moment.
#[derive(Debug)]
pub(super) struct Debounce {
    pub(super) limit: Duration,
    held: Option<(Option<Look>, Instant)>,
}

/// What to do about a state that may be temporary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// The state is new: examine it.
    New,
    /// The state is the same, but not for long enough.
    On,
    /// The state has lasted long enough.
    Over,
}

impl Debounce {
    pub(super) fn new(limit: Duration) -> Self {
        Self { limit, held: None }
    }

    pub(super) fn look(&mut self, now: Option<Look>) -> Wait {
        match self.held {
            Some((held, since)) if held == now && since.elapsed() >= self.limit => Wait::Over,
            Some((held, _)) if held == now => Wait::On,
            _ => {
                self.held = Some((now, Instant::now()));
                Wait::New
            }
        }
    }

    /// Resets the state.
    pub(super) fn clear(&mut self) {
        self.held = None;
    }
}
