//! The parts that fill the context window.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::text::Str;

/// A tool of an MCP server.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct McpToolShare {
    /// The tool.
    pub name: Str,
    /// The server.
    pub server_name: Str,
    /// Its tokens.
    pub tokens: u64,
    /// Whether it is loaded.
    pub is_loaded: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// The instructions of an MCP server.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ContextMcpInstructions {
    /// The server.
    pub server_name: Str,
    /// Their tokens.
    pub tokens: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// A built-in tool that is loaded on demand.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ContextDeferredTool {
    /// The tool.
    pub name: Str,
    /// Its tokens.
    pub tokens: u64,
    /// Whether it is loaded.
    pub is_loaded: bool,
    /// What no field holds.
    pub extra: Extra,
}

/// A named part and its size.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ContextPart {
    /// The part.
    pub name: Str,
    /// Its tokens.
    pub tokens: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// A subagent's description.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct AgentShare {
    /// Its name.
    pub agent_type: Str,
    /// Where it is defined.
    pub source: Str,
    /// The plugin that brought it.
    pub plugin_id: Option<Str>,
    /// Its file.
    pub path: Option<String>,
    /// Its tokens.
    pub tokens: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// The slash commands.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ContextCommands {
    /// How many there are.
    pub total_commands: u64,
    /// How many the model is told of.
    pub included_commands: u64,
    /// Their tokens.
    pub tokens: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// The skills.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ContextSkills {
    /// How many there are.
    pub total_skills: u64,
    /// How many the model is told of.
    pub included_skills: u64,
    /// Their tokens.
    pub tokens: u64,
    /// Each of them.
    pub skill_frontmatter: Vec<SkillShare>,
    /// What no field holds.
    pub extra: Extra,
}

/// A skill's description.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct SkillShare {
    /// Its name.
    pub name: Str,
    /// Where it is defined.
    pub source: Str,
    /// The plugin that brought it, by name.
    pub plugin_name: Option<Str>,
    /// The plugin that brought it, by id.
    pub plugin_id: Option<Str>,
    /// Its file.
    pub path: Option<String>,
    /// Its tokens.
    pub tokens: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// What the conversation is made of.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ContextMessages {
    /// Tool calls.
    pub tool_call_tokens: u64,
    /// Tool results.
    pub tool_result_tokens: u64,
    /// What the CLI attached.
    pub attachment_tokens: u64,
    /// What the model said.
    pub assistant_message_tokens: u64,
    /// What the user said.
    pub user_message_tokens: u64,
    /// What was moved out of the conversation.
    pub redirected_context_tokens: u64,
    /// What belongs to none of these.
    pub unattributed_tokens: u64,
    /// Calls and results by tool.
    pub tool_calls_by_type: Vec<ContextToolCalls>,
    /// Attachments by kind.
    pub attachments_by_type: Vec<ContextPart>,
    /// What no field holds.
    pub extra: Extra,
}

/// Calls and results of one tool.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ContextToolCalls {
    /// The tool.
    pub name: Str,
    /// Its calls.
    pub call_tokens: u64,
    /// Its results.
    pub result_tokens: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// What the last request used.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ContextApiUsage {
    /// Tokens read that were in no cache.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Tokens put into the cache.
    pub cache_creation_input_tokens: u64,
    /// Tokens read from the cache.
    pub cache_read_input_tokens: u64,
    /// What no field holds.
    pub extra: Extra,
}
