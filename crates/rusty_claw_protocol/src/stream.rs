//! Pieces of a message that is still being written.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;

/// One event of the API's stream. Printed only with `--include-partial-messages`.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
pub struct StreamEvent {
    /// The kind of event, as one document has it.
    pub event_type: Option<Str>,
    /// Its payload, as one document has it.
    pub data: Option<Json>,
    /// The event, as the CLI sends it.
    pub event: Option<Json>,
    /// The session.
    pub session_id: Option<Str>,
    /// The line's id.
    pub uuid: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}
