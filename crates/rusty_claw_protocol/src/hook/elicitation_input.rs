//! Events of elicitations: MCP servers that request user input.

use rusty_claw_macros::wire_type;

use crate::hook::HookCommon;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::text::Str;

/// An MCP server requests user input.
#[wire_type]
pub struct ElicitationInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The server's name.
    pub mcp_server_name: Str,
    /// The message to the user.
    pub message: String,
    /// The kind of elicitation.
    pub mode: Option<ElicitationMode>,
    /// The URL to open, in `url` mode.
    pub url: Option<Str>,
    /// The server's id for the elicitation.
    pub elicitation_id: Option<Str>,
    /// JSON Schema of the answer, in `form` mode; defined by the server.
    pub requested_schema: Option<Json>,
}

/// The user answered an elicitation; the answer is not yet sent to the server.
#[wire_type]
pub struct ElicitationResultInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The server's name.
    pub mcp_server_name: Str,
    /// The server's id for the elicitation.
    pub elicitation_id: Option<Str>,
    /// The kind of elicitation.
    pub mode: Option<ElicitationMode>,
    /// The user's action.
    pub action: ElicitationAction,
    /// The answer, in the shape that the server requested.
    pub content: Option<Json>,
}

open_enum! {
    /// The kind of an elicitation.
    pub enum ElicitationMode {
        /// A form.
        Form = "form",
        /// A web page.
        Url = "url",
    }
}

open_enum! {
    /// The user's action on an elicitation.
    pub enum ElicitationAction {
        /// Accepted and answered.
        Accept = "accept",
        /// Declined.
        Decline = "decline",
        /// Dismissed.
        Cancel = "cancel",
    }
}
