//! How MCP servers are doing.

use rusty_claw_macros::Wire;

use super::McpServerConfig;
use crate::extra::Extra;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::text::Str;

/// Asks how MCP servers are doing.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpStatus {
    /// Whether the answer must come from the session itself, not from a memory of it.
    #[wire(name = "liveReply")]
    pub live_reply: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// How MCP servers are doing.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpStatusResponse {
    /// The servers.
    #[wire(name = "mcpServers")]
    pub mcp_servers: Vec<McpServerStatus>,
    /// What no field holds.
    pub extra: Extra,
}

/// How one MCP server is doing.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct McpServerStatus {
    /// Its name.
    pub name: Str,
    /// Whether it can be used.
    pub status: McpConnection,
    /// What it says it is.
    pub server_info: Option<McpServerIdentity>,
    /// Why it cannot be used.
    pub error: Option<String>,
    /// How it is reached.
    pub config: Option<McpServerConfig>,
    /// How messages travel: `stdio`, `http`, `sse`, `sdk`.
    pub transport: Option<Str>,
    /// Whose configuration names it.
    pub scope: Option<Str>,
    /// Where that configuration came from.
    pub source: Option<Str>,
    /// Its tools.
    pub tools: Option<Vec<McpServerTool>>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Whether an MCP server can be used.
    pub enum McpConnection {
        /// It can.
        Connected = "connected",
        /// It failed.
        Failed = "failed",
        /// Somebody must sign in.
        NeedsAuth = "needs-auth",
        /// It is being connected.
        Pending = "pending",
        /// It is switched off.
        Disabled = "disabled",
    }
}

/// What an MCP server says it is.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpServerIdentity {
    /// Its name.
    pub name: Str,
    /// Its version.
    pub version: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A tool of an MCP server.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpServerTool {
    /// Its name.
    pub name: Str,
    /// What it does.
    pub description: Option<String>,
    /// What it may do to the world.
    pub annotations: Option<McpToolAnnotations>,
    /// MCP's metadata; the server's own.
    #[wire(name = "_meta")]
    pub meta: Option<Json>,
    /// What no field holds.
    pub extra: Extra,
}

/// What a tool says it may do to the world. Nobody checks it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct McpToolAnnotations {
    /// Nothing.
    pub read_only: Option<bool>,
    /// Harm.
    pub destructive: Option<bool>,
    /// Reach beyond the machine.
    pub open_world: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}
