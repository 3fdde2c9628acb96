//! A summary that the API made of the history.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;
use crate::unknown::Unknown;

/// A summary that stands for the history before it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct Compaction {
    /// The summary.
    pub content: Option<String>,
    /// The summary, readable by the API only.
    pub encrypted_content: Option<String>,
    /// Proof that the API made it.
    pub signature: Option<String>,
    /// How the set of tools had changed up to here.
    pub tool_changes: Option<Vec<ToolChange>>,
    /// What no field holds.
    pub extra: Extra,
}

/// One change of the set of tools.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum ToolChange {
    /// A tool came.
    ToolAddition {
        /// Which.
        tool: Option<ToolChangeTarget>,
        /// What no field holds.
        extra: Extra,
    },
    /// A tool went.
    ToolRemoval {
        /// Which.
        tool: Option<ToolChangeTarget>,
        /// What no field holds.
        extra: Extra,
    },
    /// A kind that is new to this library.
    Unknown(Unknown),
}

/// Which tool came or went.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum ToolChangeTarget {
    /// A tool that the request defines.
    ToolReference {
        /// Its name.
        name: Str,
        /// What no field holds.
        extra: Extra,
    },
    /// A tool of an MCP server.
    McpToolReference {
        /// Its name.
        name: Str,
        /// Its server.
        server_name: Str,
        /// What no field holds.
        extra: Extra,
    },
    /// All tools of an MCP server.
    McpToolsetReference {
        /// The server.
        server_name: Str,
        /// What no field holds.
        extra: Extra,
    },
    /// A tool that is defined right here.
    ToolDefinition {
        /// The definition, as the API takes it in requests; relayed, never read.
        definition: Json,
        /// What no field holds.
        extra: Extra,
    },
    /// A kind that is new to this library.
    Unknown(Unknown),
}
