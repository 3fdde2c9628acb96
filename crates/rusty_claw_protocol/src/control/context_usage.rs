//! Contents of the context window.

use rusty_claw_macros::wire_type;

use super::context_parts::{
    AgentShare, ContextApiUsage, ContextCommands, ContextDeferredTool, ContextMcpInstructions,
    ContextMessages, ContextPart, ContextSkills, McpToolShare,
};
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::usage::{ContextCategoryKind, ContextMemoryFile};

/// Requests the contents of the context window.
#[wire_type]
pub struct GetContextUsage {
    /// The level of detail; `full` counts tokens with the API.
    pub detail: Option<ContextDetail>,
}

open_enum! {
    /// The level of detail of a context report.
    pub enum ContextDetail {
        /// Estimated.
        Summary = "summary",
        /// Counted.
        Full = "full",
    }
}

/// Contents of the context window.
#[wire_type(rename_all = "camelCase")]
pub struct GetContextUsageResponse {
    /// Tokens by category.
    pub categories: Vec<ContextCategory>,
    /// Tokens in use.
    pub total_tokens: u64,
    /// Number of tokens that fit before compaction.
    pub max_tokens: u64,
    /// The model's limit.
    pub raw_max_tokens: u64,
    /// The part in use, 0 to 100.
    pub percentage: f64,
    /// The same as a grid of squares.
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
    /// Number of tokens at which compaction starts.
    pub auto_compact_threshold: Option<u64>,
    /// The origin of that threshold: `model-default`, `settings`, ….
    #[wire(name = "autocompactSource")]
    pub autocompact_source: Option<Str>,
    /// Whether automatic compaction is enabled.
    pub is_auto_compact_enabled: bool,
    /// Breakdown of the conversation itself.
    pub message_breakdown: Option<ContextMessages>,
    /// Usage of the last request.
    pub api_usage: Option<ContextApiUsage>,
}

/// A category of content.
#[wire_type(rename_all = "camelCase")]
pub struct ContextCategory {
    /// The category's id: `system_prompt`, `messages`, `free_space`, ….
    pub id: Option<Str>,
    /// The display name.
    pub name: Str,
    /// Its tokens.
    pub tokens: u64,
    /// The theme colour.
    pub color: Str,
    /// Whether it is loaded on demand.
    pub is_deferred: Option<bool>,
    /// How it counts.
    pub kind: ContextCategoryKind,
}

/// A square of the grid.
#[wire_type(rename_all = "camelCase")]
pub struct ContextSquare {
    /// Its theme colour.
    pub color: Str,
    /// Whether it is filled.
    pub is_filled: bool,
    /// The category that it represents.
    pub category_name: Str,
    /// The category's tokens.
    pub tokens: u64,
    /// The category's part, 0 to 100.
    pub percentage: f64,
    /// The filled part of the square, 0 to 1.
    pub square_fullness: f64,
}
