//! What can go wrong with a store.

use std::error::Error;
use std::io;
use std::time::Duration;

use super::key::SessionKey;
use crate::error::human;

/// Why a store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A part of a key cannot name a file, so nothing was read or written.
    #[error(
        "{part} {text:?} cannot be part of a key: {why}; project keys and session ids are single \
         names, subpaths are names joined by /"
    )]
    BadKey {
        /// Which part.
        part: &'static str,
        /// What it was.
        text: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The store has no such operation.
    #[error("this store has no {operation}; implement SessionStore::{operation} for it")]
    Unsupported {
        /// The operation.
        operation: &'static str,
    },
    /// There is nothing to resume.
    #[error(
        "the store has no lines for {key}; check the session id; if the session was started in \
         another folder, name its project with Options::store_project_key, or implement \
         SessionStore::list_projects so that it is found there"
    )]
    NoSuchSession {
        /// What was looked for.
        key: Box<SessionKey>,
    },
    /// The store did not answer in time.
    #[error("the store did not finish {operation} within {}", human(.after))]
    TimedOut {
        /// The operation.
        operation: &'static str,
        /// How long it had.
        after: Duration,
    },
    /// A file could not be read or written.
    #[error("{what}")]
    Io {
        /// What was being done.
        what: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Anything else, in the words of the store.
    #[error("{what}")]
    Failed {
        /// What was being done.
        what: String,
        /// Why it failed.
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
    /// An error of a store of your own.
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

    pub(super) fn io(what: impl Into<String>, source: io::Error) -> Self {
        Self::Io {
            what: what.into(),
            source,
        }
    }

    /// The error and all its causes in one line, for a message that leaves the program's types.
    pub(super) fn chain(&self) -> String {
        let mut text = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        text
    }
}
