//! Configured hooks.

use rusty_claw_macros::wire_type;

use super::SettingsParseError;
use crate::json::Json;
use crate::text::Str;

/// Requests the configured hooks.
#[wire_type]
pub struct GetHooksListing {}

/// The configured hooks.
#[wire_type(rename_all = "camelCase")]
pub struct GetHooksListingResponse {
    /// Events with hooks.
    pub events: Vec<HookedEvent>,
    /// The hooks.
    pub hooks: Vec<ConfiguredHook>,
    /// All events.
    pub event_catalog: Vec<HookEventInfo>,
    /// The administrator's policy.
    pub policy: HookPolicy,
    /// Set in safe mode, without the user's extensions.
    pub safe_mode: Option<SafeMode>,
    /// Set in bare mode.
    pub bare_mode: Option<BareMode>,
    /// Files that could not be read.
    pub errors: Option<Vec<SettingsParseError>>,
}

/// An event that can have hooks.
#[wire_type(rename_all = "camelCase")]
pub struct HookEventInfo {
    /// Its name.
    pub name: Str,
    /// When it occurs.
    pub summary: String,
    /// Whether hooks can use a matcher.
    pub supports_matcher: bool,
}

/// An event with hooks.
#[wire_type(rename_all = "camelCase")]
pub struct HookedEvent {
    /// Its name.
    pub name: Str,
    /// When it occurs.
    pub summary: String,
    /// Whether hooks can use a matcher.
    pub supports_matcher: bool,
    /// Number of hooks.
    pub hook_count: u64,
}

/// A configured hook.
#[wire_type(rename_all = "camelCase")]
pub struct ConfiguredHook {
    /// The event.
    pub event: Str,
    /// The part of the event.
    pub matcher: Str,
    /// Where it is configured.
    pub source: Str,
    /// The display name of that source.
    pub source_label: String,
    /// The plugin that it belongs to.
    pub plugin_name: Option<Str>,
    /// `command`, `prompt`, `http`, ….
    #[wire(name = "type")]
    pub kind: Str,
    /// A one-line description.
    pub display_text: String,
    /// What it runs.
    pub command_text: String,
    /// The kind of `command_text`.
    pub content_label: String,
    /// The condition for running it.
    pub condition: Option<String>,
    /// The timeout in seconds.
    pub timeout: Option<f64>,
    /// The message shown while it runs.
    pub status_message: Option<String>,
    /// Whether it runs only once.
    pub runs_once: Option<bool>,
    /// Whether it runs in the background.
    pub runs_in_background: Option<bool>,
    /// Whether it is disabled.
    pub disabled: Option<bool>,
    /// Its configuration, if it can be edited.
    pub editable: Option<EditableHook>,
}

/// A hook's configuration.
#[wire_type(rename_all = "camelCase")]
pub struct EditableHook {
    /// The part of the event.
    pub matcher: Str,
    /// The hook as in the settings file.
    pub config: Json,
    /// Whether HTTP headers were redacted.
    pub headers_redacted: Option<bool>,
}

/// The administrator's policy for hooks.
#[wire_type(rename_all = "camelCase")]
pub struct HookPolicy {
    /// Whether hooks are disabled.
    pub disabled_by_policy: bool,
    /// Whether only the administrator's hooks run.
    pub managed_only: bool,
    /// Whether only hooks of plugins run.
    pub plugin_only: bool,
    /// Whether the user disabled all hooks.
    pub all_disabled: bool,
    /// Number of the administrator's hooks.
    pub policy_hook_count: u64,
    /// Whether the administrator's file is unreadable.
    pub policy_unreadable: Option<bool>,
}

/// Safe mode: the CLI runs without the user's extensions.
#[wire_type(rename_all = "camelCase")]
pub struct SafeMode {
    /// Whether the administrator's hooks still run.
    pub managed_hooks_still_apply: bool,
    /// How to leave it.
    pub exit_hint: String,
}

/// Bare mode.
#[wire_type(rename_all = "camelCase")]
pub struct BareMode {
    /// How to leave it.
    pub exit_hint: String,
}
