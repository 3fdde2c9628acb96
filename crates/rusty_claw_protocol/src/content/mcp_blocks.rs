//! MCP servers that the API connects to.

use rusty_claw_macros::wire_type;

use crate::content::{ToolInput, ToolResultContent};
use crate::json::Json;
use crate::text::Str;

/// A tool call to an MCP server that the API connects to.
#[wire_type]
pub struct McpToolUse {
    /// The call's id; the result refers to it.
    pub id: Str,
    /// The tool's name.
    pub name: Str,
    /// The server's name.
    pub server_name: Str,
    /// Its input, kept as text and parsed on demand.
    pub input: ToolInput,
}

/// The result of such a tool call.
#[wire_type]
pub struct McpToolResult {
    /// The call this answers.
    pub tool_use_id: Str,
    /// The returned content.
    pub content: ToolResultContent,
    /// Whether the tool failed.
    pub is_error: bool,
}

/// The tools of an MCP server.
#[wire_type]
pub struct McpToolListing {
    /// The server's name.
    pub mcp_server_name: Str,
    /// Its tools.
    pub tools: Vec<ListedMcpTool>,
}

/// A tool of an MCP server that the API connects to.
#[wire_type]
pub struct ListedMcpTool {
    /// Its name.
    pub name: Str,
    /// Its description.
    pub description: Option<String>,
    /// JSON Schema of its input.
    pub input_schema: Json,
}
