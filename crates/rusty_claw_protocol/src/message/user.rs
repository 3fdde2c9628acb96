//! What came from the user's side.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::message::ApiMessage;
use crate::text::Str;

/// What came from the user's side: tool results, prompts, replays of prompts.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
pub struct UserMessage {
    /// The API's message.
    pub message: ApiMessage,
    /// The tool use that started the subagent this belongs to.
    pub parent_tool_use_id: Option<Str>,
    /// The session.
    #[wire(alias = "sessionId")]
    pub session_id: Option<Str>,
    /// The line's id; for a prompt, the one its sender chose.
    pub uuid: Option<Str>,
    /// When it was made, ISO 8601.
    pub timestamp: Option<Str>,
    /// What the tool returned, in the tool's own shape.
    pub tool_use_result: Option<Json>,
    /// The CLI made this itself.
    #[wire(name = "isSynthetic")]
    pub is_synthetic: Option<bool>,
    /// This repeats a prompt that was sent in.
    #[wire(name = "isReplay")]
    pub is_replay: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}
