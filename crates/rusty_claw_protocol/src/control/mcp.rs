//! MCP servers: their messages, their state, their tools.

mod config;
mod json_rpc;
mod status;

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::permission::PermissionMode;
use crate::text::Str;
use crate::wire::Map;

pub use config::*;
pub use json_rpc::*;
pub use status::*;

/// A JSON-RPC message for an MCP server, in either direction.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpMessage {
    /// The server.
    pub server_name: Str,
    /// The message.
    pub message: JsonRpcMessage,
    /// What no field holds.
    pub extra: Extra,
}

/// Replaces the MCP servers that were set this way before.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpSetServers {
    /// The servers, by name.
    pub servers: Map<McpServerConfig>,
    /// What no field holds.
    pub extra: Extra,
}

/// What became of the servers.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpSetServersResponse {
    /// Those that came.
    pub added: Vec<Str>,
    /// Those that went.
    pub removed: Vec<Str>,
    /// Those that failed, and why.
    pub errors: Map<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// Connects a server again.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct McpReconnect {
    /// The server.
    pub server_name: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// Switches a server on or off.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct McpToggle {
    /// The server.
    pub server_name: Str,
    /// Whether it is on.
    pub enabled: bool,
    /// What no field holds.
    pub extra: Extra,
}

/// Gives one server a permission mode of its own.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct SetMcpPermissionModeOverride {
    /// The server.
    pub server_name: Str,
    /// The mode; `None` takes the server's own away.
    #[wire(nullable)]
    pub mode: Option<PermissionMode>,
    /// Tools that are asked about all the same.
    pub ask_for_tools: Option<Vec<McpToolName>>,
    /// What no field holds.
    pub extra: Extra,
}

/// A tool of an MCP server.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpToolName {
    /// Its name.
    pub name: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// Whether the mode holds.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SetMcpPermissionModeOverrideResponse {
    /// Why it may not do what was meant.
    pub warning: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// Calls a tool of an MCP server, without the model.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpCall {
    /// The tool, with its server: `mcp__server__tool`.
    pub tool: Str,
    /// The server, from hosts that name it apart; the CLI looks at `tool` only.
    pub server: Option<Str>,
    /// The same in the spelling of the other MCP requests.
    #[wire(name = "serverName")]
    pub server_name: Option<Str>,
    /// Its arguments; the tool's own.
    pub arguments: Option<Json>,
    /// When the call is no longer wanted, ISO 8601.
    pub expires_at: Option<Str>,
    /// How long it may take.
    pub timeout_ms: Option<u64>,
    /// Whether the result stays as the server gave it, the model not being meant to read it.
    pub result_not_for_model: Option<bool>,
    /// Whether the permission rules apply.
    pub check_permissions: Option<bool>,
    /// Files that go with the call.
    pub input_files: Option<Vec<StagedFile>>,
    /// Files that come of the call.
    pub output_files: Option<Vec<StagedFile>>,
    /// What no field holds.
    pub extra: Extra,
}

/// A file that goes with a call or comes of it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct StagedFile {
    /// What the call names it.
    pub name: Str,
    /// Where it is kept.
    pub lane_path: String,
    /// The version that may be overwritten.
    pub if_match: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// What a tool returned.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct McpCallResponse {
    /// MCP's content list; the server's own.
    pub content: Json,
    /// MCP's structured content; the server's own.
    pub structured_content: Option<Json>,
    /// MCP's metadata; the server's own.
    #[wire(name = "_meta")]
    pub meta: Option<Json>,
    /// What became of the files.
    pub staging: Option<Staging>,
    /// What no field holds.
    pub extra: Extra,
}

/// What became of the files of a call.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct Staging {
    /// Whether all went well.
    pub ok: bool,
    /// Files that came.
    pub outputs: Option<Vec<StagedVersion>>,
    /// Files that were used.
    pub inputs_used: Option<Vec<StagedVersion>>,
    /// What went wrong: `expired`, `input_missing`, `output_too_large`, ….
    pub error_code: Option<Str>,
    /// What went wrong, in words.
    pub detail: Option<String>,
    /// Whether another try may help.
    pub retryable: Option<bool>,
    /// Whether it was refused too often.
    pub refusal_limit: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// A version of a file.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct StagedVersion {
    /// Where it is kept.
    pub lane_path: String,
    /// The version.
    pub etag: Str,
    /// Its size.
    pub bytes: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}

/// Reads a resource of an MCP server.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct McpReadResource {
    /// The server.
    pub server_name: Str,
    /// The resource.
    pub uri: String,
    /// What no field holds.
    pub extra: Extra,
}

/// A resource's content.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct McpReadResourceResponse {
    /// Its parts.
    pub contents: Vec<McpResourceContents>,
    /// What no field holds.
    pub extra: Extra,
}

/// One part of a resource.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct McpResourceContents {
    /// The resource.
    pub uri: String,
    /// Its media type.
    pub mime_type: Option<Str>,
    /// Its text.
    pub text: Option<String>,
    /// Its bytes, base64.
    pub blob: Option<String>,
    /// MCP's metadata; the server's own.
    #[wire(name = "_meta")]
    pub meta: Option<Json>,
    /// What no field holds.
    pub extra: Extra,
}
