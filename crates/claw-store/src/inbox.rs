//! Commands that wait for the owner of a session.

use bytes::Bytes;

use crate::event::ReadLimit;
use crate::id::IdempotencyKey;

/// How many commands may wait for the owner of a session, and how many bytes they may have.
pub(crate) const MAX_WAITING: ReadLimit = ReadLimit {
    events: 1000,
    bytes: 1024 * 1024,
};

/// A command to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommand {
    /// The key under which a repeated call stores nothing.
    pub key: IdempotencyKey,
    /// Its content.
    pub body: Bytes,
}

/// The result of submitting a command, which is now stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Submitted {
    /// Its position: positions of one session rise, and may have gaps.
    pub position: u64,
    /// Whether an earlier call with the same key stored it.
    pub is_repeat: bool,
}

/// A stored command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Its position.
    pub position: u64,
    /// The key under which it was submitted.
    pub key: IdempotencyKey,
    /// Its content.
    pub body: Bytes,
}
