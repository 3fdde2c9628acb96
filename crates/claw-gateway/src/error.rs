//! Errors of a gateway, as clients see them.

use claw_server::{ControllerError, LogError};
use claw_store::StoreError;

use crate::caller::Scope;

/// Why a gateway refuses a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GatewayError {
    /// The tenant has no such session, page, interaction or device.
    #[error("there is no such {what}")]
    NotFound {
        /// The kind of thing that was named.
        what: &'static str,
    },
    /// The session was deleted.
    #[error("the session was deleted")]
    Deleted,
    /// The device lacks a scope.
    #[error("this needs the scope {needed:?}, and the device has {scope:?}")]
    Forbidden {
        /// The scope that is needed.
        needed: Scope,
        /// The scope of the device.
        scope: Scope,
    },
    /// The request is not valid.
    #[error("{reason}")]
    Invalid {
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// The request contradicts what is stored.
    #[error("{reason}")]
    Conflict {
        /// What is stored.
        reason: String,
    },
    /// The session has ended.
    #[error("the session has ended: fork it to continue")]
    Ended,
    /// The cursor is ahead of the log.
    #[error("the session has no event {after}: its last one is {latest}. Begin at 0")]
    AheadOfLog {
        /// The cursor of the client.
        after: u64,
        /// The sequence of the last event.
        latest: u64,
    },
    /// A quota is used up, or too many commands wait.
    #[error("{reason}")]
    Full {
        /// What is full, and what to do.
        reason: String,
    },
    /// Something is too large.
    #[error("the request has {size} bytes, and the limit is {limit}")]
    TooLarge {
        /// The size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// The store cannot be reached, or a session does not start. Send the same request again.
    #[error("the gateway cannot do this now: {reason}")]
    Unavailable {
        /// What happened.
        reason: String,
    },
}

impl GatewayError {
    pub(crate) fn invalid(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::Invalid { reason }
    }

    /// The code of the error in responses, which never changes.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "not_found",
            Self::Deleted => "deleted",
            Self::Forbidden { .. } => "forbidden",
            Self::Invalid { .. } => "invalid",
            Self::Conflict { .. } => "conflict",
            Self::Ended => "ended",
            Self::AheadOfLog { .. } => "ahead_of_log",
            Self::Full { .. } => "full",
            Self::TooLarge { .. } => "too_large",
            Self::Unavailable { .. } => "unavailable",
        }
    }
}

impl From<StoreError> for GatewayError {
    fn from(error: StoreError) -> Self {
        let reason = error.to_string();
        match error {
            StoreError::NotFound { what } => Self::NotFound {
                what: match what.as_str() {
                    "the page" => "page",
                    "the interaction" => "interaction",
                    _ => "session",
                },
            },
            StoreError::Deleted => Self::Deleted,
            StoreError::Conflict { .. } => Self::Conflict { reason },
            StoreError::Full { .. } => Self::Full { reason },
            StoreError::TooLarge { size, limit } => Self::TooLarge { size, limit },
            _ => Self::Unavailable { reason },
        }
    }
}

impl From<LogError> for GatewayError {
    fn from(error: LogError) -> Self {
        match error {
            LogError::Deleted => Self::Deleted,
            LogError::TooLarge { size, limit } => Self::TooLarge { size, limit },
            error => Self::Unavailable {
                reason: error.to_string(),
            },
        }
    }
}

impl From<ControllerError> for GatewayError {
    fn from(error: ControllerError) -> Self {
        let reason = error.to_string();
        match error {
            ControllerError::AheadOfLog { after, latest, .. } => Self::AheadOfLog { after, latest },
            ControllerError::Log(error) => error.into(),
            ControllerError::QueueFull { .. } => Self::Full { reason },
            ControllerError::KeyReused { .. } => Self::Conflict { reason },
            ControllerError::NotUserTurn { .. }
            | ControllerError::StaleTurn { .. }
            | ControllerError::Unsendable { .. } => Self::Invalid { reason },
            _ => Self::Unavailable { reason },
        }
    }
}
