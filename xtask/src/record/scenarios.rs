//! The scenarios, one file a family.

mod errors;
mod limits;
mod permissions;
mod plan_mode;
mod text;
mod tools;

use super::scenario::Scenario;

/// The configuration of the stdio MCP server that this program is when asked to.
const LAB: &str = r#"{"mcpServers":{"lab":{"command":"/home/user/mcp-server","args":["record","--mcp-server"]}}}"#;

/// All of them, in the order they are recorded.
pub(super) fn all() -> Vec<Scenario> {
    [
        text::scenarios(),
        tools::scenarios(),
        errors::scenarios(),
        limits::scenarios(),
        permissions::scenarios(),
        plan_mode::scenarios(),
    ]
    .concat()
}
