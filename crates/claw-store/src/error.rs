//! Errors.

use std::time::Duration;

use crate::owner::Owner;

/// Why a call failed.
///
/// Match on the variant, not on the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The tenant has no such session, interaction or blob.
    #[error("{what} does not exist for this tenant")]
    NotFound {
        /// The kind of thing and its name.
        what: String,
    },
    /// The session was erased. Its id cannot be used again.
    #[error("the session was erased")]
    Deleted,
    /// Another owner has claimed the session: stop, and do not retry.
    #[error("the session has another owner{}", owner(.by.as_ref()))]
    Fenced {
        /// The owner, if it is known.
        by: Option<Owner>,
    },
    /// The record has changed, or a key was used before with other content.
    #[error("{what} differs from the stored one: read it again")]
    Conflict {
        /// The kind of thing and its name.
        what: String,
    },
    /// The store cannot be reached now. The call may or may not have taken effect: repeat it with
    /// the same arguments.
    #[error("the store is unavailable: {reason}")]
    Unavailable {
        /// What the engine reported.
        reason: String,
    },
    /// A body is larger than the store accepts.
    #[error("{size} bytes are more than the limit of {limit}")]
    TooLarge {
        /// The size of the body.
        size: u64,
        /// The largest size that is accepted.
        limit: u64,
    },
    /// The disk, a quota or a bounded queue is full. Reads still work.
    #[error("{what} is full: {advice}")]
    Full {
        /// What is full.
        what: String,
        /// What to do about it.
        advice: String,
    },
    /// The events after the cursor are no longer stored.
    #[error("events before {first} are no longer stored")]
    Truncated {
        /// The first sequence that is stored.
        first: u64,
    },
    /// Stored data cannot be read back.
    #[error("stored data is damaged at {at}: {reason}")]
    Damaged {
        /// Where the damage is.
        at: String,
        /// What is wrong.
        reason: String,
    },
}

fn owner(by: Option<&Owner>) -> String {
    by.map_or_else(String::new, |by| {
        format!(": node {}, epoch {}", by.node.node, by.epoch)
    })
}

impl StoreError {
    pub(crate) fn unavailable(reason: impl ToString) -> Self {
        let reason = reason.to_string();
        Self::Unavailable { reason }
    }

    pub(crate) fn not_found(what: impl ToString) -> Self {
        let what = what.to_string();
        Self::NotFound { what }
    }

    pub(crate) fn conflict(what: impl ToString) -> Self {
        let what = what.to_string();
        Self::Conflict { what }
    }

    pub(crate) fn damaged(at: impl ToString, reason: impl ToString) -> Self {
        let (at, reason) = (at.to_string(), reason.to_string());
        Self::Damaged { at, reason }
    }

    pub(crate) fn full(what: impl ToString, advice: impl ToString) -> Self {
        let (what, advice) = (what.to_string(), advice.to_string());
        Self::Full { what, advice }
    }
}

/// Why a store cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The engine's version is not supported.
    #[error("{engine} {version} is not supported: {reason}")]
    Version {
        /// The engine.
        engine: &'static str,
        /// Its version.
        version: String,
        /// Why it is refused, and which version to use.
        reason: String,
    },
    /// The data was written by a newer version of this crate.
    #[error("the data has schema {found}, this program supports up to {supported}: update it")]
    NewerSchema {
        /// The schema of the data.
        found: u32,
        /// The newest schema that is supported.
        supported: u32,
    },
    /// The engine does not respond.
    #[error("the store does not respond within {waited:?}: {reason}")]
    Unreachable {
        /// How long the connection was attempted.
        waited: Duration,
        /// What the last attempt reported.
        reason: String,
    },
    /// The engine or the data has a problem.
    #[error("the store cannot be opened: {reason}")]
    Failed {
        /// What the engine reported.
        reason: String,
    },
}
