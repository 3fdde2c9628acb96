//! Commands for the owner of a session.

use bytes::Bytes;

use crate::error::StoreError;
use crate::event::ReadLimit;
use crate::id::IdempotencyKey;

/// How many commands may wait for the owner of a session, and how many bytes they may have.
pub(crate) const MAX_WAITING: ReadLimit = ReadLimit {
    events: 1000,
    bytes: 1024 * 1024,
};

/// The additional commands and bytes that are reserved for urgent commands.
pub(crate) const RESERVED: ReadLimit = ReadLimit {
    events: 200,
    bytes: 64 * 1024,
};

/// A command to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommand {
    /// The key under which a repeated call stores nothing.
    pub key: IdempotencyKey,
    /// Its content.
    pub body: Bytes,
    /// Whether the command may use the reserved space of a full inbox. The owner may need it to
    /// apply the commands before it.
    pub is_urgent: bool,
}

impl NewCommand {
    /// Checks that an inbox has space for it beside the commands that wait.
    pub(crate) fn check_space(&self, waiting: usize, bytes: usize) -> Result<(), StoreError> {
        let (size, limit) = (self.body.len(), MAX_WAITING.bytes);
        if size > limit {
            let (size, limit) = (size as u64, limit as u64);
            return Err(StoreError::TooLarge { size, limit });
        }
        let (more, more_bytes) = match self.is_urgent {
            true => (RESERVED.events, RESERVED.bytes),
            false => (0, 0),
        };
        if waiting < MAX_WAITING.events + more && bytes + size <= limit + more_bytes {
            return Ok(());
        }
        let advice = "wait until the owner has applied some commands";
        Err(StoreError::full("the inbox", advice))
    }
}

/// The result of submitting a command, which is now stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Submitted {
    /// Its position: positions of one session rise, and may have gaps.
    pub position: u64,
    /// Whether an earlier call with the same key stored it.
    pub is_repeat: bool,
}

impl Submitted {
    /// Returns the result for a key that was used before, with the same body or with another one.
    pub(crate) fn repeat(position: u64, is_same: bool) -> Result<Self, StoreError> {
        let is_repeat = true;
        let repeat = is_same.then_some(Self {
            position,
            is_repeat,
        });
        repeat.ok_or_else(|| StoreError::conflict("the command of this key"))
    }
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
