//! MCP servers.

use rusty_claw_protocol::control::*;
use rusty_claw_protocol::{Json, Map, Str};

use super::verbs;

verbs! {
    /// How the MCP servers are doing.
    mcp_status() -> McpStatusResponse = McpStatus::default();

    /// Replaces the MCP servers that were set this way before.
    mcp_set_servers(servers: Map<McpServerConfig>) -> McpSetServersResponse = McpSetServers {
        servers,
        ..McpSetServers::default()
    };

    /// Connects a server again.
    mcp_reconnect(server: &str) -> Acknowledged = McpReconnect {
        server_name: Str::from(server),
        ..McpReconnect::default()
    };

    /// Switches a server on or off.
    mcp_toggle(server: &str, enabled: bool) -> Acknowledged = McpToggle {
        server_name: Str::from(server),
        enabled,
        ..McpToggle::default()
    };

    /// Calls a tool of a server, without the model.
    mcp_call(server: &str, tool: &str, arguments: Json) -> McpCallResponse = McpCall {
        server: Some(Str::from(server)),
        tool: Str::from(tool),
        arguments: Some(arguments),
        ..McpCall::default()
    };

    /// Reads a resource of a server.
    mcp_read_resource(server: &str, uri: impl Into<String>) -> McpReadResourceResponse = McpReadResource {
        server_name: Str::from(server),
        uri: uri.into(),
        ..McpReadResource::default()
    };

    /// Sends a notification from an in-process server: progress, or that its tools changed.
    mcp_notify(server: &str, message: JsonRpcMessage) -> McpMessageAnswer = McpMessage {
        server_name: Str::from(server),
        message,
        ..McpMessage::default()
    };
}
