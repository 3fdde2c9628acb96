//! Unread lines.

use bytes::Bytes;

/// Identifies a turn within a session.
pub(crate) type TurnNumber = u64;

/// The number of lines outside turns, and of the session's queue.
pub(crate) const SESSION: TurnNumber = 0;

/// An unread line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unread {
    pub(crate) raw: Bytes,
    /// Where it ends in the CLI's output, newline included.
    pub(crate) offset: u64,
    pub(crate) turn: TurnNumber,
}
