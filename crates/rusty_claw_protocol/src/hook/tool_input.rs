//! Events of tool calls.

use rusty_claw_macros::wire_type;

use crate::hook::{HookCommon, McpServerProvenance};
use crate::json::Json;
use crate::permission::PermissionUpdate;
use crate::text::Str;

/// A tool is about to be called.
#[wire_type]
pub struct PreToolUseInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The tool's name.
    pub tool_name: Str,
    /// The tool's input; see [`crate::tool::ToolView`].
    pub tool_input: Json,
    /// The call's id.
    pub tool_use_id: Str,
    /// The MCP server of the tool, if any.
    pub mcp_server: Option<McpServerProvenance>,
}

/// A tool returned.
#[wire_type]
pub struct PostToolUseInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The tool's name.
    pub tool_name: Str,
    /// The tool's input; see [`crate::tool::ToolView`].
    pub tool_input: Json,
    /// The tool's result, in its own shape; see [`crate::tool::ToolOutputView`].
    pub tool_response: Json,
    /// The call's id.
    pub tool_use_id: Str,
    /// How long the tool ran, without the wait for permission.
    pub duration_ms: Option<u64>,
    /// The MCP server of the tool, if any.
    pub mcp_server: Option<McpServerProvenance>,
}

/// A tool failed.
#[wire_type]
pub struct PostToolUseFailureInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The tool's name.
    pub tool_name: Str,
    /// The tool's input; see [`crate::tool::ToolView`].
    pub tool_input: Json,
    /// The call's id.
    pub tool_use_id: Str,
    /// The error.
    pub error: String,
    /// Whether an interrupt ended it.
    pub is_interrupt: Option<bool>,
    /// How long the tool ran, without the wait for permission.
    pub duration_ms: Option<u64>,
    /// The MCP server of the tool, if any.
    pub mcp_server: Option<McpServerProvenance>,
}

/// All tool calls of one model response completed.
#[wire_type]
pub struct PostToolBatchInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The calls.
    pub tool_calls: Vec<PostToolBatchCall>,
}

/// A call of a completed batch.
#[wire_type]
pub struct PostToolBatchCall {
    /// The tool's name.
    pub tool_name: Str,
    /// The tool's input; see [`crate::tool::ToolView`].
    pub tool_input: Json,
    /// The call's id.
    pub tool_use_id: Str,
    /// The result as the model sees it, if there is one.
    pub tool_response: Option<Json>,
}

/// A tool call needs permission.
#[wire_type]
pub struct PermissionRequestInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The tool's name.
    pub tool_name: Str,
    /// The tool's input; see [`crate::tool::ToolView`].
    pub tool_input: Json,
    /// Permission changes that would avoid further requests.
    pub permission_suggestions: Option<Vec<PermissionUpdate>>,
    /// The MCP server of the tool, if any.
    pub mcp_server: Option<McpServerProvenance>,
}

/// A tool call was denied.
#[wire_type]
pub struct PermissionDeniedInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The tool's name.
    pub tool_name: Str,
    /// The tool's input; see [`crate::tool::ToolView`].
    pub tool_input: Json,
    /// The call's id.
    pub tool_use_id: Str,
    /// The reason.
    pub reason: String,
    /// The MCP server of the tool, if any.
    pub mcp_server: Option<McpServerProvenance>,
}
