//! Names of tools and servers in rules.

use super::super::PermissionAsk;
use super::super::fit::{Fit, same_name};

/// How well a tool name in a rule matches the tool of a call.
pub(super) fn fit_tool(ask: &PermissionAsk, name: &str) -> Fit {
    let tool = ask.tool_name();
    let whole = if today(name) == today(tool) {
        Fit::Yes
    } else if same_name(today(name), today(tool)) || same_name(name, tool) {
        Fit::Perhaps
    } else {
        Fit::No
    };
    let server = name.strip_prefix("mcp__").map_or(Fit::No, |server| {
        fit_server(ask, server.strip_suffix("__*").unwrap_or(server))
    });
    whole.max(server)
}

/// How well a server name in a rule matches the server of a call's tool.
pub(super) fn fit_server(ask: &PermissionAsk, server: &str) -> Fit {
    let tool = ask.tool_name();
    let said = ask.request().mcp_server.as_ref();
    // In `mcp__a__b__c` it is ambiguous where the server's name ends.
    let clear = || {
        let rest = tool.strip_prefix("mcp__").unwrap_or_default();
        rest.as_bytes()
            .windows(2)
            .filter(|two| two == b"__")
            .count()
            == 1
    };
    if ask.mcp_server() == Some(server) && (said.is_some() || clear()) {
        return Fit::Yes;
    }
    let begin = format!("mcp__{}__", normalized(server));
    let said = said.is_some_and(|said| normalized(&said.name) == normalized(server));
    if said || tool.to_lowercase().starts_with(&begin) {
        Fit::Perhaps
    } else {
        Fit::No
    }
}

/// The name of a server as it appears in the names of its tools, in lowercase.
fn normalized(server: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let fitted = server.chars().map(|c| if plain(c) { c } else { '_' });
    fitted.collect::<String>().to_lowercase()
}

/// The current name of a tool. The CLI still sends some of the old ones.
fn today(name: &str) -> &str {
    match name {
        "Task" => "Agent",
        "KillBash" => "KillShell",
        "ListMcpResourcesTool" => "ListMcpResources",
        "ReadMcpResourceTool" => "ReadMcpResource",
        "ReadMcpResourceDirTool" => "ReadMcpResourceDir",
        name => name,
    }
}
