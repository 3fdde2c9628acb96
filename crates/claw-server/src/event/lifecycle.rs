//! The lifecycle of a session's process.

use serde::{Deserialize, Serialize};

use crate::open_enum::open_enum;

open_enum! {
    /// The lifecycle state of a session.
    pub enum LifecycleState {
        /// Its process is starting.
        Starting,
        /// It accepts inputs.
        Ready,
        /// It has no process; the next input starts one.
        Asleep,
        /// Its process is killed so that it can wait without one. Answers are not accepted.
        Parking,
        /// It has no process, and an interaction of its running turn waits for an answer.
        Parked,
        /// Its process ended unexpectedly.
        Lost,
        /// It accepts no more inputs.
        Closed,
    }
}

/// Output of the CLI that was lost together with the process that held it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Gap {
    /// The last known position in the output of the CLI. What it printed after it is lost, except
    /// for the recovered messages.
    pub after_offset: u64,
    /// How many messages were read from the session file instead. They are the events before this
    /// one that have `"recovered": true`.
    pub recovered: u64,
    /// What the session file does not contain. The lost output may have had any of it.
    pub missing: Vec<String>,
}

/// A change of a session's lifecycle state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Lifecycle {
    /// The new state.
    pub state: LifecycleState,
    /// The CLI's id of the conversation, which changes when it is cleared or forked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cli_session_id: Option<String>,
    /// The exit code of the process, if it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What happened, for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What was lost for good, such as background tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    /// Tool calls that may have run, without a result. They are denied if the CLI asks for them
    /// again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_calls: Vec<String>,
}

impl Lifecycle {
    /// Creates a change without details.
    pub fn new(state: LifecycleState) -> Self {
        Self {
            state,
            cli_session_id: None,
            exit_code: None,
            reason: None,
            lost: Vec::new(),
            unknown_calls: Vec::new(),
        }
    }

    /// Whether the running turn and its open interactions outlive the process.
    pub(crate) fn keeps_turn(&self) -> bool {
        matches!(self.state, LifecycleState::Parking | LifecycleState::Parked)
    }
}
