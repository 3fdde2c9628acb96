//! The response to `initialize`.

use rusty_claw_macros::wire_type;

use super::Effort;
use crate::message::{FastModeDisabledReason, FastModeState, SessionState};
use crate::open_enum::open_enum;
use crate::permission::PermissionMode;
use crate::text::Str;
use crate::wire::Map;

/// The response to `initialize`. Does not contain the session's id.
#[wire_type]
pub struct InitializeResponse {
    /// Slash commands.
    pub commands: Vec<SlashCommand>,
    /// Subagents.
    pub agents: Vec<AgentInfo>,
    /// The current output style.
    pub output_style: Str,
    /// The available output styles.
    pub available_output_styles: Vec<Str>,
    /// The directory of the user's output styles.
    pub user_output_styles_dir: Option<String>,
    /// The available models.
    pub models: Vec<ModelInfo>,
    /// Models that cannot be selected.
    pub unavailable_models: Option<Vec<ModelInfo>>,
    /// The account.
    pub account: AccountInfo,
    /// Set if two credentials conflict.
    pub auth_conflict: Option<AuthConflict>,
    /// The CLI's process id.
    pub pid: Option<u64>,
    /// The CLI's version.
    pub claude_code_version: Option<Str>,
    /// The current model.
    pub current_model: Option<Str>,
    /// The current permission mode.
    pub current_permission_mode: Option<PermissionMode>,
    /// Whether that mode is only a fallback.
    pub permission_mode_from_default_fallback: Option<bool>,
    /// A mode that the CLI suggests.
    pub auto_default_nudge: Option<PermissionMode>,
    /// The state of the session.
    pub session_state: Option<SessionState>,
    /// Whether the request's hooks were applied.
    pub hooks_applied: Option<bool>,
    /// Whether the CLI supports a hook's `on_failure`.
    pub hook_on_failure_supported: Option<bool>,
    /// Whether an ask decision of another hook overrides the host's.
    pub other_hook_ask_outranks_host: Option<bool>,
    /// MCP tools that count as running code, by server.
    pub code_running_mcp_tools_applied: Option<Map<Vec<Str>>>,
    /// Whether the request's plugins were loaded.
    pub plugins_applied: Option<bool>,
    /// Whether the request's managed settings were applied.
    pub managed_settings_applied: Option<bool>,
    /// Whether the host words its own permission requests.
    pub host_worded_asks: Option<bool>,
    /// Whether the trust in the directory was recorded.
    pub workspace_trust_recorded: Option<bool>,
    /// Whether the CLI acknowledges messages that it has read.
    pub inbound_read_receipts: Option<bool>,
    /// The outcome for each in-process server's manifest.
    pub sdk_mcp_manifests_parked: Option<Map<ManifestFate>>,
    /// The state of fast mode.
    pub fast_mode_state: Option<FastModeState>,
    /// Why fast mode is disabled.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// The feedback mode.
    pub feedback_mode: Option<FeedbackMode>,
    /// Whether analytics are disabled.
    pub analytics_disabled: Option<bool>,
    /// Whether remote control is enabled automatically.
    pub remote_control_auto_enable: Option<bool>,
    /// Whether remote control connects automatically by default.
    pub remote_control_auto_connect_default: Option<bool>,
    /// Whether remote control is on by default.
    pub remote_control_auto_on_by_default: Option<bool>,
    /// Whether remote control is available.
    pub remote_control_available: Option<bool>,
    /// Whether editors may enable remote control.
    pub ide_rc_auto_enable_gate: Option<bool>,
    /// Whether the browser tools are enabled at startup.
    pub claude_in_chrome_at_startup: Option<bool>,
    /// Whether asking about the browser tools is disabled.
    pub claude_in_chrome_prompt_disabled: Option<bool>,
    /// Capabilities of this CLI version.
    pub capabilities: Option<Vec<Str>>,
}

/// A slash command or a skill.
#[wire_type(rename_all = "camelCase")]
pub struct SlashCommand {
    /// Its name, without the slash.
    pub name: Str,
    /// Its description.
    pub description: String,
    /// A hint about its arguments.
    pub argument_hint: String,
    /// Other names.
    pub aliases: Option<Vec<Str>>,
    /// Whether it is built in.
    pub builtin: Option<bool>,
}

/// A subagent.
#[wire_type]
pub struct AgentInfo {
    /// Its name.
    pub name: Str,
    /// When to use it.
    pub description: String,
    /// Its model; the session's if absent.
    pub model: Option<Str>,
}

/// A model.
#[wire_type(rename_all = "camelCase")]
pub struct ModelInfo {
    /// The name to select it by.
    pub value: Str,
    /// The model that the name currently resolves to.
    pub resolved_model: Option<Str>,
    /// The display name.
    pub display_name: String,
    /// Its description.
    pub description: String,
    /// Whether its effort level can be set.
    pub supports_effort: Option<bool>,
    /// The supported effort levels.
    pub supported_effort_levels: Option<Vec<Effort>>,
    /// Whether it supports adaptive thinking.
    pub supports_adaptive_thinking: Option<bool>,
    /// Whether thinking can be disabled.
    pub supports_thinking_off: Option<bool>,
    /// Whether it supports fast mode.
    pub supports_fast_mode: Option<bool>,
    /// Whether it supports auto mode.
    pub supports_auto_mode: Option<bool>,
}

/// An account.
#[wire_type(rename_all = "camelCase")]
pub struct AccountInfo {
    /// The email address.
    pub email: Option<Str>,
    /// Its organisation.
    pub organization: Option<Str>,
    /// Its plan.
    pub subscription_type: Option<Str>,
    /// The source of the token.
    pub token_source: Option<Str>,
    /// The source of the API key.
    pub api_key_source: Option<Str>,
    /// The provider of the model.
    pub api_provider: Option<ApiProvider>,
}

/// Two conflicting credentials.
#[wire_type]
pub struct AuthConflict {
    /// The source of the token.
    pub token_source: Str,
    /// The source of the API key.
    pub api_key_source: Str,
}

/// The feedback mode.
#[wire_type]
pub struct FeedbackMode {
    /// `post`, `bundle`, `share`, `disabled`.
    pub kind: Str,
}

open_enum! {
    /// The provider of a model.
    pub enum ApiProvider {
        /// The vendor.
        FirstParty = "firstParty",
        /// Amazon Bedrock.
        Bedrock = "bedrock",
        /// Google Vertex.
        Vertex = "vertex",
        /// Microsoft Foundry.
        Foundry = "foundry",
        /// The vendor, on AWS.
        AnthropicAws = "anthropicAws",
        /// The vendor, on Google Cloud.
        AnthropicGoogleCloud = "anthropicGoogleCloud",
        /// Mantle.
        Mantle = "mantle",
        /// A gateway.
        Gateway = "gateway",
    }
}

open_enum! {
    /// The outcome for an in-process server's manifest.
    pub enum ManifestFate {
        /// It was accepted.
        Parked = "parked",
        /// The server was already connected.
        AlreadyConnected = "already_connected",
        /// Its MCP version differs.
        ProtocolVersionMismatch = "protocol_version_mismatch",
        /// It is malformed.
        Malformed = "malformed",
        /// It was ignored.
        NotHonoured = "not_honoured",
    }
}
