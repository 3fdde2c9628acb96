//! Results of the API's tool search.

use rusty_claw_macros::wire_type;

use crate::content::{CacheControl, ContentBlock, ServerToolErrorCode};
use crate::text::Str;
use crate::unknown::Unknown;

/// The result of the API's tool search.
#[wire_type]
pub struct ToolSearchToolResult {
    /// The call this answers.
    pub tool_use_id: Str,
    /// The tools, or an error.
    pub content: Option<ToolSearchOutput>,
    /// A cache breakpoint at this block.
    pub cache_control: Option<Box<CacheControl>>,
}

/// The tools found, or an error.
#[wire_type(tag = "type")]
pub enum ToolSearchOutput {
    /// The tools.
    ToolSearchToolSearchResult {
        /// One `tool_reference` block per tool.
        tool_references: Vec<ContentBlock>,
    },
    /// The search failed.
    ToolSearchToolResultError {
        /// The error code.
        error_code: ServerToolErrorCode,
        /// The error message.
        error_message: Option<String>,
    },
    /// An unrecognized kind.
    Unknown(Unknown),
}
