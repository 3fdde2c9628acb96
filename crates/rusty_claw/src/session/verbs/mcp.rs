//! MCP servers.

use rusty_claw_protocol::control::*;
use rusty_claw_protocol::permission::PermissionMode;
use rusty_claw_protocol::{Json, Map};

use super::verbs;

verbs! {
    /// Returns the status of the MCP servers.
    mcp_status() -> McpStatusResponse = McpStatus::default();

    /// Replaces the MCP servers that were set this way before.
    mcp_set_servers(servers: Map<McpServerConfig>) -> McpSetServersResponse = McpSetServers::new(servers);

    /// Reconnects a server.
    mcp_reconnect(server: &str) -> Acknowledged = McpReconnect::new(server);

    /// Enables or disables a server.
    mcp_toggle(server: &str, enabled: bool) -> Acknowledged = McpToggle::new(server, enabled);

    /// Sets the permission mode of one server, which can only be stricter than the session's:
    /// `PermissionMode::Default` asks about each call, `PermissionMode::Auto` uses the classifier,
    /// and `None` removes the override. CLI 2.1.325 accepts no other mode. The response has a
    /// warning if no server has this name; the mode is kept for a server that connects later.
    set_mcp_permission_mode_override(server: &str, mode: Option<PermissionMode>) -> SetMcpPermissionModeOverrideResponse = {
        let mut request = SetMcpPermissionModeOverride::new(server);
        request.mode = mode;
        request
    };

    /// Calls a tool of a server, without the model. The server is named as it was configured, the
    /// tool as the server names it.
    mcp_call(server: &str, tool: &str, arguments: Json) -> McpCallResponse = {
        let mut call = McpCall::new(qualified(server, tool));
        call.arguments = Some(arguments);
        call
    };

    /// Reads a resource of a server: CLI 2.1.325 only reads those whose address begins with
    /// `ui://`.
    mcp_read_resource(server: &str, uri: impl Into<String>) -> McpReadResourceResponse = McpReadResource::new(server, uri);

    /// Sends a notification from an in-process server: progress, or that its tools changed.
    mcp_notify(server: &str, message: JsonRpcMessage) -> McpMessageAnswer = McpMessage::new(server, message);
}

/// The CLI's name for a tool of a server: other characters than these become underscores.
fn qualified(server: &str, tool: &str) -> String {
    let plain = |name: &str| {
        name.replace(
            |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'),
            "_",
        )
    };
    format!("mcp__{}__{}", plain(server), plain(tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_called_by_their_full_names() {
        assert_eq!(qualified("lab", "echo"), "mcp__lab__echo");
        assert_eq!(qualified("my lab.2", "a-b_c"), "mcp__my_lab_2__a-b_c");
    }
}
