//! Summaries of the history by the API.

use rusty_claw_macros::wire_type;

use crate::json::Json;
use crate::text::Str;
use crate::unknown::Unknown;

/// A summary that replaces the history before it.
#[wire_type]
pub struct Compaction {
    /// The summary.
    pub content: Option<String>,
    /// The summary, which only the API can read.
    pub encrypted_content: Option<String>,
    /// Signature that proves the API as its origin.
    pub signature: Option<String>,
    /// Changes to the set of tools up to here.
    pub tool_changes: Option<Vec<ToolChange>>,
}

/// A change to the set of tools.
#[wire_type(tag = "type")]
pub enum ToolChange {
    /// A tool was added.
    ToolAddition {
        /// The tool.
        tool: Option<ToolChangeTarget>,
    },
    /// A tool was removed.
    ToolRemoval {
        /// The tool.
        tool: Option<ToolChangeTarget>,
    },
    /// An unrecognized kind.
    Unknown(Unknown),
}

/// A tool that was added or removed.
#[wire_type(tag = "type")]
pub enum ToolChangeTarget {
    /// A tool that the request defines.
    ToolReference {
        /// Its name.
        name: Str,
    },
    /// A tool of an MCP server.
    McpToolReference {
        /// Its name.
        name: Str,
        /// Its server.
        server_name: Str,
    },
    /// All tools of an MCP server.
    McpToolsetReference {
        /// The server's name.
        server_name: Str,
    },
    /// A tool defined inline.
    ToolDefinition {
        /// The definition, as in API requests; relayed without being parsed.
        definition: Json,
    },
    /// An unrecognized kind.
    Unknown(Unknown),
}
