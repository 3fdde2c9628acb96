//! Contents of the context window.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;

/// Contents of the context window, as `/context` reports them.
#[wire_type]
pub struct ContextUsage {
    /// The model.
    pub model: Str,
    /// Tokens in use.
    pub total_tokens: u64,
    /// The size of the window in tokens.
    pub raw_max_tokens: u64,
    /// The part in use, in percent.
    pub percentage: f64,
    /// By how much a limit is exceeded.
    pub over_limit: Option<ContextOverLimit>,
    /// Tokens by category.
    pub categories: Vec<ContextUsageCategory>,
    /// The tools of MCP servers.
    pub mcp_tools: Vec<ContextMcpTool>,
    /// The memory files.
    pub memory_files: Vec<ContextMemoryFile>,
    /// The subagents.
    pub agents: Vec<ContextAgent>,
    /// The skills.
    pub skills: Option<Vec<ContextSkill>>,
}

/// By how much a limit of the context is exceeded.
#[wire_type]
pub struct ContextOverLimit {
    /// Tokens over the limit.
    pub tokens_over: u64,
    /// The limit.
    pub kind: ContextLimit,
}

open_enum! {
    /// A limit of the context.
    pub enum ContextLimit {
        /// The window itself.
        HardLimit = "hard_limit",
        /// The window of the compaction policy.
        CompactionWindow = "compaction_window",
    }
}

/// Tokens of one category.
#[wire_type]
pub struct ContextUsageCategory {
    /// The display name.
    pub name: String,
    /// Number of tokens.
    pub tokens: u64,
    /// How the tokens count.
    pub kind: ContextCategoryKind,
}

open_enum! {
    /// How tokens of the context count.
    pub enum ContextCategoryKind {
        /// In use.
        Used = "used",
        /// Free.
        Free = "free",
        /// Reserved.
        Buffer = "buffer",
        /// Loaded on demand.
        Deferred = "deferred",
    }
}

/// Tokens of one MCP tool.
#[wire_type]
pub struct ContextMcpTool {
    /// The tool's name.
    pub name: Str,
    /// Its server.
    pub server_name: Str,
    /// Number of tokens.
    pub tokens: u64,
}

/// Tokens of one memory file.
#[wire_type]
pub struct ContextMemoryFile {
    /// The file.
    pub path: Str,
    /// The kind of memory.
    #[wire(name = "type")]
    pub kind: Str,
    /// Number of tokens.
    pub tokens: u64,
}

/// Tokens of one subagent's description.
#[wire_type]
pub struct ContextAgent {
    /// The subagent.
    pub agent_type: Str,
    /// Where it is defined.
    pub source: Str,
    /// Number of tokens.
    pub tokens: u64,
}

/// Tokens of one skill's description.
#[wire_type]
pub struct ContextSkill {
    /// The skill.
    pub name: Str,
    /// Where it is defined.
    pub source: Str,
    /// The plugin that it belongs to.
    pub plugin_name: Option<Str>,
    /// Number of tokens.
    pub tokens: u64,
}
