//! The host's first request.

use rusty_claw_macros::wire_type;
use serde::{Serialize, Serializer};

use super::{AgentDefinition, McpServerToolPolicy, WorkspaceTrust};
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::wire::{Found, Malformed, Map, Reader, Wire as WireType};

/// The host's first request: what it serves, and the options of the session.
///
/// It may be repeated; the response then lists the pending interactions.
#[wire_type(rename_all = "camelCase")]
pub struct InitializeRequest {
    /// Hooks that the host serves, by event.
    pub hooks: Option<Map<Vec<HookMatcher>>>,
    /// In-process MCP servers that the host serves.
    pub sdk_mcp_servers: Option<Vec<Str>>,
    /// Options of those servers, by name.
    pub sdk_mcp_server_configs: Option<Map<SdkMcpServerOptions>>,
    /// Manifests of those servers, by name; saves the CLI from querying them.
    pub sdk_mcp_server_manifests: Option<Map<SdkMcpServerManifest>>,
    /// The origin of the manifests.
    pub sdk_mcp_server_manifests_origin: Option<Str>,
    /// JSON Schema of the final answer of every turn, defined by the host.
    pub json_schema: Option<Json>,
    /// Replaces the CLI's system prompt.
    pub system_prompt: Option<SystemPrompt>,
    /// Text to append to the system prompt.
    pub append_system_prompt: Option<String>,
    /// Whether the system prompt is stored with the session.
    pub system_prompt_snapshot: Option<bool>,
    /// Replaces the CLI's instructions for plan mode.
    pub plan_mode_instructions: Option<String>,
    /// Text to append to the system prompt of every subagent.
    pub append_subagent_system_prompt: Option<String>,
    /// Replacement tools, by the name of the replaced tool.
    pub tool_aliases: Option<Map<Str>>,
    /// Whether to exclude machine-specific sections from the system prompt.
    pub exclude_dynamic_sections: Option<bool>,
    /// Subagents, by name.
    pub agents: Option<Map<AgentDefinition>>,
    /// The session's title.
    pub title: Option<String>,
    /// Skills offered to the model.
    pub skills: Option<Vec<Str>>,
    /// Whether to suggest next prompts.
    pub prompt_suggestions: Option<bool>,
    /// Whether to summarize the progress of subagents.
    pub agent_progress_summaries: Option<bool>,
    /// Whether to forward the text of subagents.
    pub forward_subagent_text: Option<bool>,
    /// Dialogs that the host can show.
    pub supported_dialog_kinds: Option<Vec<Str>>,
    /// Whether the host lets the user stop single tasks.
    pub per_task_stop_affordance: Option<bool>,
    /// Plugins to load.
    pub plugins: Option<Vec<SdkPluginConfig>>,
    /// Settings enforced by the host's administrator, in their own format.
    pub managed_settings: Option<Json>,
    /// The user's confirmation that they trust the directory.
    pub workspace_trust: Option<WorkspaceTrust>,
    // Leniency: the message document asks for permission requests here. The CLI uses a flag for
    // that and ignores the member.
    /// Whether the host answers permission requests, as in one document.
    #[wire(name = "can_use_tool")]
    pub can_use_tool: Option<bool>,
}

/// Hooks of one event with a common matcher.
#[wire_type(rename_all = "camelCase")]
pub struct HookMatcher {
    /// The part of the event, such as a tool's name; all if absent.
    pub matcher: Option<Str>,
    /// The host's callback ids; `hook_callback` repeats them.
    pub hook_callback_ids: Vec<Str>,
    /// The timeout in seconds.
    pub timeout: Option<f64>,
    /// What to do if the host fails or times out.
    pub on_failure: Option<HookFailure>,
}

open_enum! {
    /// What to do if a hook's host fails or times out.
    pub enum HookFailure {
        /// Continue as if the hook had no effect.
        Continue = "continue",
        /// Block the action.
        Block = "block",
    }
}

/// Options of an in-process server.
#[wire_type]
pub struct SdkMcpServerOptions {
    /// The timeout of a call in milliseconds.
    pub timeout: Option<u64>,
    /// Policies for its tools.
    pub tools: Option<Vec<McpServerToolPolicy>>,
}

/// The replies of an in-process server to MCP's first requests.
#[wire_type(rename_all = "camelCase")]
pub struct SdkMcpServerManifest {
    /// Its result of MCP's `initialize`.
    pub initialize_result: Json,
    /// Its result of MCP's `tools/list`.
    pub tools_list_result: Option<Json>,
}

/// A plugin to load.
#[wire_type(rename_all = "camelCase")]
pub struct SdkPluginConfig {
    /// The kind of location: `local`.
    #[wire(name = "type")]
    pub kind: Str,
    /// Its directory.
    pub path: String,
    /// Whether to ignore its MCP servers.
    pub skip_mcp_discovery: Option<bool>,
}

impl SdkPluginConfig {
    /// Returns a plugin in a local directory.
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
    /// Blocks, the CLI's own form.
    Blocks(Vec<String>),
    /// A single string, as older hosts send it. Read, but never produced by this library.
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
        // Leniency: blocks from current hosts, a string from older ones.
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
