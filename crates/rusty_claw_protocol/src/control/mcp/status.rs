//! Status of MCP servers.

use rusty_claw_macros::wire_type;

use super::McpServerConfig;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::text::Str;

/// Requests the status of the MCP servers.
#[wire_type]
pub struct McpStatus {
    /// Whether to publish the response only to clients that are attached at that moment.
    #[wire(name = "liveReply")]
    pub live_reply: Option<bool>,
}

/// The status of the MCP servers.
#[wire_type]
pub struct McpStatusResponse {
    /// The servers.
    #[wire(name = "mcpServers")]
    pub mcp_servers: Vec<McpServerStatus>,
}

/// The status of an MCP server.
#[wire_type(rename_all = "camelCase")]
pub struct McpServerStatus {
    /// Its name.
    pub name: Str,
    /// The state of its connection.
    pub status: McpConnection,
    /// Its name and version.
    pub server_info: Option<McpServerIdentity>,
    /// The connection error.
    pub error: Option<String>,
    /// Its configuration.
    pub config: Option<McpServerConfig>,
    /// The transport: `stdio`, `http`, `sse`, `sdk`.
    pub transport: Option<Str>,
    /// The scope of its configuration.
    pub scope: Option<Str>,
    /// The source of its configuration.
    pub source: Option<Str>,
    /// Its tools.
    pub tools: Option<Vec<McpServerTool>>,
}

open_enum! {
    /// The connection state of an MCP server.
    pub enum McpConnection {
        /// Connected.
        Connected = "connected",
        /// Connecting failed.
        Failed = "failed",
        /// The user must sign in.
        NeedsAuth = "needs-auth",
        /// Connecting.
        Pending = "pending",
        /// Disabled.
        Disabled = "disabled",
    }
}

/// An MCP server's own name and version.
#[wire_type]
pub struct McpServerIdentity {
    /// Its name.
    pub name: Str,
    /// Its version.
    pub version: Str,
}

/// A tool of an MCP server.
#[wire_type]
pub struct McpServerTool {
    /// Its name.
    pub name: Str,
    /// Its description.
    pub description: Option<String>,
    /// Its declared effects.
    pub annotations: Option<McpToolAnnotations>,
    /// MCP's metadata, defined by the server.
    #[wire(name = "_meta")]
    pub meta: Option<Json>,
}

/// Effects that a tool declares; they are not verified.
#[wire_type(rename_all = "camelCase")]
pub struct McpToolAnnotations {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may be destructive.
    pub destructive: Option<bool>,
    /// It reaches beyond the machine.
    pub open_world: Option<bool>,
}
