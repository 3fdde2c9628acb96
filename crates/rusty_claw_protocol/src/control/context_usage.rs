//! What fills the context window.

use rusty_claw_macros::Wire;

use super::context_parts::{
    AgentShare, ContextApiUsage, ContextCommands, ContextDeferredTool, ContextMcpInstructions,
    ContextMessages, ContextPart, ContextSkills, McpToolShare,
};
use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::usage::{ContextCategoryKind, ContextMemoryFile};

/// Asks what fills the context window.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GetContextUsage {
    /// How closely to look; `full` counts tokens at the API.
    pub detail: Option<ContextDetail>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// How closely to look at the context window.
    pub enum ContextDetail {
        /// By estimate.
        Summary = "summary",
        /// By counting.
        Full = "full",
    }
}

/// What fills the context window.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct GetContextUsageResponse {
    /// Shares by kind of content.
    pub categories: Vec<ContextCategory>,
    /// Tokens in use.
    pub total_tokens: u64,
    /// Tokens that fit before compaction.
    pub max_tokens: u64,
    /// Tokens that the model takes.
    pub raw_max_tokens: u64,
    /// Share in use, 0 to 100.
    pub percentage: f64,
    /// The same as a picture of small squares.
    pub grid_rows: Vec<Vec<ContextSquare>>,
    /// The model.
    pub model: Str,
    /// Instruction files.
    pub memory_files: Vec<ContextMemoryFile>,
    /// Tools of MCP servers.
    pub mcp_tools: Vec<McpToolShare>,
    /// Instructions of MCP servers.
    pub mcp_instructions: Option<Vec<ContextMcpInstructions>>,
    /// Built-in tools that are loaded on demand.
    pub deferred_builtin_tools: Option<Vec<ContextDeferredTool>>,
    /// Built-in tools.
    pub system_tools: Option<Vec<ContextPart>>,
    /// Parts of the system prompt.
    pub system_prompt_sections: Option<Vec<ContextPart>>,
    /// Subagents.
    pub agents: Vec<AgentShare>,
    /// Slash commands.
    pub slash_commands: Option<ContextCommands>,
    /// Skills.
    pub skills: Option<ContextSkills>,
    /// Where compaction begins.
    pub auto_compact_threshold: Option<u64>,
    /// What set that: `model-default`, `settings`, ….
    #[wire(name = "autocompactSource")]
    pub autocompact_source: Option<Str>,
    /// Whether compaction happens by itself.
    pub is_auto_compact_enabled: bool,
    /// What the conversation itself is made of.
    pub message_breakdown: Option<ContextMessages>,
    /// What the last request used.
    pub api_usage: Option<ContextApiUsage>,
    /// What no field holds.
    pub extra: Extra,
}

/// One kind of content.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ContextCategory {
    /// Which, for programs: `system_prompt`, `messages`, `free_space`, ….
    pub id: Option<Str>,
    /// Which, for people.
    pub name: Str,
    /// Its tokens.
    pub tokens: u64,
    /// The theme colour that shows it.
    pub color: Str,
    /// Whether it is loaded on demand.
    pub is_deferred: Option<bool>,
    /// How it counts.
    pub kind: ContextCategoryKind,
    /// What no field holds.
    pub extra: Extra,
}

/// One small square of the picture.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ContextSquare {
    /// Its theme colour.
    pub color: Str,
    /// Whether it is filled.
    pub is_filled: bool,
    /// The kind of content that it stands for.
    pub category_name: Str,
    /// That kind's tokens.
    pub tokens: u64,
    /// That kind's share, 0 to 100.
    pub percentage: f64,
    /// How much of the square is filled, 0 to 1.
    pub square_fullness: f64,
    /// What no field holds.
    pub extra: Extra,
}
