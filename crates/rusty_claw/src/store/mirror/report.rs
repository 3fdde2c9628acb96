//! What a mirror stored and lost.

use std::time::Duration;

use super::super::key::SessionKey;

/// Statistics of a [`Mirror`](super::Mirror).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirrorStats {
    /// The number of stored lines.
    pub appended: u64,
    /// The number of lost lines.
    pub lost: u64,
    /// The number of frames that could not be parsed, or whose file is not a session file of the
    /// CLI.
    pub refused: u64,
    /// The number of pending bytes.
    pub waiting: usize,
    /// The age of the oldest pending frame.
    pub lag: Duration,
}

/// The final result of a [`Mirror`](super::Mirror).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirrorReport {
    /// The number of stored lines.
    pub appended: u64,
    /// The number of lost lines.
    pub lost: u64,
    /// The number of frames that could not be parsed, or whose file is not a session file of the
    /// CLI.
    pub refused: u64,
    /// The longest time from the push of a line until it was stored or lost.
    pub lag: Duration,
    /// Keys that have lost lines. A session that is resumed from the store may have only what
    /// follows the gap.
    pub damaged: Vec<SessionKey>,
    /// Whether the mirror has ended. If not, the store blocks the thread, and the numbers are
    /// preliminary.
    pub ended: bool,
}

impl MirrorReport {
    /// Returns whether the store has every line.
    pub fn is_complete(&self) -> bool {
        self.ended && self.lost == 0 && self.refused == 0
    }
}
