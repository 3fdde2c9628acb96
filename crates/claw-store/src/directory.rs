//! The sessions of a tenant.

use bytes::Bytes;

use crate::error::StoreError;
use crate::id::{IdempotencyKey, SessionId, SessionKey, TenantId};
use crate::owner::Owner;

/// A session to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// The tenant that it belongs to.
    pub tenant: TenantId,
    /// Its id. Without one, the store assigns a random one.
    pub session: Option<SessionId>,
    /// What the caller stores with it, such as labels.
    pub attributes: Bytes,
    /// The key under which a repeated call returns the same session.
    pub key: IdempotencyKey,
}

/// The result of creating a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    /// The session.
    pub row: SessionRow,
    /// Whether an earlier call with the same key created it.
    pub is_repeat: bool,
}

/// Counts the changes of a row: an update names the revision it was computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision(pub u64);

/// Whether a session has an owner or has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SessionState {
    /// It was created and has not been claimed yet.
    New,
    /// It has an owner.
    Awake,
    /// It has no owner, and needs one when a command arrives.
    Asleep,
    /// It has ended. Its log can be read.
    Ended,
}

impl SessionState {
    /// All states.
    pub const ALL: [Self; 4] = [Self::New, Self::Awake, Self::Asleep, Self::Ended];

    /// Returns the name of the state as it is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Awake => "awake",
            Self::Asleep => "asleep",
            Self::Ended => "ended",
        }
    }

    #[cfg(any(feature = "jetstream", feature = "sqlite"))]
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// A session in the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// The tenant and the id.
    pub key: SessionKey,
    /// Its number among the sessions of its tenant, below 2^53. Used only inside messages that need
    /// a number; it does not address anything.
    pub number: i64,
    /// Changes with every update and claim of the session, not with appends.
    pub revision: Revision,
    /// Its state.
    pub state: SessionState,
    /// Who owns it. `None` unless it is awake.
    pub owner: Option<Owner>,
    /// The epoch of the latest claim, 0 before the first.
    pub epoch: u64,
    /// The sequence of its last event, 0 before the first.
    pub last: u64,
    /// What the caller stored with it.
    pub attributes: Bytes,
}

/// A change of a session in the directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionPatch {
    /// Replaces what the caller stored with it.
    pub attributes: Option<Bytes>,
}

/// Where the next page of a list starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageToken(pub String);

impl PageToken {
    /// Returns the number after which a page starts.
    pub(crate) fn after(token: Option<&Self>) -> Result<i64, StoreError> {
        let after = token.map_or(Ok(0), |token| token.0.parse());
        after.map_err(|_| StoreError::not_found("the page"))
    }
}

/// A page of sessions, in the order of their numbers. A session that is created or changed while a
/// reader pages is neither skipped nor repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionPage {
    /// The sessions.
    pub rows: Vec<SessionRow>,
    /// Where the next page starts, if there may be one.
    pub next: Option<PageToken>,
}

impl SessionPage {
    /// Returns the page of rows that were listed with a limit.
    pub(crate) fn new(rows: Vec<SessionRow>, limit: usize) -> Self {
        let last = rows.last().filter(|_| rows.len() >= limit);
        let next = last.map(|row| PageToken(row.number.to_string()));
        Self { rows, next }
    }
}
