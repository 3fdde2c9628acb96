//! Facts about the session and what happens in it.

mod init;

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::message::{McpServerInfo, ToolInfo};
use crate::text::Str;
use crate::unknown::Unknown;

pub use init::*;

/// Facts about the session and what happens in it.
///
/// Told apart by `subtype`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "subtype")]
#[non_exhaustive]
pub enum SystemMessage {
    /// What the session is made of. Printed at the start of every turn, not as a greeting.
    Init {
        /// The session.
        session_id: Str,
        /// The tools the model may call.
        tools: Vec<ToolInfo>,
        /// The MCP servers.
        mcp_servers: Vec<McpServerInfo>,
        /// Everything else the CLI says.
        #[wire(flatten)]
        details: Box<InitDetails>,
        /// What no field holds.
        extra: Extra,
    },
    /// The history before this point was summarised.
    CompactBoundary {
        /// How and how much.
        compact_metadata: Option<Json>,
        /// The last line before the boundary.
        logical_parent_uuid: Option<Str>,
        /// The line's id.
        uuid: Option<Str>,
        /// The session.
        session_id: Option<Str>,
        /// What no field holds.
        extra: Extra,
    },
    /// A subtype that is new to this library.
    Unknown(Unknown),
}
