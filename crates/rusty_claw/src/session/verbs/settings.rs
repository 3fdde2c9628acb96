//! Mode, model, title and settings of the session.

use rusty_claw_protocol::control::*;
use rusty_claw_protocol::permission::PermissionMode;
use rusty_claw_protocol::{Json, Str};

use super::verbs;

verbs! {
    /// Sets the permission mode, from the next tool call on.
    set_permission_mode(mode: PermissionMode) -> SetPermissionModeResponse = SetPermissionMode::new(mode);

    /// Sets the model, from the next turn on; `None` for the default. The CLI first tries the model
    /// with a request of its own, and refuses one that does not answer.
    set_model(model: Option<&str>) -> SetModelResponse = {
        let mut request = SetModel::new();
        request.model = model.map(Str::from);
        request
    };

    /// Sets how much the model may think.
    set_max_thinking_tokens(request: SetMaxThinkingTokens) -> Acknowledged = request;

    /// Sets the title of the session.
    rename_session(title: impl Into<String>) -> Acknowledged = RenameSession::new(title);

    /// Sets the colour of the session. CLI 2.1.325 refuses this without a terminal.
    set_color(color: &str) -> Acknowledged = SetColor::new(color);

    /// Changes settings for this process only: all of them, or none if one is wrong.
    apply_flag_settings(settings: Json) -> Acknowledged = ApplyFlagSettings::new(settings);

    /// Changes a settings file.
    update_settings(source: SettingsSource, settings: Json) -> Acknowledged = UpdateSettings::new(source, settings);

    /// Returns the effective settings, and the source of each.
    get_settings() -> GetSettingsResponse = GetSettings::default();

    /// Returns the effective permission rules.
    list_permission_rules() -> ListPermissionRulesResponse = ListPermissionRules::default();

    /// Returns the hooks that are configured in files, without the program's own.
    get_hooks_listing() -> GetHooksListingResponse = GetHooksListing::default();

    /// Returns the available models.
    list_models() -> ListModelsResponse = ListModels::default();

    /// Returns the CLI's version.
    get_binary_version() -> GetBinaryVersionResponse = GetBinaryVersion::default();

    /// Returns the cost of the session, and how much of the plan is left.
    get_usage() -> GetUsageResponse = GetUsage::default();

    /// Returns the cost of the session, as text of the CLI.
    get_session_cost() -> GetSessionCostResponse = GetSessionCost::default();

    /// Returns what fills the context window. `ContextDetail::Full` counts exactly, with many
    /// requests to the API.
    get_context_usage(detail: Option<ContextDetail>) -> GetContextUsageResponse = {
        let mut request = GetContextUsage::new();
        request.detail = detail;
        request
    };

    /// Reloads plugins.
    reload_plugins() -> ReloadPluginsResponse = ReloadPlugins::default();

    /// Reloads skills.
    reload_skills() -> ReloadSkillsResponse = ReloadSkills::default();

    /// Reloads output styles.
    reload_output_styles() -> ReloadOutputStylesResponse = ReloadOutputStyles::default();

    /// Sets whether there are subscribers; without any, the CLI does less work.
    set_has_subscribers(has_subscribers: bool) -> Acknowledged = {
        let mut request = SetHasSubscribers::new();
        request.has_subscribers = Some(has_subscribers);
        request
    };
}
