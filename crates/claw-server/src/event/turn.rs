//! How turns end.

use serde::{Deserialize, Serialize};

use crate::open_names::open_names;

open_names! {
    /// How a turn ended, as the ledger of the SDK has it.
    pub enum TurnEnding {
        /// It was answered.
        Succeeded,
        /// It ended with an error.
        Failed,
        /// Somebody stopped it, or took it back.
        Interrupted,
        /// It took longer than allowed.
        TimedOut,
        /// The process ended first.
        ProcessLost,
        /// It was answered, and tasks that it started still run.
        ContinuedInBackground,
        /// Its owner let go of the session; the next one tells how it goes on.
        Detached,
    }
}

/// A turn that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EndedTurn {
    /// How.
    pub ending: TurnEnding,
    /// What happened, where the CLI's own result does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl EndedTurn {
    /// A turn whose ending says all.
    pub fn new(ending: TurnEnding) -> Self {
        Self {
            ending,
            reason: None,
        }
    }

    /// What happened.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}
