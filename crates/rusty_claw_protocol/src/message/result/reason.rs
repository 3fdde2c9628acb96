//! Why a turn ended, and other reasons.

use crate::open_enum::open_enum;

open_enum! {
    /// Why a turn ended.
    pub enum TerminalReason {
        /// It completed.
        Completed = "completed",
        /// The API failed.
        ApiError = "api_error",
        /// The model failed.
        ModelError = "model_error",
        /// An image could not be processed.
        ImageError = "image_error",
        /// The prompt is too long.
        PromptTooLong = "prompt_too_long",
        /// A blocking limit was reached.
        BlockingLimit = "blocking_limit",
        /// The context filled up again right after compaction.
        RapidRefillBreaker = "rapid_refill_breaker",
        /// The model repeatedly made malformed tool calls.
        MalformedToolUseExhausted = "malformed_tool_use_exhausted",
        /// It was interrupted during model output.
        AbortedStreaming = "aborted_streaming",
        /// It was interrupted during a tool call.
        AbortedTools = "aborted_tools",
        /// Prevented by a stop hook.
        StopHookPrevented = "stop_hook_prevented",
        /// A hook stopped it.
        HookStopped = "hook_stopped",
        /// A tool call is deferred to the host.
        ToolDeferred = "tool_deferred",
        /// A tool call was deferred to a host that cannot run it.
        ToolDeferredUnavailable = "tool_deferred_unavailable",
        /// The limit of model calls was reached.
        MaxTurns = "max_turns",
        /// It continues in the background.
        BackgroundRequested = "background_requested",
        /// The budget was exhausted.
        BudgetExhausted = "budget_exhausted",
        /// The model never produced the structured output.
        StructuredOutputRetryExhausted = "structured_output_retry_exhausted",
        /// Its setup failed.
        TurnSetupFailed = "turn_setup_failed",
    }
}

open_enum! {
    /// Why a session could not start.
    pub enum StartupFailureReason {
        /// The required organisation conflicts with the API key.
        OrgPinApiKeyConflict = "org_pin_api_key_conflict",
        /// The settings do not allow the provider.
        ProviderNotAllowed = "provider_not_allowed",
        /// The organisation could not be verified.
        OrgVerifyFailed = "org_verify_failed",
        /// The organisation is not the required one.
        OrgPinMismatch = "org_pin_mismatch",
        /// The managed settings are invalid.
        ManagedSettingsInvalid = "managed_settings_invalid",
        /// The managed settings were not delivered.
        ManagedSettingsNotDelivered = "managed_settings_not_delivered",
        /// Required remote settings are unavailable.
        RemoteSettingsRequiredUnavailable = "remote_settings_required_unavailable",
        /// The gateway requires a sign-in.
        GatewaySigninRequired = "gateway_signin_required",
        /// The gateway denied access.
        GatewayAccessDenied = "gateway_access_denied",
        /// The proxy is invalid.
        ProxyInvalid = "proxy_invalid",
        /// The temporary directory is unusable.
        TempDirUnusable = "temp_dir_unusable",
        /// The working directory does not exist.
        CwdUnavailable = "cwd_unavailable",
        /// There is no shell.
        ShellToolMissing = "shell_tool_missing",
        /// A background process holds the session.
        SessionHeldByBackground = "session_held_by_background",
        /// Resuming in the session's worktree was refused.
        WorktreeResumeRefused = "worktree_resume_refused",
        /// The session's worktree could not be verified.
        WorktreeUnverified = "worktree_unverified",
        /// The CLI is too old for the organisation.
        CliVersionTooOld = "cli_version_too_old",
        /// Permissions cannot be bypassed as root.
        BypassRoot = "bypass_root",
        /// The organisation's configuration is unavailable.
        OrgConfigRequiredUnavailable = "org_config_required_unavailable",
        /// The organisation's configuration was refused.
        OrgConfigRefused = "org_config_refused",
        /// A sandbox is required but unavailable.
        SandboxRequiredUnavailable = "sandbox_required_unavailable",
        /// `initialize` was not the first request.
        InitializeNotFirst = "initialize_not_first",
        /// A configuration file is invalid.
        ConfigFileInvalid = "config_file_invalid",
    }
}

open_enum! {
    /// The state of fast mode.
    pub enum FastModeState {
        /// Off.
        Off = "off",
        /// Temporarily off.
        Cooldown = "cooldown",
        /// On.
        On = "on",
    }
}

open_enum! {
    /// Why fast mode is disabled.
    pub enum FastModeDisabledReason {
        /// The plan is free.
        Free = "free",
        /// The user disabled it.
        Preference = "preference",
        /// Extra usage is disabled.
        ExtraUsageDisabled = "extra_usage_disabled",
        /// Its availability could not be fetched.
        NetworkError = "network_error",
        /// Reported as `unknown` by the CLI.
        Unspecified = "unknown",
        /// The provider is not the vendor.
        NotFirstParty = "not_first_party",
        /// An environment variable disabled it.
        DisabledByEnv = "disabled_by_env",
        /// The model does not support it.
        ModelNotAllowed = "model_not_allowed",
        /// The host must opt in.
        SdkOptInRequired = "sdk_opt_in_required",
        /// Its availability is being fetched.
        Pending = "pending",
    }
}
