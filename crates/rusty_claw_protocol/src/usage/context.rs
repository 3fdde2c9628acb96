//! What fills the context window.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;

/// What fills the context window, as `/context` reports it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ContextUsage {
    /// The model whose window it is.
    pub model: Str,
    /// Tokens in use.
    pub total_tokens: u64,
    /// Tokens that fit.
    pub raw_max_tokens: u64,
    /// In use, in percent.
    pub percentage: f64,
    /// By how much it is too full.
    pub over_limit: Option<ContextOverLimit>,
    /// What the tokens are for.
    pub categories: Vec<ContextUsageCategory>,
    /// The tools of MCP servers.
    pub mcp_tools: Vec<ContextMcpTool>,
    /// The memory files.
    pub memory_files: Vec<ContextMemoryFile>,
    /// The subagents.
    pub agents: Vec<ContextAgent>,
    /// The skills.
    pub skills: Option<Vec<ContextSkill>>,
    /// What no field holds.
    pub extra: Extra,
}

/// By how much the context is too full.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ContextOverLimit {
    /// Tokens too many.
    pub tokens_over: u64,
    /// For which limit.
    pub kind: ContextLimit,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// A limit of the context.
    pub enum ContextLimit {
        /// The window itself.
        HardLimit = "hard_limit",
        /// The part that compaction leaves.
        CompactionWindow = "compaction_window",
    }
}

/// Tokens of one purpose.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ContextUsageCategory {
    /// What for, in words.
    pub name: String,
    /// How many.
    pub tokens: u64,
    /// How they count.
    pub kind: ContextCategoryKind,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// How tokens of the context count.
    pub enum ContextCategoryKind {
        /// In use.
        Used = "used",
        /// Free.
        Free = "free",
        /// Kept free.
        Buffer = "buffer",
        /// Loaded when needed.
        Deferred = "deferred",
    }
}

/// Tokens of one MCP tool.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ContextMcpTool {
    /// The tool.
    pub name: Str,
    /// Its server.
    pub server_name: Str,
    /// How many.
    pub tokens: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// Tokens of one memory file.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ContextMemoryFile {
    /// The file.
    pub path: Str,
    /// Whose memory it is.
    #[wire(name = "type")]
    pub kind: Str,
    /// How many.
    pub tokens: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// Tokens of one subagent's description.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ContextAgent {
    /// The subagent.
    pub agent_type: Str,
    /// Where it is defined.
    pub source: Str,
    /// How many.
    pub tokens: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// Tokens of one skill's description.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ContextSkill {
    /// The skill.
    pub name: Str,
    /// Where it is defined.
    pub source: Str,
    /// The plugin it came with.
    pub plugin_name: Option<Str>,
    /// How many.
    pub tokens: u64,
    /// What no field holds.
    pub extra: Extra,
}
