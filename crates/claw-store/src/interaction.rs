//! Interactions: the first answer wins.

use bytes::Bytes;

use crate::error::StoreError;
use crate::id::{IdempotencyKey, InteractionId, SessionId, SessionKey, TenantId};

/// An interaction to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewInteraction {
    /// Its id, unique in its session for ever.
    pub id: InteractionId,
    /// What is asked.
    pub request: Bytes,
    /// When its owner closes it unanswered, in milliseconds since 1970. The store has no clock: it
    /// only lists interactions by this time.
    pub expires_at_ms: Option<i64>,
}

/// An answer to an interaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InteractionAnswer {
    /// The key of the answer: a repeated answer with the same key and body gets the same result.
    pub key: IdempotencyKey,
    /// What was decided, and by whom.
    pub body: Bytes,
}

/// Why an interaction ends without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Closing {
    /// Nobody answered in time.
    Expired,
    /// The CLI no longer needs an answer.
    Withdrawn,
}

/// Whether an interaction is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum InteractionState {
    /// It can be answered.
    Pending,
    /// This answer won.
    Answered(InteractionAnswer),
    /// It ended without an answer.
    Closed(Closing),
}

/// A stored interaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interaction {
    /// Its session.
    pub session: SessionKey,
    /// Its id.
    pub id: InteractionId,
    /// What is asked.
    pub request: Bytes,
    /// When its owner closes it unanswered, in milliseconds since 1970.
    pub expires_at_ms: Option<i64>,
    /// Whether it is answered.
    pub state: InteractionState,
}

impl Interaction {
    /// Returns an interaction that is new in a session.
    pub(crate) fn open(session: SessionKey, new: NewInteraction) -> Self {
        Self {
            session,
            id: new.id,
            request: new.request,
            expires_at_ms: new.expires_at_ms,
            state: InteractionState::Pending,
        }
    }

    /// Checks that it is opened again with the same content.
    pub(crate) fn check_repeat(&self, new: &NewInteraction) -> Result<(), StoreError> {
        match (&self.request, self.expires_at_ms) == (&new.request, new.expires_at_ms) {
            true => Ok(()),
            false => Err(StoreError::conflict("the interaction of this id")),
        }
    }

    /// Returns the result of an answer that was tried before.
    pub(crate) fn verdict(self, answer: &InteractionAnswer) -> Verdict {
        match self.state {
            InteractionState::Answered(winner) if winner != *answer => Verdict::Lost(winner),
            InteractionState::Closed(closing) => Verdict::Closed(closing),
            InteractionState::Answered(_) | InteractionState::Pending => Verdict::Won,
        }
    }
}

/// The result of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// This answer counts.
    Won,
    /// An earlier answer counts.
    Lost(InteractionAnswer),
    /// The interaction ended without an answer.
    Closed(Closing),
}

/// Which interactions to list. They are in the order in which they were opened in each session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InteractionFilter {
    /// The tenant whose interactions are listed.
    pub tenant: TenantId,
    /// Only those of this session.
    pub session: Option<SessionId>,
    /// Only those that can be answered.
    pub pending: bool,
    /// Only those that expire at this time or before, in milliseconds since 1970.
    pub expired_at_ms: Option<i64>,
}

impl InteractionFilter {
    /// Returns the session that it names.
    pub(crate) fn key(&self) -> Option<SessionKey> {
        let session = self.session.clone()?;
        Some(SessionKey::new(self.tenant.clone(), session))
    }

    /// Returns whether it lists an interaction.
    pub(crate) fn lists(&self, one: &Interaction) -> bool {
        let is_pending = one.state == InteractionState::Pending;
        let expires = one.expires_at_ms.unwrap_or(i64::MAX);
        let session = self.session.as_ref();
        one.session.tenant == self.tenant
            && session.is_none_or(|session| *session == one.session.session)
            && (is_pending || !self.pending)
            && self.expired_at_ms.is_none_or(|until| expires <= until)
    }

    /// The pending interactions of a tenant.
    pub fn pending(tenant: TenantId) -> Self {
        Self {
            tenant,
            session: None,
            pending: true,
            expired_at_ms: None,
        }
    }
}
