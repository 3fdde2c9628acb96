//! Store errors.

use std::error::Error;
use std::io;
use std::time::Duration;

use super::key::SessionKey;
use crate::causes::chain;
use crate::duration::human;

/// An error of a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A part of a key cannot be a file name, so nothing was read or written.
    #[error(
        "{part} {text:?} cannot be part of a key: {why}; project keys and session ids are single \
         names, subpaths are names joined by /"
    )]
    BadKey {
        /// The invalid part.
        part: &'static str,
        /// Its text.
        text: String,
        /// The reason.
        why: &'static str,
    },
    /// The store does not support the operation.
    #[error("this store has no {operation}; implement SessionStore::{operation} for it")]
    Unsupported {
        /// The operation.
        operation: &'static str,
    },
    /// The store has no such session to resume.
    #[error(
        "the store has no lines for {key}; check the session id; if the session was started in \
         another folder, name its project with Options::store_project_key, or implement \
         SessionStore::list_projects so that it is found there"
    )]
    NoSuchSession {
        /// The key of the session.
        key: Box<SessionKey>,
    },
    /// The store did not respond in time.
    #[error("the store did not finish {operation} within {}", human(.after))]
    TimedOut {
        /// The operation.
        operation: &'static str,
        /// The time limit.
        after: Duration,
    },
    /// A file could not be read or written.
    #[error("{what}")]
    Io {
        /// The operation that failed.
        what: String,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// The store will never accept these lines. They are lost, and are not sent again.
    #[error("{what}")]
    Rejected {
        /// The reason.
        what: String,
    },
    /// Any other error of the store.
    #[error("{what}")]
    Failed {
        /// The operation that failed.
        what: String,
        /// The cause.
        #[source]
        source: Option<Box<dyn Error + Send + Sync>>,
    },
}

/// Lets a store use `?`. [`StoreError::failed`] adds a description of the operation.
impl From<io::Error> for StoreError {
    fn from(source: io::Error) -> Self {
        Self::io("a file or a connection of the store failed", source)
    }
}

impl StoreError {
    /// Creates an error for a store of your own.
    ///
    /// ```
    /// use rusty_claw::store::StoreError;
    ///
    /// let refused = std::io::Error::other("connection refused");
    /// let error = StoreError::failed("the lines could not be sent to the bucket", refused);
    /// assert_eq!(error.to_string(), "the lines could not be sent to the bucket");
    /// ```
    pub fn failed(
        what: impl Into<String>,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self::Failed {
            what: what.into(),
            source: Some(source.into()),
        }
    }

    /// An error of an operation on session files.
    pub(super) fn transcript(error: claw_transcript::TranscriptError) -> Self {
        Self::failed(error.to_string(), error)
    }

    pub(super) fn io(what: impl Into<String>, source: io::Error) -> Self {
        Self::Io {
            what: what.into(),
            source,
        }
    }

    /// The error and all its causes in one line, for reports that keep only text.
    pub(super) fn chain(&self) -> String {
        chain(self)
    }
}
