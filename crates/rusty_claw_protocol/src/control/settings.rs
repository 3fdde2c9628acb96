//! Settings and permission rules.

use rusty_claw_macros::Wire;

use super::Effort;
use crate::extra::Extra;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::permission::PermissionBehavior;
use crate::text::Str;

/// Changes settings for this process only. All of them hold, or none.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ApplyFlagSettings {
    /// The settings, as a settings file has them; the user's own bag.
    pub settings: Json,
    /// What no field holds.
    pub extra: Extra,
}

/// Changes a settings file.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct UpdateSettings {
    /// Which file.
    pub source: SettingsSource,
    /// The settings, as a settings file has them; the user's own bag.
    pub settings: Json,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Where a setting or a rule comes from.
    pub enum SettingsSource {
        /// The user's file, for every project.
        UserSettings = "userSettings",
        /// The project's file, for everybody who works on it.
        ProjectSettings = "projectSettings",
        /// The project's private file.
        LocalSettings = "localSettings",
        /// The command line or a control request.
        FlagSettings = "flagSettings",
        /// The administrator.
        PolicySettings = "policySettings",
        /// A flag of the command line.
        CliArg = "cliArg",
        /// A command that grants tools while it runs.
        Command = "command",
        /// An answer that was given during the session.
        Session = "session",
        /// A mounted MCP server.
        McpMount = "mcpMount",
        /// A list that narrows the tools.
        ToolsNarrowing = "toolsNarrowing",
        /// What an MCP server's own policy says.
        McpServerPolicy = "mcpServerPolicy",
        /// A credential that the host holds.
        HostCredential = "hostCredential",
    }
}

/// Asks for the settings that hold.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GetSettings {
    /// What no field holds.
    pub extra: Extra,
}

/// The settings that hold.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GetSettingsResponse {
    /// All sources merged; the user's own bag.
    pub effective: Json,
    /// Each source by itself, the weakest first.
    pub sources: Vec<SettingsLayer>,
    /// What came of them.
    pub applied: Option<AppliedSettings>,
    /// Files that could not be read.
    pub errors: Option<Vec<SettingsParseError>>,
    /// Why remote control cannot be switched.
    pub remote_control_policy_lock_reason: Option<String>,
    /// Whether something is kept from this reader.
    pub withheld: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

impl GetSettingsResponse {
    /// The strongest source that has this setting at its top level: where its value comes from,
    /// unless it is an object or a list, which are merged from several.
    pub fn source_of(&self, setting: &str) -> Option<&SettingsSource> {
        let mut layers = self.sources.iter().rev();
        let layer = layers.find(|layer| layer.settings.get(setting).is_some());
        layer.map(|layer| &layer.source)
    }

    /// The merged settings without a `permissions.defaultMode` that the CLI does not follow: one
    /// that lets tools run unasked, set by a file of the project, or by a source that is not known.
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
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SettingsLayer {
    /// The source.
    pub source: SettingsSource,
    /// Its settings; the user's own bag.
    pub settings: Json,
    /// What no field holds.
    pub extra: Extra,
}

/// What came of the settings.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct AppliedSettings {
    /// The model in use.
    pub model: Str,
    /// The effort in use.
    pub effort: Option<Effort>,
    /// The model that advises, if any.
    pub advisor: Option<Str>,
    /// Whether the most thorough mode is on.
    pub ultracode: Option<bool>,
    /// Whether it was asked for.
    pub ultracode_requested: Option<bool>,
    /// Whether it can be had.
    pub ultracode_available: Option<bool>,
    /// Whether the deepest thinking can be had.
    pub ultrathink_available: Option<bool>,
    /// Whether file tools may not read outside the working folders.
    pub outside_file_tool_reads_blocked: Option<bool>,
    /// Whether file tools may not write outside the working folders.
    pub outside_file_tool_writes_blocked: Option<bool>,
    /// Whether only the folders of the start count as inside.
    pub outside_blocks_count_launch_folders_only: Option<bool>,
    /// Whether the environment left the CLI's own files where they belong.
    pub launch_env_left_own_files_in_place: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// A settings file that could not be read.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SettingsParseError {
    /// The file.
    pub file: Option<String>,
    /// Where in it.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What no field holds.
    pub extra: Extra,
}

/// Asks for the permission rules that hold.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ListPermissionRules {
    /// What no field holds.
    pub extra: Extra,
}

/// The permission rules that hold.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ListPermissionRulesResponse {
    /// The rules and folders.
    pub state: PermissionRulesState,
    /// What no field holds.
    pub extra: Extra,
}

/// Rules and folders.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct PermissionRulesState {
    /// The rules.
    pub rules: Vec<PermissionRuleEntry>,
    /// Folders beside the working folder.
    pub workspace_directories: Vec<WorkspaceDirectory>,
    /// The folder that the session began in.
    pub original_cwd: Str,
    /// Whether only the administrator's rules count.
    pub managed_only: bool,
    /// Files that could not be read.
    pub errors: Option<Vec<SettingsParseError>>,
    /// Whether something is kept from this reader.
    pub withheld: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// One rule.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct PermissionRuleEntry {
    /// What it does.
    pub behavior: PermissionBehavior,
    /// Where it comes from.
    pub source: SettingsSource,
    /// The rule as settings write it.
    pub rule: Str,
    /// The rule in words.
    pub description: Option<PermissionRuleDescription>,
    /// Whether it can be changed from here.
    pub editability: RuleEditability,
    /// Whether something overrides it.
    pub not_in_effect: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Whether a rule can be changed, and for how long.
    pub enum RuleEditability {
        /// In its file.
        Persistent = "persistent",
        /// For this session.
        Session = "session",
        /// Not at all.
        Readonly = "readonly",
    }
}

/// A rule in words, in three parts so that the middle can stand out.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PermissionRuleDescription {
    /// The beginning.
    pub prefix: String,
    /// The part to stress.
    pub emphasis: Option<String>,
    /// The end.
    pub suffix: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// A folder that tools may use.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct WorkspaceDirectory {
    /// The folder.
    pub path: Str,
    /// Who allowed it.
    pub source: SettingsSource,
    /// What no field holds.
    pub extra: Extra,
}
