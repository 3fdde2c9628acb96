//! Members of `system/init` that the documents do not name.

use rusty_claw_macros::wire_type;

use super::{LoadedPlugin, McpServerError, PluginLoadError, PluginLoadWarning, StartupTiming};
use crate::control::Effort;
use crate::message::{FastModeDisabledReason, FastModeState};
use crate::open_enum::open_enum;
use crate::permission::PermissionMode;
use crate::text::Str;

/// The members of `system/init` that the documents do not name.
///
/// All are optional: it shares its object with the variant, and older CLIs send fewer.
#[wire_type]
pub struct InitDetails {
    /// The working directory.
    pub cwd: Option<String>,
    /// The directory in which the session started.
    pub original_cwd: Option<String>,
    /// Further directories that tools may use.
    pub additional_directories: Option<Vec<String>>,
    /// The model.
    pub model: Option<Str>,
    /// The permission mode.
    #[wire(name = "permissionMode")]
    pub permission_mode: Option<PermissionMode>,
    /// The source of the API credentials.
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
    /// Commands that only work in an interactive terminal.
    pub terminal_slash_commands: Option<Vec<Str>>,
    /// The loaded plugins.
    pub plugins: Option<Vec<LoadedPlugin>>,
    /// Plugins that failed to load.
    pub plugin_errors: Option<Vec<PluginLoadError>>,
    /// Warnings about loaded plugins.
    pub plugin_warnings: Option<Vec<PluginLoadWarning>>,
    /// MCP servers with an invalid configuration.
    pub mcp_server_errors: Option<Vec<McpServerError>>,
    /// Requested API betas.
    pub betas: Option<Vec<Str>>,
    /// Capabilities of this CLI version.
    pub capabilities: Option<Vec<Str>>,
    /// The state of fast mode.
    pub fast_mode_state: Option<FastModeState>,
    /// Why fast mode is disabled.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// The effort level.
    pub effort: Option<Effort>,
    /// Whether the effort level is chosen per turn.
    pub per_turn_effort_active: Option<bool>,
    /// Whether the ultrathink keyword is available.
    pub ultrathink_available: Option<bool>,
    /// Whether typing that keyword raises the effort level.
    pub ultrathink_typed_raises: Option<bool>,
    /// The terminal's view mode.
    pub view_mode: Option<ViewMode>,
    /// Text that the host may show in its footer.
    pub footer_indicator: Option<FooterIndicator>,
    /// The thinking limits that the host requested.
    pub client_thinking: Option<ClientThinking>,
    /// Whether analytics are disabled.
    pub analytics_disabled: Option<bool>,
    /// Whether feedback requests are disabled.
    pub product_feedback_disabled: Option<bool>,
    /// The directories of memories.
    pub memory_paths: Option<MemoryPaths>,
    /// A directory for the session's temporary files.
    pub scratchpad_path: Option<String>,
    /// The directory of skills synced from the account.
    pub synced_skills_path: Option<String>,
    /// The path of PowerShell, if installed.
    pub powershell_path: Option<String>,
    /// The socket for messages between sessions on one machine.
    pub messaging_socket_path: Option<String>,
    /// The epoch of a remote worker.
    pub worker_epoch: Option<u64>,
    /// Set if repeated flags had no effect.
    pub flag_restate_noop: Option<bool>,
    /// Timing of the startup, by phase.
    pub startup_timing: Option<Box<StartupTiming>>,
    /// The prompts that this turn answers.
    pub user_message_uuids: Option<Vec<Str>>,
    /// The line's id.
    pub uuid: Option<Str>,
}

open_enum! {
    /// The source of the API credentials.
    pub enum ApiKeySource {
        /// The environment variable.
        AnthropicApiKey = "ANTHROPIC_API_KEY",
        /// A program that prints the key.
        ApiKeyHelper = "apiKeyHelper",
        /// A key created by the sign-in.
        LoginManagedKey = "/login managed key",
        /// No key; possibly a bearer token.
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
    /// The terminal's view mode.
    pub enum ViewMode {
        /// The conversation only.
        Focus = "focus",
        /// Everything.
        Default = "default",
    }
}

/// Text for the host's footer.
#[wire_type]
pub struct FooterIndicator {
    /// The text.
    pub text: String,
}

/// The thinking limits that the host requested.
#[wire_type]
pub struct ClientThinking {
    /// The limit; `None` leaves it to the model.
    pub max_thinking_tokens: Option<u64>,
    /// How the reasoning is shown: `summarized`, `omitted`, `highlights`.
    pub thinking_display: Option<Str>,
}

/// The directories of memories, so that a host can recognize memory files.
#[wire_type]
pub struct MemoryPaths {
    /// Memories that the model writes itself.
    pub auto: Option<String>,
    /// Memories shared by a team.
    pub team: Option<String>,
}
