//! What a result says beside the members that the documents name.

use rusty_claw_macros::Wire;

use crate::content::ToolInput;
use crate::extra::Extra;
use crate::json::Json;
use crate::message::{
    FastModeDisabledReason, FastModeState, MessageOrigin, ResultTiming, StartupFailureReason,
    StopReason, SubagentStats, TerminalReason,
};
use crate::text::Str;
use crate::usage::ModelUsage;
use crate::wire::Map;

/// What a result says beside the members that the documents name.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ResultDetails {
    /// Whether the turn failed, also under the subtype `success`.
    pub is_error: Option<bool>,
    /// Time spent waiting for the API.
    pub duration_api_ms: Option<u64>,
    /// The line's id.
    pub uuid: Option<Str>,
    /// The number of this result in the process, from 0.
    pub result_index: Option<u64>,
    /// Why the model stopped last.
    pub stop_reason: Option<StopReason>,
    /// Why the turn ended.
    pub terminal_reason: Option<TerminalReason>,
    /// The HTTP status, when the API failed.
    pub api_error_status: Option<u64>,
    /// What the API calls its failure, such as `overloaded_error`.
    pub api_error_type: Option<Str>,
    /// What the CLI calls that failure, such as `usage_limit_reached`.
    pub api_error: Option<Str>,
    /// Tokens and money by model, of the whole process and of what it resumed.
    #[wire(name = "modelUsage")]
    pub model_usage: Option<Map<ModelUsage>>,
    /// The same, since the last result.
    pub model_usage_since_last_result: Option<Map<ModelUsage>>,
    /// The tool calls that were refused.
    pub permission_denials: Option<Vec<PermissionDenial>>,
    /// What the subagents did.
    pub subagent_stats: Option<SubagentStats>,
    /// How often the model declined to answer.
    pub safety_stops: Option<u64>,
    /// Prompts that wait. Always 0 so far: do not rely on it.
    pub queued_turn_count: Option<u64>,
    /// The prompt that this ends.
    pub user_message_uuid: Option<Str>,
    /// All prompts that this ends.
    pub user_message_uuids: Option<Vec<Str>>,
    /// Why the turn was run again.
    pub resume_reason: Option<Str>,
    /// Who began the turn, when it was no prompt of the host.
    pub origin: Option<Box<MessageOrigin>>,
    /// The local command that ran instead of a turn.
    pub local_command: Option<Str>,
    /// What the model made in the shape that the host asked for: always an object, because it is
    /// the input of a tool call.
    pub structured_output: Option<Map<Json>>,
    /// The tool call that the turn stopped at, for the host to run.
    pub deferred_tool_use: Option<Box<DeferredToolUse>>,
    /// When the credentials end, ISO 8601.
    pub credential_expires_at: Option<Str>,
    /// Whether the model runs faster for more money.
    pub fast_mode_state: Option<FastModeState>,
    /// Why it does not.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// Why the session could not start.
    pub startup_failure_reason: Option<StartupFailureReason>,
    /// The configuration file that could not be read.
    pub invalid_config_file: Option<Box<InvalidConfigFile>>,
    /// Tokens that the first request read and that were in no cache.
    pub first_request_input_tokens: Option<u64>,
    /// Tokens that the first request read from the cache.
    pub first_request_cache_read_input_tokens: Option<u64>,
    /// The number of this turn in the process, from 0.
    pub process_turn_index: Option<u64>,
    /// How the turn came out of a resumed session, `none` when it did not.
    pub turn_start_resume_kind: Option<Str>,
    /// Whether a process that was started ahead was used.
    pub warm_spare_claimed: Option<bool>,
    /// Where the time went.
    #[wire(flatten)]
    pub timing: ResultTiming,
    /// What no field holds.
    pub extra: Extra,
}

/// A tool call that was refused.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PermissionDenial {
    /// The tool.
    pub tool_name: Str,
    /// The call.
    pub tool_use_id: Str,
    /// Its input, kept as text and parsed on demand.
    pub tool_input: ToolInput,
    /// What no field holds.
    pub extra: Extra,
}

/// A tool call that the turn stopped at, for the host to run.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct DeferredToolUse {
    /// The call.
    pub id: Str,
    /// The tool.
    pub name: Str,
    /// Its input, kept as text and parsed on demand.
    pub input: ToolInput,
    /// What no field holds.
    pub extra: Extra,
}

/// A configuration file that could not be read.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct InvalidConfigFile {
    /// The file.
    pub path: Str,
    /// Whether it is the user's own, not the project's.
    pub is_global: bool,
    /// Whether a copy was looked for.
    pub backup_searched: bool,
    /// The copy.
    pub backup_path: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}
