//! Members common to all hook inputs.

use rusty_claw_macros::wire_type;

use crate::permission::PermissionMode;
use crate::text::Str;

/// The members common to all hook inputs: session, file, directory.
///
/// All are optional because some events omit them; the CLI always sends the first three.
#[wire_type]
pub struct HookCommon {
    /// The session's id.
    pub session_id: Option<Str>,
    /// The session's file.
    pub transcript_path: Option<Str>,
    /// The working directory.
    pub cwd: Option<Str>,
    /// The id of the current prompt.
    pub prompt_id: Option<Str>,
    /// The permission mode.
    pub permission_mode: Option<PermissionMode>,
    /// The subagent's id; absent in the main conversation.
    pub agent_id: Option<Str>,
    /// The kind of subagent; may be empty for agents that the CLI starts for itself.
    pub agent_type: Option<Str>,
    /// The effort level.
    pub effort: Option<HookEffort>,
}

/// The effort level, as reported to a hook.
#[wire_type]
pub struct HookEffort {
    /// `low`, `medium`, `high` and beyond.
    pub level: Str,
}

/// The origin of an MCP tool.
#[wire_type]
pub struct McpServerProvenance {
    /// The server's name.
    pub name: Str,
    /// The source of its configuration, for example `dynamic` for a server that the host supplied.
    pub source: Str,
}
