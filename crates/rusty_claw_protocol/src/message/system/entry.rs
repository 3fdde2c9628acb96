//! System lines as in the session file document.

use rusty_claw_macros::wire_type;

use crate::text::Str;

/// A system line as in the session file document.
///
/// Leniency: that document has the subtypes `tool_result`, `error` and `meta`, with members in
/// camel case. The CLI prints none of them; they are read, but never written by this library.
#[wire_type(rename_all = "camelCase")]
pub struct SystemEntry {
    /// The line's id.
    pub uuid: Option<Str>,
    /// The preceding line.
    pub parent_uuid: Option<Str>,
    /// When it was created, ISO 8601.
    pub timestamp: Option<Str>,
    /// The session's id.
    #[wire(alias = "session_id")]
    pub session_id: Option<Str>,
    /// The text.
    pub message: Option<String>,
    /// Whether it reports a failure.
    pub is_error: Option<bool>,
    /// Whether it is hidden from the user.
    pub is_meta: Option<bool>,
    /// Whether it belongs to a subagent.
    pub is_sidechain: Option<bool>,
    /// Whether it was deleted.
    pub is_deleted: Option<bool>,
    /// Whether the reported action was aborted.
    pub is_aborted: Option<bool>,
}
