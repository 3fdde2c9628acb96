//! What every hook input says.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::permission::PermissionMode;
use crate::text::Str;

/// The members that every hook input has: where in which session it happened.
///
/// All are optional here because some events leave them out; the CLI always sends the first three.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct HookCommon {
    /// The session.
    pub session_id: Option<Str>,
    /// The file that the session is written to.
    pub transcript_path: Option<Str>,
    /// The working folder at that moment.
    pub cwd: Option<Str>,
    /// The prompt that the session was working on.
    pub prompt_id: Option<Str>,
    /// The permission mode at that moment.
    pub permission_mode: Option<PermissionMode>,
    /// The subagent that it happened in; absent in the main conversation.
    pub agent_id: Option<Str>,
    /// The kind of that subagent; may be empty for agents that the CLI starts for itself.
    pub agent_type: Option<Str>,
    /// How hard the model thinks.
    pub effort: Option<HookEffort>,
    /// What no field holds.
    pub extra: Extra,
}

/// How hard the model thinks, as a hook is told.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct HookEffort {
    /// `low`, `medium`, `high` and beyond.
    pub level: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// Where an MCP tool comes from.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpServerProvenance {
    /// The server.
    pub name: Str,
    /// Where its configuration came from, for example `dynamic` for one that the host gave.
    pub source: Str,
    /// What no field holds.
    pub extra: Extra,
}
