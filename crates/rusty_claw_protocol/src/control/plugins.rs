//! Reloading plugins, skills and output styles.

use rusty_claw_macros::wire_type;

use super::{AgentInfo, McpServerStatus, SdkPluginConfig, SlashCommand};
use crate::text::Str;

/// Reloads plugins.
#[wire_type]
pub struct ReloadPlugins {
    /// Whether to hold the reload if it would invalidate the prompt cache.
    pub hold_on_cache_impact: Option<bool>,
    /// Plugins to add.
    pub add_plugins: Option<Vec<SdkPluginConfig>>,
    /// Whether to refuse during a turn.
    pub refuse_if_busy: Option<bool>,
}

/// The components after a reload of plugins.
#[wire_type]
pub struct ReloadPluginsResponse {
    /// Slash commands.
    pub commands: Vec<SlashCommand>,
    /// Subagents.
    pub agents: Vec<AgentInfo>,
    /// Plugins.
    pub plugins: Vec<LoadedPlugin>,
    /// MCP servers.
    #[wire(name = "mcpServers")]
    pub mcp_servers: Vec<McpServerStatus>,
    /// Number of plugins that failed.
    pub error_count: u64,
    /// Whether the reload was held.
    pub held: Option<bool>,
    /// The effect on the prompt cache.
    pub cache_impact: Option<CacheImpact>,
}

/// A loaded plugin.
#[wire_type]
pub struct LoadedPlugin {
    /// Its name.
    pub name: Str,
    /// Its directory, or `builtin`.
    pub path: String,
    /// Its source.
    pub source: Option<Str>,
    /// Its version.
    pub version: Option<Str>,
}

/// The effect of a change on the prompt cache.
#[wire_type]
pub struct CacheImpact {
    /// MCP servers that would be added.
    pub mcp_servers_added: Vec<Str>,
    /// MCP servers that would be removed.
    pub mcp_servers_removed: Vec<Str>,
    /// The change to the language server tool: `adds`, `may-add`, `removes`, `may-remove`.
    pub lsp_tool_change: Option<Str>,
}

/// Reloads skills.
#[wire_type]
pub struct ReloadSkills {}

/// The skills after a reload.
#[wire_type]
pub struct ReloadSkillsResponse {
    /// The skills.
    pub skills: Vec<SlashCommand>,
}

/// Reloads output styles.
#[wire_type]
pub struct ReloadOutputStyles {}

/// The output styles after a reload.
#[wire_type]
pub struct ReloadOutputStylesResponse {
    /// Their names.
    pub available_output_styles: Vec<Str>,
}
