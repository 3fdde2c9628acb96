//! Which hooks are configured.

use rusty_claw_macros::Wire;

use super::SettingsParseError;
use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;

/// Asks which hooks are configured.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GetHooksListing {
    /// What no field holds.
    pub extra: Extra,
}

/// The hooks that are configured.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct GetHooksListingResponse {
    /// Events that have hooks.
    pub events: Vec<HookedEvent>,
    /// The hooks.
    pub hooks: Vec<ConfiguredHook>,
    /// Every event there is.
    pub event_catalog: Vec<HookEventInfo>,
    /// What the administrator allows.
    pub policy: HookPolicy,
    /// Set when the CLI runs without the user's additions.
    pub safe_mode: Option<SafeMode>,
    /// Set when the CLI runs bare.
    pub bare_mode: Option<BareMode>,
    /// Files that could not be read.
    pub errors: Option<Vec<SettingsParseError>>,
    /// What no field holds.
    pub extra: Extra,
}

/// An event that hooks may listen to.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct HookEventInfo {
    /// Its name.
    pub name: Str,
    /// When it happens.
    pub summary: String,
    /// Whether a hook can listen to a part of it.
    pub supports_matcher: bool,
    /// What no field holds.
    pub extra: Extra,
}

/// An event that hooks listen to.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct HookedEvent {
    /// Its name.
    pub name: Str,
    /// When it happens.
    pub summary: String,
    /// Whether a hook can listen to a part of it.
    pub supports_matcher: bool,
    /// How many hooks listen.
    pub hook_count: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// One configured hook.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ConfiguredHook {
    /// What it listens to.
    pub event: Str,
    /// Which part of it.
    pub matcher: Str,
    /// Where it is configured.
    pub source: Str,
    /// The same, for people.
    pub source_label: String,
    /// The plugin that brought it.
    pub plugin_name: Option<Str>,
    /// `command`, `prompt`, `http`, ….
    #[wire(name = "type")]
    pub kind: Str,
    /// A line that stands for it.
    pub display_text: String,
    /// What it runs.
    pub command_text: String,
    /// What `command_text` is.
    pub content_label: String,
    /// When it runs at all.
    pub condition: Option<String>,
    /// How many seconds it may take.
    pub timeout: Option<f64>,
    /// What is shown while it runs.
    pub status_message: Option<String>,
    /// Whether it runs one time only.
    pub runs_once: Option<bool>,
    /// Whether nobody waits for it.
    pub runs_in_background: Option<bool>,
    /// Whether it is switched off.
    pub disabled: Option<bool>,
    /// Its configuration, when it can be changed from here.
    pub editable: Option<EditableHook>,
    /// What no field holds.
    pub extra: Extra,
}

/// A hook's configuration.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct EditableHook {
    /// Which part of the event.
    pub matcher: Str,
    /// The hook as settings write it; the user's own bag.
    pub config: Json,
    /// Whether HTTP headers were taken out.
    pub headers_redacted: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// What the administrator allows of hooks.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct HookPolicy {
    /// Whether hooks are forbidden.
    pub disabled_by_policy: bool,
    /// Whether only the administrator's hooks run.
    pub managed_only: bool,
    /// Whether only plugins may bring hooks.
    pub plugin_only: bool,
    /// Whether the user switched all off.
    pub all_disabled: bool,
    /// How many hooks the administrator brings.
    pub policy_hook_count: u64,
    /// Whether the administrator's file could not be read.
    pub policy_unreadable: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// The CLI runs without the user's additions.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct SafeMode {
    /// Whether the administrator's hooks run all the same.
    pub managed_hooks_still_apply: bool,
    /// How to leave it.
    pub exit_hint: String,
    /// What no field holds.
    pub extra: Extra,
}

/// The CLI runs bare.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct BareMode {
    /// How to leave it.
    pub exit_hint: String,
    /// What no field holds.
    pub extra: Extra,
}
