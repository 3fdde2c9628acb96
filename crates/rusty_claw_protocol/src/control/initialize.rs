//! What a host says first.

use rusty_claw_macros::Wire;
use serde::{Serialize, Serializer};

use super::{AgentDefinition, McpServerToolPolicy, WorkspaceTrust};
use crate::extra::Extra;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::wire::{Found, Malformed, Map, Reader, Wire as WireType};

/// What a host says first: what it serves, and how it wants the session.
///
/// It may be said again; the reply then lists the prompts that still wait for an answer.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct InitializeRequest {
    /// Hooks that the host serves, by event.
    pub hooks: Option<Map<Vec<HookMatcher>>>,
    /// In-process MCP servers that the host serves.
    pub sdk_mcp_servers: Option<Vec<Str>>,
    /// Settings of those servers, by name.
    pub sdk_mcp_server_configs: Option<Map<SdkMcpServerOptions>>,
    /// What those servers would say when asked, by name; saves the CLI the asking.
    pub sdk_mcp_server_manifests: Option<Map<SdkMcpServerManifest>>,
    /// How the manifests were made.
    pub sdk_mcp_server_manifests_origin: Option<Str>,
    /// JSON Schema of the answer that every turn must end with; the host's own.
    pub json_schema: Option<Json>,
    /// The system prompt in place of the CLI's own.
    pub system_prompt: Option<SystemPrompt>,
    /// What to add to the system prompt.
    pub append_system_prompt: Option<String>,
    /// Whether the system prompt is kept with the session.
    pub system_prompt_snapshot: Option<bool>,
    /// How plan mode works, in place of the CLI's own words.
    pub plan_mode_instructions: Option<String>,
    /// What to add to the system prompt of every subagent.
    pub append_subagent_system_prompt: Option<String>,
    /// Tools that take the place of others, by the name replaced.
    pub tool_aliases: Option<Map<Str>>,
    /// Whether to keep what changes from machine to machine out of the system prompt.
    pub exclude_dynamic_sections: Option<bool>,
    /// Subagents, by name.
    pub agents: Option<Map<AgentDefinition>>,
    /// The session's title.
    pub title: Option<String>,
    /// Skills that the model is told of.
    pub skills: Option<Vec<Str>>,
    /// Whether to suggest what to say next.
    pub prompt_suggestions: Option<bool>,
    /// Whether to sum up what subagents are doing.
    pub agent_progress_summaries: Option<bool>,
    /// Whether to print what subagents say.
    pub forward_subagent_text: Option<bool>,
    /// Dialogs that the host can show.
    pub supported_dialog_kinds: Option<Vec<Str>>,
    /// Whether the host lets people stop single tasks.
    pub per_task_stop_affordance: Option<bool>,
    /// Plugins to load.
    pub plugins: Option<Vec<SdkPluginConfig>>,
    /// Settings that the host's administrator forces; the administrator's own bag.
    pub managed_settings: Option<Json>,
    /// That a person has said they trust the folder.
    pub workspace_trust: Option<WorkspaceTrust>,
    // Leniency: the message document asks for permission questions here. The CLI has a flag for
    // that and ignores the member.
    /// Whether the host answers permission questions, as one document has it.
    #[wire(name = "can_use_tool")]
    pub can_use_tool: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// Hooks of one event that share a filter.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct HookMatcher {
    /// Which part of the event, such as a tool's name; all when absent.
    pub matcher: Option<Str>,
    /// The host's names for its callbacks; they come back in `hook_callback`.
    pub hook_callback_ids: Vec<Str>,
    /// How many seconds the host may take.
    pub timeout: Option<f64>,
    /// What happens when the host fails or is late.
    pub on_failure: Option<HookFailure>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What happens when a hook's host fails or is late.
    pub enum HookFailure {
        /// As if the hook had no opinion.
        Continue = "continue",
        /// The action does not happen.
        Block = "block",
    }
}

/// Settings of an in-process server.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SdkMcpServerOptions {
    /// How long a call may take, milliseconds.
    pub timeout: Option<u64>,
    /// What its tools may do.
    pub tools: Option<Vec<McpServerToolPolicy>>,
    /// What no field holds.
    pub extra: Extra,
}

/// What an in-process server would say when asked.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct SdkMcpServerManifest {
    /// Its result of MCP's `initialize`.
    pub initialize_result: Json,
    /// Its result of MCP's `tools/list`.
    pub tools_list_result: Option<Json>,
    /// What no field holds.
    pub extra: Extra,
}

/// A plugin to load.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct SdkPluginConfig {
    /// Where it is: `local`.
    #[wire(name = "type")]
    pub kind: Str,
    /// Its folder.
    pub path: String,
    /// Whether to leave its MCP servers alone.
    pub skip_mcp_discovery: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

impl SdkPluginConfig {
    /// A plugin in a folder of this machine.
    pub fn local(path: impl Into<String>) -> Self {
        Self {
            kind: Str::from_static("local"),
            path: path.into(),
            ..Self::default()
        }
    }
}

/// A system prompt.
#[derive(Debug, Clone, PartialEq)]
pub enum SystemPrompt {
    /// In blocks, as the CLI takes it.
    Blocks(Vec<String>),
    /// In one piece, as older hosts send it. Accepted; what we make ourselves is in blocks.
    Text(String),
}

impl From<&str> for SystemPrompt {
    fn from(text: &str) -> Self {
        Self::Blocks(vec![text.to_owned()])
    }
}

impl From<Vec<String>> for SystemPrompt {
    fn from(blocks: Vec<String>) -> Self {
        Self::Blocks(blocks)
    }
}

impl WireType for SystemPrompt {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        // Leniency: blocks as the CLI takes them, one string as older hosts send it.
        if let Some(text) = reader.string()? {
            return Ok(Found::Exact(Self::Text(text.into_owned())));
        }
        Ok(<Vec<String> as WireType>::read(reader)?.map(Self::Blocks))
    }
}

impl Serialize for SystemPrompt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Blocks(blocks) => blocks.serialize(serializer),
            Self::Text(text) => text.serialize(serializer),
        }
    }
}

impl<'de> serde::Deserialize<'de> for SystemPrompt {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::wire::deserialize(deserializer)
    }
}
