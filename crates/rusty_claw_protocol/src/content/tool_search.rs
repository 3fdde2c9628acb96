//! What the API's tool search found.

use rusty_claw_macros::Wire;

use crate::content::{CacheControl, ContentBlock, ServerToolErrorCode};
use crate::extra::Extra;
use crate::text::Str;
use crate::unknown::Unknown;

/// Which tools the API's tool search found.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ToolSearchToolResult {
    /// The call this answers.
    pub tool_use_id: Str,
    /// The tools, or why there are none.
    pub content: Option<ToolSearchOutput>,
    /// Asks the API to cache the prompt up to here.
    pub cache_control: Option<Box<CacheControl>>,
    /// What no field holds.
    pub extra: Extra,
}

/// The tools of a search, or why there are none.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum ToolSearchOutput {
    /// The tools.
    ToolSearchToolSearchResult {
        /// One `tool_reference` block for each.
        tool_references: Vec<ContentBlock>,
        /// What no field holds.
        extra: Extra,
    },
    /// The search failed.
    ToolSearchToolResultError {
        /// The reason.
        error_code: ServerToolErrorCode,
        /// The reason in words.
        error_message: Option<String>,
        /// What no field holds.
        extra: Extra,
    },
    /// A kind that is new to this library.
    Unknown(Unknown),
}
