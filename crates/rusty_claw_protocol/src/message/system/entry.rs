//! System lines as the session file document has them.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::text::Str;

/// A system line as the session file document has it.
///
/// Leniency: that document knows the subtypes `tool_result`, `error` and `meta`, with members in
/// camel case. The CLI prints none of them; we read them, and never make them.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct SystemEntry {
    /// The line's id.
    pub uuid: Option<Str>,
    /// The line this one follows.
    pub parent_uuid: Option<Str>,
    /// When it was made, ISO 8601.
    pub timestamp: Option<Str>,
    /// The session.
    #[wire(alias = "session_id")]
    pub session_id: Option<Str>,
    /// What it says.
    pub message: Option<String>,
    /// Whether it reports a failure.
    pub is_error: Option<bool>,
    /// Whether it is not shown to the user.
    pub is_meta: Option<bool>,
    /// Whether it belongs to a subagent.
    pub is_sidechain: Option<bool>,
    /// Whether it counts no more.
    pub is_deleted: Option<bool>,
    /// Whether what it reports was stopped.
    pub is_aborted: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}
