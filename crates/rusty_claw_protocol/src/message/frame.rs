//! Frames that carry no part of the conversation.

use std::fmt;

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;
use crate::wire::Map;

/// Nothing: the other side is alive, or a step of the start is done.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct KeepAliveMessage {
    /// The step, for hosts that asked to follow the start.
    pub startup_mark: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// A control request that nobody need answer any more.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ControlCancelRequest {
    /// The request.
    pub request_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// The host changes the CLI's environment. No answer comes.
#[derive(Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct UpdateEnvironmentVariables {
    /// Names and values.
    pub variables: Map<String>,
    /// By which the CLI may confirm it.
    pub request_id: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Without the values: they are tokens more often than not.
impl fmt::Debug for UpdateEnvironmentVariables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.variables.iter().map(|(name, _)| name).collect();
        f.debug_struct("UpdateEnvironmentVariables")
            .field("variables", &names)
            .field("request_id", &self.request_id)
            .finish_non_exhaustive()
    }
}

/// Copies of lines that the CLI wrote to a session file.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TranscriptMirrorMessage {
    /// The file.
    #[wire(name = "filePath")]
    pub file_path: String,
    /// The lines. They are of the session file, not of this protocol, so they stay text.
    pub entries: Vec<Json>,
    /// What no field holds.
    pub extra: Extra,
}
