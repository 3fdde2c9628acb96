//! The scenarios, one file a family.

mod control;
mod errors;
mod hooks;
mod lifecycle;
mod limits;
mod mcp;
mod permissions;
mod plan_mode;
mod progress;
mod queue;
mod rare;
mod resume;
mod startup;
mod stdin;
mod tasks;
mod text;
mod tools;
mod unicode;

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
        mcp::scenarios(),
        queue::scenarios(),
        control::scenarios(),
        hooks::scenarios(),
        tasks::scenarios(),
        progress::scenarios(),
        resume::scenarios(),
        rare::scenarios(),
        lifecycle::scenarios(),
        unicode::scenarios(),
        stdin::scenarios(),
        startup::scenarios(),
    ]
    .concat()
}
