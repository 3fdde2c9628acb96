//! Settings and permission rules.

use rusty_claw_macros::wire_type;

use super::Effort;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::permission::PermissionBehavior;
use crate::text::Str;

/// Changes settings for this process only. Applies all of them or none.
#[wire_type]
pub struct ApplyFlagSettings {
    /// The settings, in the format of a settings file.
    pub settings: Json,
}

/// Changes a settings file.
#[wire_type]
pub struct UpdateSettings {
    /// The file.
    pub source: SettingsSource,
    /// The settings, in the format of a settings file.
    pub settings: Json,
}

open_enum! {
    /// The source of a setting or a rule.
    pub enum SettingsSource {
        /// The user's file, for every project.
        UserSettings = "userSettings",
        /// The project's shared file.
        ProjectSettings = "projectSettings",
        /// The project's private file.
        LocalSettings = "localSettings",
        /// The command line or a control request.
        FlagSettings = "flagSettings",
        /// The administrator.
        PolicySettings = "policySettings",
        /// A command-line flag.
        CliArg = "cliArg",
        /// A command that grants tools while it runs.
        Command = "command",
        /// An answer given during the session.
        Session = "session",
        /// A mounted MCP server.
        McpMount = "mcpMount",
        /// A list that narrows the tools.
        ToolsNarrowing = "toolsNarrowing",
        /// An MCP server's own policy.
        McpServerPolicy = "mcpServerPolicy",
        /// A credential that the host holds.
        HostCredential = "hostCredential",
    }
}

/// Requests the effective settings.
#[wire_type]
pub struct GetSettings {}

/// The effective settings.
#[wire_type]
pub struct GetSettingsResponse {
    /// All sources merged.
    pub effective: Json,
    /// The settings by source, weakest first.
    pub sources: Vec<SettingsLayer>,
    /// The values in use.
    pub applied: Option<AppliedSettings>,
    /// Files that could not be read.
    pub errors: Option<Vec<SettingsParseError>>,
    /// Why remote control is locked by policy.
    pub remote_control_policy_lock_reason: Option<String>,
    /// Whether parts were withheld.
    pub withheld: Option<bool>,
}

impl GetSettingsResponse {
    /// Returns the strongest source with this setting at its top level. Its value comes from there,
    /// unless it is an object or a list, which are merged from several sources.
    pub fn source_of(&self, setting: &str) -> Option<&SettingsSource> {
        let mut layers = self.sources.iter().rev();
        let layer = layers.find(|layer| layer.settings.get(setting).is_some());
        layer.map(|layer| &layer.source)
    }

    /// Returns the merged settings without a `permissions.defaultMode` that the CLI ignores: one
    /// that lets tools run without asking, set by a project file or an unknown source.
    pub fn without_escalating_mode(&self) -> Json {
        use SettingsSource::{FlagSettings, LocalSettings, PolicySettings, UserSettings};
        let mode_in = |settings: &Json| settings.get("permissions")?.get("defaultMode");
        let mode = mode_in(&self.effective).and_then(|mode| mode.to_text());
        let mut layers = self.sources.iter().rev();
        let set_by = layers.find(|layer| mode_in(&layer.settings).is_some());
        let keeps = match (mode.as_deref(), set_by.map(|layer| &layer.source)) {
            (_, Some(UserSettings | FlagSettings | PolicySettings)) => true,
            (Some("acceptEdits"), source) => source == Some(&LocalSettings),
            (mode, _) => !matches!(mode, Some("auto" | "bypassPermissions")),
        };
        if keeps {
            return self.effective.clone();
        }
        let mut settings = self.effective.to_value();
        if let Some(permissions) = settings
            .get_mut("permissions")
            .and_then(|it| it.as_object_mut())
        {
            permissions.remove("defaultMode");
        }
        Json::from_value(&settings)
    }
}

/// The settings of one source.
#[wire_type]
pub struct SettingsLayer {
    /// The source.
    pub source: SettingsSource,
    /// Its settings.
    pub settings: Json,
}

/// Values that result from the settings.
#[wire_type(rename_all = "camelCase")]
pub struct AppliedSettings {
    /// The current model.
    pub model: Str,
    /// The current effort level.
    pub effort: Option<Effort>,
    /// The advisor model, if any.
    pub advisor: Option<Str>,
    /// Whether ultracode is active.
    pub ultracode: Option<bool>,
    /// Whether ultracode was requested.
    pub ultracode_requested: Option<bool>,
    /// Whether ultracode is available.
    pub ultracode_available: Option<bool>,
    /// Whether ultrathink is available.
    pub ultrathink_available: Option<bool>,
    /// Whether file tools are blocked from reading outside the working directories.
    pub outside_file_tool_reads_blocked: Option<bool>,
    /// Whether file tools are blocked from writing outside the working directories.
    pub outside_file_tool_writes_blocked: Option<bool>,
    /// Whether only the directories at launch count as inside.
    pub outside_blocks_count_launch_folders_only: Option<bool>,
    /// Whether the launch environment left the CLI's own files in place.
    pub launch_env_left_own_files_in_place: Option<bool>,
}

/// A settings file that could not be read.
#[wire_type]
pub struct SettingsParseError {
    /// The file.
    pub file: Option<String>,
    /// The position in the file.
    pub path: String,
    /// The error message.
    pub message: String,
}

/// Requests the effective permission rules.
#[wire_type]
pub struct ListPermissionRules {}

/// The effective permission rules.
#[wire_type]
pub struct ListPermissionRulesResponse {
    /// The rules and directories.
    pub state: PermissionRulesState,
}

/// Rules and directories.
#[wire_type(rename_all = "camelCase")]
pub struct PermissionRulesState {
    /// The rules.
    pub rules: Vec<PermissionRuleEntry>,
    /// Directories in addition to the working directory.
    pub workspace_directories: Vec<WorkspaceDirectory>,
    /// The directory in which the session began.
    pub original_cwd: Str,
    /// Whether only the administrator's rules apply.
    pub managed_only: bool,
    /// Files that could not be read.
    pub errors: Option<Vec<SettingsParseError>>,
    /// Whether parts were withheld.
    pub withheld: Option<bool>,
}

/// A permission rule.
#[wire_type(rename_all = "camelCase")]
pub struct PermissionRuleEntry {
    /// Its behavior.
    pub behavior: PermissionBehavior,
    /// Its source.
    pub source: SettingsSource,
    /// The rule as in the settings file.
    pub rule: Str,
    /// The rule as text.
    pub description: Option<PermissionRuleDescription>,
    /// Whether it can be edited.
    pub editability: RuleEditability,
    /// Whether it is overridden.
    pub not_in_effect: Option<bool>,
}

open_enum! {
    /// Whether a rule can be edited, and for how long.
    pub enum RuleEditability {
        /// Permanently, in its file.
        Persistent = "persistent",
        /// For this session.
        Session = "session",
        /// Not editable.
        Readonly = "readonly",
    }
}

/// A rule as text, in three parts to emphasize the middle.
#[wire_type]
pub struct PermissionRuleDescription {
    /// The beginning.
    pub prefix: String,
    /// The part to emphasize.
    pub emphasis: Option<String>,
    /// The end.
    pub suffix: Option<String>,
}

/// A directory that tools may use.
#[wire_type]
pub struct WorkspaceDirectory {
    /// The directory.
    pub path: Str,
    /// The source that allowed it.
    pub source: SettingsSource,
}
