//! MCP servers: messages, status, tools.

mod config;
mod json_rpc;
mod status;

use rusty_claw_macros::wire_type;

use crate::json::Json;
use crate::permission::PermissionMode;
use crate::text::Str;
use crate::wire::Map;

pub use config::*;
pub use json_rpc::*;
pub use status::*;

/// A JSON-RPC message for an MCP server, in either direction.
#[wire_type]
pub struct McpMessage {
    /// The server's name.
    pub server_name: Str,
    /// The message.
    pub message: JsonRpcMessage,
}

/// Replaces the MCP servers that an earlier such request set.
#[wire_type]
pub struct McpSetServers {
    /// The servers, by name.
    pub servers: Map<McpServerConfig>,
}

/// The outcome for each server.
#[wire_type]
pub struct McpSetServersResponse {
    /// Servers that were added.
    pub added: Vec<Str>,
    /// Servers that were removed.
    pub removed: Vec<Str>,
    /// Errors by server.
    pub errors: Map<String>,
}

/// Reconnects a server.
#[wire_type(rename_all = "camelCase")]
pub struct McpReconnect {
    /// The server's name.
    pub server_name: Str,
}

/// Enables or disables a server.
#[wire_type(rename_all = "camelCase")]
pub struct McpToggle {
    /// The server's name.
    pub server_name: Str,
    /// Whether it is enabled.
    pub enabled: bool,
}

/// Sets the permission mode of one server.
#[wire_type(rename_all = "camelCase")]
pub struct SetMcpPermissionModeOverride {
    /// The server's name.
    pub server_name: Str,
    /// The mode; `None` removes the override.
    #[wire(nullable)]
    pub mode: Option<PermissionMode>,
    /// Tools that always need permission.
    pub ask_for_tools: Option<Vec<McpToolName>>,
}

/// A tool of an MCP server.
#[wire_type]
pub struct McpToolName {
    /// Its name.
    pub name: Str,
}

/// The outcome of the override.
#[wire_type]
pub struct SetMcpPermissionModeOverrideResponse {
    /// Why it may not work as intended.
    pub warning: Option<String>,
}

/// Calls a tool of an MCP server, without the model.
#[wire_type]
pub struct McpCall {
    /// The tool with its server: `mcp__server__tool`.
    pub tool: Str,
    /// The server, from hosts that send it separately; the CLI only reads `tool`.
    pub server: Option<Str>,
    /// As `server`, in the spelling of the other MCP requests.
    #[wire(name = "serverName")]
    pub server_name: Option<Str>,
    /// Its arguments, defined by the tool.
    pub arguments: Option<Json>,
    /// When the call expires, ISO 8601.
    pub expires_at: Option<Str>,
    /// The timeout.
    pub timeout_ms: Option<u64>,
    /// Whether to return the result unchanged because the model does not read it.
    pub result_not_for_model: Option<bool>,
    /// Whether the permission rules apply.
    pub check_permissions: Option<bool>,
    /// Input files of the call.
    pub input_files: Option<Vec<StagedFile>>,
    /// Output files of the call.
    pub output_files: Option<Vec<StagedFile>>,
}

/// An input or output file of a call.
#[wire_type]
pub struct StagedFile {
    /// Its name in the call.
    pub name: Str,
    /// Its storage path.
    pub lane_path: String,
    /// The version that may be overwritten.
    pub if_match: Option<Str>,
}

/// The result of a tool.
#[wire_type(rename_all = "camelCase")]
pub struct McpCallResponse {
    /// MCP's content list, defined by the server.
    pub content: Json,
    /// MCP's structured content, defined by the server.
    pub structured_content: Option<Json>,
    /// MCP's metadata, defined by the server.
    #[wire(name = "_meta")]
    pub meta: Option<Json>,
    /// The outcome for the files.
    pub staging: Option<Staging>,
}

/// The outcome for the files of a call.
#[wire_type]
pub struct Staging {
    /// Whether all files were staged.
    pub ok: bool,
    /// Files that were written.
    pub outputs: Option<Vec<StagedVersion>>,
    /// Files that were used.
    pub inputs_used: Option<Vec<StagedVersion>>,
    /// The error code: `expired`, `input_missing`, `output_too_large`, ….
    pub error_code: Option<Str>,
    /// The error message.
    pub detail: Option<String>,
    /// Whether a retry may succeed.
    pub retryable: Option<bool>,
    /// Whether the limit of refusals is reached.
    pub refusal_limit: Option<bool>,
}

/// A version of a file.
#[wire_type]
pub struct StagedVersion {
    /// Its storage path.
    pub lane_path: String,
    /// The version.
    pub etag: Str,
    /// Its size.
    pub bytes: Option<u64>,
}

/// Reads a resource of an MCP server.
#[wire_type(rename_all = "camelCase")]
pub struct McpReadResource {
    /// The server's name.
    pub server_name: Str,
    /// The resource's URI.
    pub uri: String,
}

/// A resource's content.
#[wire_type]
pub struct McpReadResourceResponse {
    /// Its parts.
    pub contents: Vec<McpResourceContents>,
}

/// A part of a resource.
#[wire_type(rename_all = "camelCase")]
pub struct McpResourceContents {
    /// The resource's URI.
    pub uri: String,
    /// Its media type.
    pub mime_type: Option<Str>,
    /// Its text.
    pub text: Option<String>,
    /// Its bytes in base64.
    pub blob: Option<String>,
    /// MCP's metadata, defined by the server.
    #[wire(name = "_meta")]
    pub meta: Option<Json>,
}
