//! What `system/init` says beside the members that the documents name.

use rusty_claw_macros::Wire;

use super::{LoadedPlugin, McpServerError, PluginLoadError, PluginLoadWarning, StartupTiming};
use crate::control::Effort;
use crate::extra::Extra;
use crate::message::{FastModeDisabledReason, FastModeState};
use crate::open_enum::open_enum;
use crate::permission::PermissionMode;
use crate::text::Str;

/// What `system/init` says beside the members that the documents name.
///
/// All optional: it shares its object with the variant, and older CLIs say less.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct InitDetails {
    /// The working directory.
    pub cwd: Option<String>,
    /// Where the session started, before anybody moved it.
    pub original_cwd: Option<String>,
    /// Further directories that the tools may touch.
    pub additional_directories: Option<Vec<String>>,
    /// The model.
    pub model: Option<Str>,
    /// How tool calls are decided.
    #[wire(name = "permissionMode")]
    pub permission_mode: Option<PermissionMode>,
    /// Where the API credentials came from.
    #[wire(name = "apiKeySource")]
    pub api_key_source: Option<ApiKeySource>,
    /// The CLI's version.
    pub claude_code_version: Option<Str>,
    /// The output style.
    pub output_style: Option<Str>,
    /// Subagents by name.
    pub agents: Option<Vec<Str>>,
    /// Skills by name.
    pub skills: Option<Vec<Str>>,
    /// Slash commands by name, without the slash.
    pub slash_commands: Option<Vec<Str>>,
    /// Those of them that make sense in a terminal only.
    pub terminal_slash_commands: Option<Vec<Str>>,
    /// Plugins that were loaded.
    pub plugins: Option<Vec<LoadedPlugin>>,
    /// Plugins that were not, and why.
    pub plugin_errors: Option<Vec<PluginLoadError>>,
    /// What is odd about plugins that were loaded all the same.
    pub plugin_warnings: Option<Vec<PluginLoadWarning>>,
    /// MCP servers whose configuration could not be used.
    pub mcp_server_errors: Option<Vec<McpServerError>>,
    /// API features that were asked for by name.
    pub betas: Option<Vec<Str>>,
    /// What this CLI can do that older ones cannot.
    pub capabilities: Option<Vec<Str>>,
    /// Whether fast mode is on.
    pub fast_mode_state: Option<FastModeState>,
    /// Why fast mode cannot be switched on.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// How hard the model should think.
    pub effort: Option<Effort>,
    /// Whether the effort is chosen for each turn.
    pub per_turn_effort_active: Option<bool>,
    /// Whether the keyword for deep thought can be used.
    pub ultrathink_available: Option<bool>,
    /// Whether typing that keyword raises the effort.
    pub ultrathink_typed_raises: Option<bool>,
    /// How much the terminal shows.
    pub view_mode: Option<ViewMode>,
    /// A line that the host may show at the foot of its window.
    pub footer_indicator: Option<FooterIndicator>,
    /// The thinking limits that the host asked for.
    pub client_thinking: Option<ClientThinking>,
    /// Whether usage data stays here.
    pub analytics_disabled: Option<bool>,
    /// Whether the host should not ask for feedback.
    pub product_feedback_disabled: Option<bool>,
    /// Where memories are kept.
    pub memory_paths: Option<MemoryPaths>,
    /// A directory for the session's temporary files.
    pub scratchpad_path: Option<String>,
    /// Where skills from the account are kept.
    pub synced_skills_path: Option<String>,
    /// PowerShell, when there is one.
    pub powershell_path: Option<String>,
    /// The socket over which sessions on one machine talk.
    pub messaging_socket_path: Option<String>,
    /// Which incarnation of a remote worker this is.
    pub worker_epoch: Option<u64>,
    /// Set when repeated flags changed nothing.
    pub flag_restate_noop: Option<bool>,
    /// How long the start took, phase by phase.
    pub startup_timing: Option<Box<StartupTiming>>,
    /// The prompts that this turn answers.
    pub user_message_uuids: Option<Vec<Str>>,
    /// The line's id.
    pub uuid: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Where the API credentials came from.
    pub enum ApiKeySource {
        /// The environment variable.
        AnthropicApiKey = "ANTHROPIC_API_KEY",
        /// A program that prints the key.
        ApiKeyHelper = "apiKeyHelper",
        /// A key that the sign-in made.
        LoginManagedKey = "/login managed key",
        /// There is no key; perhaps a bearer token.
        None = "none",
        /// The user's settings.
        User = "user",
        /// The project's settings.
        Project = "project",
        /// The organisation.
        Org = "org",
        /// A key for this session only.
        Temporary = "temporary",
        /// A subscription sign-in.
        Oauth = "oauth",
    }
}

open_enum! {
    /// How much the terminal shows.
    pub enum ViewMode {
        /// The conversation only.
        Focus = "focus",
        /// Everything.
        Default = "default",
    }
}

/// A line for the foot of the host's window.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct FooterIndicator {
    /// The line.
    pub text: String,
    /// What no field holds.
    pub extra: Extra,
}

/// The thinking limits that the host asked for.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ClientThinking {
    /// The limit; none leaves it to the model.
    pub max_thinking_tokens: Option<u64>,
    /// How much of the reasoning is shown: `summarized`, `omitted`, `highlights`.
    pub thinking_display: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Where memories are kept, so that a host can tell a memory from any other file.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct MemoryPaths {
    /// Memories that the model writes by itself.
    pub auto: Option<String>,
    /// Memories shared by a team.
    pub team: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}
