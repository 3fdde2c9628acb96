//! How turns end.

use serde::{Deserialize, Serialize};

use crate::open_enum::open_enum;

open_enum! {
    /// How a turn ended.
    pub enum TurnEnding {
        /// It completed.
        Succeeded,
        /// It ended with an error.
        Failed,
        /// It was stopped or withdrawn.
        Interrupted,
        /// It took longer than allowed.
        TimedOut,
        /// The process ended first.
        ProcessLost,
        /// It completed, and background tasks it started still run.
        ContinuedInBackground,
        /// Its owner released the session; the next owner reports how it continues.
        Detached,
    }
}

/// A turn that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EndedTurn {
    /// How it ended.
    pub ending: TurnEnding,
    /// What happened, if the CLI's result does not contain it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl EndedTurn {
    /// Creates an ending without a reason.
    pub fn new(ending: TurnEnding) -> Self {
        Self {
            ending,
            reason: None,
        }
    }

    /// Sets the reason.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}
