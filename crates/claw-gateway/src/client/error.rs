//! Errors of the client.

use std::time::Duration;

use crate::http::Problem;

/// Why a request of a [`Client`](super::Client) failed, or why a stream ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The address or the token cannot be used.
    #[error("{reason}")]
    Invalid {
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// The gateway cannot be reached, or the connection broke.
    #[error("cannot reach {address}: {reason}")]
    Unreachable {
        /// The address of the gateway.
        address: String,
        /// What happened.
        reason: String,
    },
    /// The gateway refused the request.
    #[error("{}", .0.detail)]
    Refused(Box<Problem>),
    /// The response is not that of a gateway.
    #[error("unexpected response of {address}: {reason}")]
    Unexpected {
        /// The address of the gateway.
        address: String,
        /// What is wrong with the response.
        reason: String,
    },
}

impl ClientError {
    /// Returns the problem, if the gateway refused the request.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Refused(problem) => Some(problem),
            _ => None,
        }
    }

    /// Returns the delay that the gateway requires before the request is repeated.
    pub(super) fn retry_after(&self) -> Duration {
        let seconds = self.problem().and_then(|problem| problem.retry_after);
        Duration::from_secs(seconds.unwrap_or_default())
    }

    /// Returns whether the same request may succeed later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Refused(problem) => matches!(problem.status, 408 | 429 | 500..),
            Self::Invalid { .. } | Self::Unexpected { .. } => false,
        }
    }
}
