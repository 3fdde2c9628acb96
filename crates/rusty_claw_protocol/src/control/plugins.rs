//! Plugins, skills and output styles that are read again.

use rusty_claw_macros::Wire;

use super::{AgentInfo, McpServerStatus, SdkPluginConfig, SlashCommand};
use crate::extra::Extra;
use crate::text::Str;

/// Reads plugins again.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ReloadPlugins {
    /// Whether to hold back when that would spoil the prompt cache.
    pub hold_on_cache_impact: Option<bool>,
    /// Plugins to add.
    pub add_plugins: Option<Vec<SdkPluginConfig>>,
    /// Whether to refuse while a turn runs.
    pub refuse_if_busy: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// What there is after reading plugins again.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
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
    /// How many plugins failed.
    pub error_count: u64,
    /// Whether it was held back.
    pub held: Option<bool>,
    /// What it would do to the prompt cache.
    pub cache_impact: Option<CacheImpact>,
    /// What no field holds.
    pub extra: Extra,
}

/// A plugin that is loaded.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct LoadedPlugin {
    /// Its name.
    pub name: Str,
    /// Its folder, or `builtin`.
    pub path: String,
    /// Where it came from.
    pub source: Option<Str>,
    /// Its version.
    pub version: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// What a change would do to the prompt cache.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct CacheImpact {
    /// MCP servers that would come.
    pub mcp_servers_added: Vec<Str>,
    /// MCP servers that would go.
    pub mcp_servers_removed: Vec<Str>,
    /// What happens to the language server tool: `adds`, `may-add`, `removes`, `may-remove`.
    pub lsp_tool_change: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Reads skills again.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ReloadSkills {
    /// What no field holds.
    pub extra: Extra,
}

/// What there is after reading skills again.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ReloadSkillsResponse {
    /// The skills.
    pub skills: Vec<SlashCommand>,
    /// What no field holds.
    pub extra: Extra,
}

/// Reads output styles again.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ReloadOutputStyles {
    /// What no field holds.
    pub extra: Extra,
}

/// What there is after reading output styles again.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ReloadOutputStylesResponse {
    /// Their names.
    pub available_output_styles: Vec<Str>,
    /// What no field holds.
    pub extra: Extra,
}
