//! The parts of the context window.

use rusty_claw_macros::wire_type;

use crate::text::Str;

/// Tokens of an MCP tool.
#[wire_type(rename_all = "camelCase")]
pub struct McpToolShare {
    /// The tool's name.
    pub name: Str,
    /// The server's name.
    pub server_name: Str,
    /// Its tokens.
    pub tokens: u64,
    /// Whether it is loaded.
    pub is_loaded: Option<bool>,
}

/// Tokens of an MCP server's instructions.
#[wire_type(rename_all = "camelCase")]
pub struct ContextMcpInstructions {
    /// The server's name.
    pub server_name: Str,
    /// Their tokens.
    pub tokens: u64,
}

/// A built-in tool that is loaded on demand.
#[wire_type(rename_all = "camelCase")]
pub struct ContextDeferredTool {
    /// The tool's name.
    pub name: Str,
    /// Its tokens.
    pub tokens: u64,
    /// Whether it is loaded.
    pub is_loaded: bool,
}

/// A named part and its tokens.
#[wire_type]
pub struct ContextPart {
    /// The part's name.
    pub name: Str,
    /// Its tokens.
    pub tokens: u64,
}

/// Tokens of a subagent's description.
#[wire_type(rename_all = "camelCase")]
pub struct AgentShare {
    /// Its name.
    pub agent_type: Str,
    /// Where it is defined.
    pub source: Str,
    /// The plugin that it belongs to.
    pub plugin_id: Option<Str>,
    /// Its file.
    pub path: Option<String>,
    /// Its tokens.
    pub tokens: u64,
}

/// Tokens of the slash commands.
#[wire_type(rename_all = "camelCase")]
pub struct ContextCommands {
    /// Number of commands.
    pub total_commands: u64,
    /// Number of commands that the model sees.
    pub included_commands: u64,
    /// Their tokens.
    pub tokens: u64,
}

/// Tokens of the skills.
#[wire_type(rename_all = "camelCase")]
pub struct ContextSkills {
    /// Number of skills.
    pub total_skills: u64,
    /// Number of skills that the model sees.
    pub included_skills: u64,
    /// Their tokens.
    pub tokens: u64,
    /// Tokens by skill.
    pub skill_frontmatter: Vec<SkillShare>,
}

/// Tokens of a skill's description.
#[wire_type(rename_all = "camelCase")]
pub struct SkillShare {
    /// Its name.
    pub name: Str,
    /// Where it is defined.
    pub source: Str,
    /// The name of its plugin.
    pub plugin_name: Option<Str>,
    /// The id of its plugin.
    pub plugin_id: Option<Str>,
    /// Its file.
    pub path: Option<String>,
    /// Its tokens.
    pub tokens: u64,
}

/// Tokens of the conversation.
#[wire_type(rename_all = "camelCase")]
pub struct ContextMessages {
    /// Tool calls.
    pub tool_call_tokens: u64,
    /// Tool results.
    pub tool_result_tokens: u64,
    /// Attachments by the CLI.
    pub attachment_tokens: u64,
    /// The model's messages.
    pub assistant_message_tokens: u64,
    /// The user's messages.
    pub user_message_tokens: u64,
    /// Content moved out of the conversation.
    pub redirected_context_tokens: u64,
    /// Everything else.
    pub unattributed_tokens: u64,
    /// Calls and results by tool.
    pub tool_calls_by_type: Vec<ContextToolCalls>,
    /// Attachments by kind.
    pub attachments_by_type: Vec<ContextPart>,
}

/// Tokens of one tool's calls and results.
#[wire_type(rename_all = "camelCase")]
pub struct ContextToolCalls {
    /// The tool's name.
    pub name: Str,
    /// Its calls.
    pub call_tokens: u64,
    /// Its results.
    pub result_tokens: u64,
}

/// Usage of the last request.
#[wire_type]
pub struct ContextApiUsage {
    /// Uncached input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Input tokens written to the cache.
    pub cache_creation_input_tokens: u64,
    /// Input tokens read from the cache.
    pub cache_read_input_tokens: u64,
}
