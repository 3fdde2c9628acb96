//! Members of a result that the documents do not name.

use rusty_claw_macros::wire_type;

use crate::content::ToolInput;
use crate::json::Json;
use crate::message::{
    FastModeDisabledReason, FastModeState, MessageOrigin, ResultTiming, StartupFailureReason,
    StopReason, SubagentStats, TerminalReason,
};
use crate::text::Str;
use crate::usage::ModelUsage;
use crate::wire::Map;

/// The members of a result that the documents do not name.
#[wire_type]
pub struct ResultDetails {
    /// Whether the turn failed, also under the subtype `success`.
    pub is_error: Option<bool>,
    /// Time spent in API calls.
    pub duration_api_ms: Option<u64>,
    /// The line's id.
    pub uuid: Option<Str>,
    /// The index of this result in the process, from 0.
    pub result_index: Option<u64>,
    /// The model's last stop reason.
    pub stop_reason: Option<StopReason>,
    /// Why the turn ended.
    pub terminal_reason: Option<TerminalReason>,
    /// The HTTP status, if the API failed.
    pub api_error_status: Option<u64>,
    /// The API's name of the failure, such as `overloaded_error`.
    pub api_error_type: Option<Str>,
    /// The CLI's name of that failure, such as `usage_limit_reached`.
    pub api_error: Option<Str>,
    /// Tokens and costs by model, of the whole process and what it resumed.
    #[wire(name = "modelUsage")]
    pub model_usage: Option<Map<ModelUsage>>,
    /// The same, since the last result.
    pub model_usage_since_last_result: Option<Map<ModelUsage>>,
    /// The denied tool calls.
    pub permission_denials: Option<Vec<PermissionDenial>>,
    /// Statistics about subagents.
    pub subagent_stats: Option<SubagentStats>,
    /// Number of refusals by the model.
    pub safety_stops: Option<u64>,
    /// Number of queued prompts. Always 0 so far: do not rely on it.
    pub queued_turn_count: Option<u64>,
    /// The prompt that this ends.
    pub user_message_uuid: Option<Str>,
    /// All prompts that this ends.
    pub user_message_uuids: Option<Vec<Str>>,
    /// Why the turn was rerun.
    pub resume_reason: Option<Str>,
    /// The origin of the turn, if not a prompt of the host.
    pub origin: Option<Box<MessageOrigin>>,
    /// The local command that ran instead of a turn.
    pub local_command: Option<Str>,
    /// The model's output in the requested schema: always an object, because it is the input of a
    /// tool call.
    pub structured_output: Option<Map<Json>>,
    /// The tool call at which the turn stopped, for the host to run.
    pub deferred_tool_use: Option<Box<DeferredToolUse>>,
    /// When the credentials expire, ISO 8601.
    pub credential_expires_at: Option<Str>,
    /// The state of fast mode.
    pub fast_mode_state: Option<FastModeState>,
    /// Why fast mode is disabled.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// Why the session could not start.
    pub startup_failure_reason: Option<StartupFailureReason>,
    /// The invalid configuration file.
    pub invalid_config_file: Option<Box<InvalidConfigFile>>,
    /// Uncached input tokens of the first request.
    pub first_request_input_tokens: Option<u64>,
    /// Input tokens that the first request read from the cache.
    pub first_request_cache_read_input_tokens: Option<u64>,
    /// The index of this turn in the process, from 0.
    pub process_turn_index: Option<u64>,
    /// How the turn resulted from a resumed session; `none` if it did not.
    pub turn_start_resume_kind: Option<Str>,
    /// Whether a prestarted process was used.
    pub warm_spare_claimed: Option<bool>,
    /// Timing.
    #[wire(flatten)]
    pub timing: ResultTiming,
}

/// A denied tool call.
#[wire_type]
pub struct PermissionDenial {
    /// The tool's name.
    pub tool_name: Str,
    /// The call's id.
    pub tool_use_id: Str,
    /// Its input, kept as text and parsed on demand.
    pub tool_input: ToolInput,
}

/// A tool call at which the turn stopped, for the host to run.
#[wire_type]
pub struct DeferredToolUse {
    /// The call's id.
    pub id: Str,
    /// The tool's name.
    pub name: Str,
    /// Its input, kept as text and parsed on demand.
    pub input: ToolInput,
}

/// An invalid configuration file.
#[wire_type]
pub struct InvalidConfigFile {
    /// The file.
    pub path: Str,
    /// Whether it is the user's global file.
    pub is_global: bool,
    /// Whether a backup was searched for.
    pub backup_searched: bool,
    /// The backup.
    pub backup_path: Option<Str>,
}
