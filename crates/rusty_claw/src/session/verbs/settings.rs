//! How the session is: mode, model, title, settings.

use rusty_claw_protocol::control::*;
use rusty_claw_protocol::permission::PermissionMode;
use rusty_claw_protocol::{Json, Str};

use super::verbs;

verbs! {
    /// Changes how tool calls are decided, from the next one on.
    set_permission_mode(mode: PermissionMode) -> SetPermissionModeResponse = SetPermissionMode::new(mode);

    /// Changes the model, from the next turn on; back to the default one with `None`. The CLI
    /// first tries the model with a request of its own, and refuses one that does not answer.
    set_model(model: Option<&str>) -> SetModelResponse = {
        let mut request = SetModel::new();
        request.model = model.map(Str::from);
        request
    };

    /// Changes how much the model may think.
    set_max_thinking_tokens(request: SetMaxThinkingTokens) -> Acknowledged = request;

    /// Gives the session a title.
    rename_session(title: impl Into<String>) -> Acknowledged = RenameSession::new(title);

    /// Gives the session a colour. CLI 2.1.325 refuses this when it runs without a terminal.
    set_color(color: &str) -> Acknowledged = SetColor::new(color);

    /// Changes settings for this process alone: all of them, or none when one is wrong.
    apply_flag_settings(settings: Json) -> Acknowledged = ApplyFlagSettings::new(settings);

    /// Changes a settings file.
    update_settings(source: SettingsSource, settings: Json) -> Acknowledged = UpdateSettings::new(source, settings);

    /// The settings that hold, and where each comes from.
    get_settings() -> GetSettingsResponse = GetSettings::default();

    /// The permission rules that hold.
    list_permission_rules() -> ListPermissionRulesResponse = ListPermissionRules::default();

    /// The hooks that are configured in files; the program's own are not among them.
    get_hooks_listing() -> GetHooksListingResponse = GetHooksListing::default();

    /// The models that can be chosen.
    list_models() -> ListModelsResponse = ListModels::default();

    /// The CLI's version.
    get_binary_version() -> GetBinaryVersionResponse = GetBinaryVersion::default();

    /// What the session has cost, and how much of the plan is left.
    get_usage() -> GetUsageResponse = GetUsage::default();

    /// What the session has cost, as the CLI puts it in words.
    get_session_cost() -> GetSessionCostResponse = GetSessionCost::default();

    /// What fills the context window. `ContextDetail::Full` counts exactly, and asks the API for
    /// it many times.
    get_context_usage(detail: Option<ContextDetail>) -> GetContextUsageResponse = {
        let mut request = GetContextUsage::new();
        request.detail = detail;
        request
    };

    /// Reads plugins again.
    reload_plugins() -> ReloadPluginsResponse = ReloadPlugins::default();

    /// Reads skills again.
    reload_skills() -> ReloadSkillsResponse = ReloadSkills::default();

    /// Reads output styles again.
    reload_output_styles() -> ReloadOutputStylesResponse = ReloadOutputStyles::default();

    /// Says whether anybody watches; the CLI saves work when nobody does.
    set_has_subscribers(has_subscribers: bool) -> Acknowledged = {
        let mut request = SetHasSubscribers::new();
        request.has_subscribers = Some(has_subscribers);
        request
    };
}
