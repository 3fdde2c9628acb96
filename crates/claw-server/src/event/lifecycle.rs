//! The life of a session's process.

use serde::{Deserialize, Serialize};

use crate::open_names::open_names;

open_names! {
    /// Where a session is in its life.
    pub enum LifecycleState {
        /// A process is being started for it.
        Starting,
        /// It takes inputs.
        Ready,
        /// It has no process; the next input starts one.
        Asleep,
        /// Its process ended without being asked to.
        Lost,
        /// It takes no more inputs.
        Closed,
    }
}

/// A change in the life of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Lifecycle {
    /// Where it is now.
    pub state: LifecycleState,
    /// The CLI's own id of the conversation, which changes when it is cleared or forked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cli_session_id: Option<String>,
    /// With what the process ended, when it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What happened, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the change lost and nobody can bring back, such as background tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
}

impl Lifecycle {
    /// A change that needs no words.
    pub fn new(state: LifecycleState) -> Self {
        Self {
            state,
            cli_session_id: None,
            exit_code: None,
            reason: None,
            lost: Vec::new(),
        }
    }
}
