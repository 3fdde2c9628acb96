//! Events around tool calls.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::hook::{HookCommon, McpServerProvenance};
use crate::json::Json;
use crate::permission::PermissionUpdate;
use crate::text::Str;

/// A tool is about to be called.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PreToolUseInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The tool.
    pub tool_name: Str,
    /// What it is called with, in the shape of that tool; see [`crate::tool::ToolView`].
    pub tool_input: Json,
    /// The call.
    pub tool_use_id: Str,
    /// The MCP server that the tool comes from, if one does.
    pub mcp_server: Option<McpServerProvenance>,
    /// What no field holds.
    pub extra: Extra,
}

/// A tool was called and returned.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PostToolUseInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The tool.
    pub tool_name: Str,
    /// What it is called with, in the shape of that tool; see [`crate::tool::ToolView`].
    pub tool_input: Json,
    /// What the tool returned, in the shape of that tool; see [`crate::tool::ToolOutputView`].
    pub tool_response: Json,
    /// The call.
    pub tool_use_id: Str,
    /// How long the tool ran; time spent waiting for permission is not in it.
    pub duration_ms: Option<u64>,
    /// The MCP server that the tool comes from, if one does.
    pub mcp_server: Option<McpServerProvenance>,
    /// What no field holds.
    pub extra: Extra,
}

/// A tool was called and failed.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PostToolUseFailureInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The tool.
    pub tool_name: Str,
    /// What it is called with, in the shape of that tool; see [`crate::tool::ToolView`].
    pub tool_input: Json,
    /// The call.
    pub tool_use_id: Str,
    /// What went wrong.
    pub error: String,
    /// Whether an interrupt is what ended it.
    pub is_interrupt: Option<bool>,
    /// How long the tool ran; time spent waiting for permission is not in it.
    pub duration_ms: Option<u64>,
    /// The MCP server that the tool comes from, if one does.
    pub mcp_server: Option<McpServerProvenance>,
    /// What no field holds.
    pub extra: Extra,
}

/// All tool calls of one model answer are done.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PostToolBatchInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The calls.
    pub tool_calls: Vec<PostToolBatchCall>,
    /// What no field holds.
    pub extra: Extra,
}

/// One call of a finished batch.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PostToolBatchCall {
    /// The tool.
    pub tool_name: Str,
    /// What it is called with, in the shape of that tool; see [`crate::tool::ToolView`].
    pub tool_input: Json,
    /// The call.
    pub tool_use_id: Str,
    /// What the model gets to see of its result; absent when there is none.
    pub tool_response: Option<Json>,
    /// What no field holds.
    pub extra: Extra,
}

/// Somebody must say whether a tool may run.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PermissionRequestInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The tool.
    pub tool_name: Str,
    /// What it is called with, in the shape of that tool; see [`crate::tool::ToolView`].
    pub tool_input: Json,
    /// Changes that would make the question unnecessary next time.
    pub permission_suggestions: Option<Vec<PermissionUpdate>>,
    /// The MCP server that the tool comes from, if one does.
    pub mcp_server: Option<McpServerProvenance>,
    /// What no field holds.
    pub extra: Extra,
}

/// A tool call was refused.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PermissionDeniedInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The tool.
    pub tool_name: Str,
    /// What it is called with, in the shape of that tool; see [`crate::tool::ToolView`].
    pub tool_input: Json,
    /// The call.
    pub tool_use_id: Str,
    /// Why.
    pub reason: String,
    /// The MCP server that the tool comes from, if one does.
    pub mcp_server: Option<McpServerProvenance>,
    /// What no field holds.
    pub extra: Extra,
}
