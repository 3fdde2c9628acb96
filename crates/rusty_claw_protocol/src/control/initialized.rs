//! What the CLI says about itself in return.

use rusty_claw_macros::Wire;

use super::Effort;
use crate::extra::Extra;
use crate::message::{FastModeDisabledReason, FastModeState, SessionState};
use crate::open_enum::open_enum;
use crate::permission::PermissionMode;
use crate::text::Str;
use crate::wire::Map;

/// The reply to `initialize`. The session's id is not in it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct InitializeResponse {
    /// Slash commands.
    pub commands: Vec<SlashCommand>,
    /// Subagents.
    pub agents: Vec<AgentInfo>,
    /// The output style in use.
    pub output_style: Str,
    /// The output styles there are.
    pub available_output_styles: Vec<Str>,
    /// Where the user's own output styles are.
    pub user_output_styles_dir: Option<String>,
    /// Models that can be chosen.
    pub models: Vec<ModelInfo>,
    /// Models that exist and cannot be chosen.
    pub unavailable_models: Option<Vec<ModelInfo>>,
    /// Who pays.
    pub account: AccountInfo,
    /// Two credentials that contradict each other.
    pub auth_conflict: Option<AuthConflict>,
    /// The CLI's process id.
    pub pid: Option<u64>,
    /// The CLI's version.
    pub claude_code_version: Option<Str>,
    /// The model in use.
    pub current_model: Option<Str>,
    /// The permission mode in use.
    pub current_permission_mode: Option<PermissionMode>,
    /// Whether that mode was chosen for want of another.
    pub permission_mode_from_default_fallback: Option<bool>,
    /// A mode that the CLI would propose.
    pub auto_default_nudge: Option<PermissionMode>,
    /// What the session is doing.
    pub session_state: Option<SessionState>,
    /// Whether the hooks of the request are in force.
    pub hooks_applied: Option<bool>,
    /// Whether the CLI heeds what a hook says about failures.
    pub hook_on_failure_supported: Option<bool>,
    /// Whether another hook's wish to ask wins over the host's.
    pub other_hook_ask_outranks_host: Option<bool>,
    /// Which MCP tools count as running code, by server.
    pub code_running_mcp_tools_applied: Option<Map<Vec<Str>>>,
    /// Whether the plugins of the request are loaded.
    pub plugins_applied: Option<bool>,
    /// Whether the forced settings of the request hold.
    pub managed_settings_applied: Option<bool>,
    /// Whether the host words its own questions.
    pub host_worded_asks: Option<bool>,
    /// Whether the trust in the folder was written down.
    pub workspace_trust_recorded: Option<bool>,
    /// Whether the CLI says when it has read a message.
    pub inbound_read_receipts: Option<bool>,
    /// What became of each in-process server's manifest.
    pub sdk_mcp_manifests_parked: Option<Map<ManifestFate>>,
    /// Whether answers come fast.
    pub fast_mode_state: Option<FastModeState>,
    /// Why they do not.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// How feedback can be given.
    pub feedback_mode: Option<FeedbackMode>,
    /// Whether the CLI tells the vendor nothing.
    pub analytics_disabled: Option<bool>,
    /// Whether remote control starts by itself.
    pub remote_control_auto_enable: Option<bool>,
    /// Whether it connects by itself, unless told otherwise.
    pub remote_control_auto_connect_default: Option<bool>,
    /// Whether it is on, unless told otherwise.
    pub remote_control_auto_on_by_default: Option<bool>,
    /// Whether it can be had.
    pub remote_control_available: Option<bool>,
    /// Whether editors may start it.
    pub ide_rc_auto_enable_gate: Option<bool>,
    /// Whether the browser tools are on from the start.
    pub claude_in_chrome_at_startup: Option<bool>,
    /// Whether nobody is asked about the browser tools.
    pub claude_in_chrome_prompt_disabled: Option<bool>,
    /// What this CLI can do that older ones cannot.
    pub capabilities: Option<Vec<Str>>,
    /// What no field holds.
    pub extra: Extra,
}

/// A slash command or a skill.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct SlashCommand {
    /// Its name, without the slash.
    pub name: Str,
    /// What it does.
    pub description: String,
    /// What may stand behind it.
    pub argument_hint: String,
    /// Other names.
    pub aliases: Option<Vec<Str>>,
    /// Whether the CLI brings it.
    pub builtin: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// A subagent.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct AgentInfo {
    /// Its name.
    pub name: Str,
    /// When to use it.
    pub description: String,
    /// Its model; the session's own when absent.
    pub model: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// A model.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ModelInfo {
    /// What to say to choose it.
    pub value: Str,
    /// What that means now.
    pub resolved_model: Option<Str>,
    /// Its name for people.
    pub display_name: String,
    /// What it is good for.
    pub description: String,
    /// Whether its effort can be chosen.
    pub supports_effort: Option<bool>,
    /// The efforts there are.
    pub supported_effort_levels: Option<Vec<Effort>>,
    /// Whether it decides by itself how much to think.
    pub supports_adaptive_thinking: Option<bool>,
    /// Whether thinking can be switched off.
    pub supports_thinking_off: Option<bool>,
    /// Whether it can answer fast.
    pub supports_fast_mode: Option<bool>,
    /// Whether it can decide about tool calls.
    pub supports_auto_mode: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// Who pays.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct AccountInfo {
    /// The account's address.
    pub email: Option<Str>,
    /// Its organisation.
    pub organization: Option<Str>,
    /// Its plan.
    pub subscription_type: Option<Str>,
    /// Where the token comes from.
    pub token_source: Option<Str>,
    /// Where the key comes from.
    pub api_key_source: Option<Str>,
    /// Who serves the model.
    pub api_provider: Option<ApiProvider>,
    /// What no field holds.
    pub extra: Extra,
}

/// Two credentials that contradict each other.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct AuthConflict {
    /// Where the token comes from.
    pub token_source: Str,
    /// Where the key comes from.
    pub api_key_source: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// How feedback can be given.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct FeedbackMode {
    /// `post`, `bundle`, `share`, `disabled`.
    pub kind: Str,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Who serves the model.
    pub enum ApiProvider {
        /// The vendor.
        FirstParty = "firstParty",
        /// Amazon Bedrock.
        Bedrock = "bedrock",
        /// Google Vertex.
        Vertex = "vertex",
        /// Microsoft Foundry.
        Foundry = "foundry",
        /// The vendor, on Amazon's cloud.
        AnthropicAws = "anthropicAws",
        /// The vendor, on Google's cloud.
        AnthropicGoogleCloud = "anthropicGoogleCloud",
        /// Mantle.
        Mantle = "mantle",
        /// Something in between.
        Gateway = "gateway",
    }
}

open_enum! {
    /// What became of an in-process server's manifest.
    pub enum ManifestFate {
        /// It is used.
        Parked = "parked",
        /// The server was connected before.
        AlreadyConnected = "already_connected",
        /// It speaks another version of MCP.
        ProtocolVersionMismatch = "protocol_version_mismatch",
        /// It could not be read.
        Malformed = "malformed",
        /// It was ignored.
        NotHonoured = "not_honoured",
    }
}
