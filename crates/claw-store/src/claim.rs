//! Ownership of a session.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

use crate::event::Delta;
use crate::id::SessionKey;
pub(crate) use crate::owner::Owner;

/// Why a session is claimed. Stored for diagnosis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClaimReason {
    /// It is new, or it was released.
    Open,
    /// Its owner is dead.
    Takeover,
    /// An operator moves it.
    Move,
}

impl ClaimReason {
    /// Returns the name of the reason as it is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Takeover => "takeover",
            Self::Move => "move",
        }
    }
}

/// The right to write to a session, valid until the next claim.
///
/// A clone is the same claim. Dropping it does not release the session.
#[derive(Debug, Clone)]
pub struct Claim {
    key: SessionKey,
    owner: Owner,
    last: u64,
    applied: u64,
    submitted: u64,
    /// Number of the last delta.
    deltas: Arc<AtomicU64>,
    /// A position in the engine, such as a sequence of the stream.
    #[cfg_attr(
        not(any(feature = "jetstream", feature = "sqlite")),
        expect(dead_code, reason = "the memory store has no positions")
    )]
    position: u64,
}

impl Claim {
    pub(crate) fn new(
        key: SessionKey,
        owner: Owner,
        last: u64,
        applied: u64,
        submitted: u64,
        position: u64,
    ) -> Self {
        Self {
            key,
            owner,
            last,
            applied,
            submitted,
            deltas: Arc::default(),
            position,
        }
    }

    /// Returns the session.
    pub fn key(&self) -> &SessionKey {
        &self.key
    }

    /// Returns the owner, which is the caller of `claim`.
    pub fn owner(&self) -> &Owner {
        &self.owner
    }

    /// Returns the number of this ownership.
    pub fn epoch(&self) -> u64 {
        self.owner.epoch
    }

    /// Returns the sequence of the last event at the time of the claim. Nothing was appended
    /// between that event and the claim.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Returns the position of the last applied command at the time of the claim.
    pub fn applied(&self) -> u64 {
        self.applied
    }

    /// Returns the position of the last command at the time of the claim. If it is higher than
    /// [`Claim::applied`], commands are pending in the inbox.
    pub fn submitted(&self) -> u64 {
        self.submitted
    }

    /// Returns the next delta of this ownership.
    pub(crate) fn delta(&self, body: Bytes) -> Delta {
        Delta {
            epoch: self.epoch(),
            number: self.deltas.fetch_add(1, Ordering::Relaxed) + 1,
            body,
        }
    }

    #[cfg(any(feature = "jetstream", feature = "sqlite"))]
    pub(crate) fn position(&self) -> u64 {
        self.position
    }
}
