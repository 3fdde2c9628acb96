//! Frames outside the conversation.

use std::fmt;

use rusty_claw_macros::{Wire, wire_type};

use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;
use crate::wire::Map;

/// A sign of life, or a completed step of the startup.
#[wire_type]
pub struct KeepAliveMessage {
    /// The startup step, for hosts that requested these.
    pub startup_mark: Option<Str>,
}

/// The cancellation of a control request.
#[wire_type]
pub struct ControlCancelRequest {
    /// The request's id.
    pub request_id: Str,
}

/// Changes the CLI's environment. Has no response.
#[derive(Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct UpdateEnvironmentVariables {
    /// Names and values.
    pub variables: Map<String>,
    /// An id with which the CLI may confirm it.
    pub request_id: Option<Str>,
    /// Unrecognized members.
    pub extra: Extra,
}

/// Omits the values, which are often tokens.
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
#[wire_type]
pub struct TranscriptMirrorMessage {
    /// The file.
    #[wire(name = "filePath")]
    pub file_path: String,
    /// The lines. They belong to the session file, not to this protocol, so they stay text.
    pub entries: Vec<Json>,
}
