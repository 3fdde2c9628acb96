//! MCP servers that the API talks to by itself.

use rusty_claw_macros::Wire;

use crate::content::{ToolInput, ToolResultContent};
use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;

/// A call of a tool of an MCP server that the API talks to.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpToolUse {
    /// By which the result finds its call.
    pub id: Str,
    /// The tool.
    pub name: Str,
    /// Its server.
    pub server_name: Str,
    /// Its input, kept as text and parsed on demand.
    pub input: ToolInput,
    /// What no field holds.
    pub extra: Extra,
}

/// What such a tool returned.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpToolResult {
    /// The call this answers.
    pub tool_use_id: Str,
    /// What it returned.
    pub content: ToolResultContent,
    /// Whether the tool failed.
    pub is_error: bool,
    /// What no field holds.
    pub extra: Extra,
}

/// The tools that an MCP server has.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpToolListing {
    /// The server.
    pub mcp_server_name: Str,
    /// Its tools.
    pub tools: Vec<ListedMcpTool>,
    /// What no field holds.
    pub extra: Extra,
}

/// One tool of an MCP server that the API talks to.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ListedMcpTool {
    /// Its name.
    pub name: Str,
    /// What it does.
    pub description: Option<String>,
    /// JSON Schema of its input.
    pub input_schema: Json,
    /// What no field holds.
    pub extra: Extra,
}
