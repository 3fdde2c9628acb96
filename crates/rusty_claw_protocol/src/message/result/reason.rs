//! Why a turn ended, and other reasons.

use crate::open_enum::open_enum;

open_enum! {
    /// Why a turn ended.
    pub enum TerminalReason {
        /// It came to its end.
        Completed = "completed",
        /// The API failed.
        ApiError = "api_error",
        /// The model failed.
        ModelError = "model_error",
        /// A picture could not be used.
        ImageError = "image_error",
        /// The prompt does not fit.
        PromptTooLong = "prompt_too_long",
        /// A limit blocks everything.
        BlockingLimit = "blocking_limit",
        /// The context filled up again right after it was summarised.
        RapidRefillBreaker = "rapid_refill_breaker",
        /// The model's tool calls could not be read, again and again.
        MalformedToolUseExhausted = "malformed_tool_use_exhausted",
        /// It was interrupted while the model wrote.
        AbortedStreaming = "aborted_streaming",
        /// It was interrupted while a tool ran.
        AbortedTools = "aborted_tools",
        /// A stop hook would not let it end.
        StopHookPrevented = "stop_hook_prevented",
        /// A hook stopped it.
        HookStopped = "hook_stopped",
        /// A tool call is left to the host.
        ToolDeferred = "tool_deferred",
        /// A tool call was left to a host that cannot run it.
        ToolDeferredUnavailable = "tool_deferred_unavailable",
        /// The limit of model calls was reached.
        MaxTurns = "max_turns",
        /// It goes on in the background.
        BackgroundRequested = "background_requested",
        /// The budget was spent.
        BudgetExhausted = "budget_exhausted",
        /// The model never produced the structured output.
        StructuredOutputRetryExhausted = "structured_output_retry_exhausted",
        /// It could not be prepared.
        TurnSetupFailed = "turn_setup_failed",
    }
}

open_enum! {
    /// Why a session could not start.
    pub enum StartupFailureReason {
        /// The organisation that is required and the API key do not go together.
        OrgPinApiKeyConflict = "org_pin_api_key_conflict",
        /// The settings forbid the provider.
        ProviderNotAllowed = "provider_not_allowed",
        /// The organisation could not be verified.
        OrgVerifyFailed = "org_verify_failed",
        /// It is another organisation than the required one.
        OrgPinMismatch = "org_pin_mismatch",
        /// The managed settings cannot be read.
        ManagedSettingsInvalid = "managed_settings_invalid",
        /// The managed settings did not arrive.
        ManagedSettingsNotDelivered = "managed_settings_not_delivered",
        /// Settings that must be fetched could not be.
        RemoteSettingsRequiredUnavailable = "remote_settings_required_unavailable",
        /// The gateway wants a sign-in.
        GatewaySigninRequired = "gateway_signin_required",
        /// The gateway refuses.
        GatewayAccessDenied = "gateway_access_denied",
        /// The proxy cannot be used.
        ProxyInvalid = "proxy_invalid",
        /// The folder for temporary files cannot be used.
        TempDirUnusable = "temp_dir_unusable",
        /// The working folder is not there.
        CwdUnavailable = "cwd_unavailable",
        /// There is no shell.
        ShellToolMissing = "shell_tool_missing",
        /// A background process has the session.
        SessionHeldByBackground = "session_held_by_background",
        /// The session's worktree may not be used.
        WorktreeResumeRefused = "worktree_resume_refused",
        /// The session's worktree could not be verified.
        WorktreeUnverified = "worktree_unverified",
        /// The CLI is too old for the organisation.
        CliVersionTooOld = "cli_version_too_old",
        /// Permissions cannot be skipped by the superuser.
        BypassRoot = "bypass_root",
        /// The organisation's configuration did not arrive.
        OrgConfigRequiredUnavailable = "org_config_required_unavailable",
        /// The organisation's configuration was refused.
        OrgConfigRefused = "org_config_refused",
        /// A sandbox is required and there is none.
        SandboxRequiredUnavailable = "sandbox_required_unavailable",
        /// `initialize` must be the first request.
        InitializeNotFirst = "initialize_not_first",
        /// A configuration file cannot be read.
        ConfigFileInvalid = "config_file_invalid",
    }
}

open_enum! {
    /// Whether the model runs faster for more money.
    pub enum FastModeState {
        /// It does not.
        Off = "off",
        /// It will again in a while.
        Cooldown = "cooldown",
        /// It does.
        On = "on",
    }
}

open_enum! {
    /// Why the model cannot run faster.
    pub enum FastModeDisabledReason {
        /// The plan is free.
        Free = "free",
        /// The user does not want it.
        Preference = "preference",
        /// Usage beyond the plan is switched off.
        ExtraUsageDisabled = "extra_usage_disabled",
        /// It could not be looked up.
        NetworkError = "network_error",
        /// The CLI itself could not tell.
        Unspecified = "unknown",
        /// Somebody else runs the model.
        NotFirstParty = "not_first_party",
        /// The environment switched it off.
        DisabledByEnv = "disabled_by_env",
        /// This model cannot.
        ModelNotAllowed = "model_not_allowed",
        /// A host must ask for it.
        SdkOptInRequired = "sdk_opt_in_required",
        /// It is being looked up.
        Pending = "pending",
    }
}
