//! Events around questions that MCP servers ask the user.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::hook::HookCommon;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::text::Str;

/// An MCP server asks the user something.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ElicitationInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The server.
    pub mcp_server_name: Str,
    /// The question.
    pub message: String,
    /// How it wants to be answered.
    pub mode: Option<ElicitationMode>,
    /// The page to open, in the `url` mode.
    pub url: Option<Str>,
    /// By which the server knows the question.
    pub elicitation_id: Option<Str>,
    /// JSON Schema of the answer, in the `form` mode; the server wrote it.
    pub requested_schema: Option<Json>,
    /// What no field holds.
    pub extra: Extra,
}

/// The user has answered, and the server is about to be told.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ElicitationResultInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The server.
    pub mcp_server_name: Str,
    /// By which the server knows the question.
    pub elicitation_id: Option<Str>,
    /// How it was to be answered.
    pub mode: Option<ElicitationMode>,
    /// What the user did.
    pub action: ElicitationAction,
    /// The answer, in the shape that the server asked for.
    pub content: Option<Json>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// How an MCP server wants to be answered.
    pub enum ElicitationMode {
        /// A form is filled in.
        Form = "form",
        /// A page is opened.
        Url = "url",
    }
}

open_enum! {
    /// What the user did with the question of an MCP server.
    pub enum ElicitationAction {
        /// Answered it.
        Accept = "accept",
        /// Refused to answer.
        Decline = "decline",
        /// Closed it.
        Cancel = "cancel",
    }
}
