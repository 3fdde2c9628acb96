//! Messages by the model.

mod local_command;

use rusty_claw_macros::wire_type;

use crate::json::Json;
use crate::message::{ApiMessage, RateLimitInfo};
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::usage::{ContextUsage, UsageReport};

pub use local_command::*;

/// A message by the model: on the wire, one completed content block.
///
/// Several lines share a `message.id`; the final `stop_reason` and usage are in the result.
///
/// Leniency: the members from `parent_uuid` on are those of the session file document, which has
/// the tool call next to the message. The CLI prints none of them.
#[wire_type]
pub struct AssistantMessage {
    /// The API's message.
    pub message: ApiMessage,
    /// The tool use that started the subagent this belongs to.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<Str>,
    /// How long the request took; one document has it, the CLI does not send it.
    pub duration_ms: Option<u64>,
    /// The session's id.
    #[wire(alias = "sessionId")]
    pub session_id: Option<Str>,
    /// The line's id, the same as in the session file.
    pub uuid: Option<Str>,
    /// When it was created, ISO 8601.
    pub timestamp: Option<Str>,
    /// The API's request id.
    pub request_id: Option<Str>,
    /// The error, on messages with which the CLI reports one.
    pub error: Option<AssistantError>,
    /// Whether the CLI created this message to report an API failure.
    pub is_api_error_message: Option<bool>,
    /// The HTTP status of that failure.
    pub api_error_status: Option<u64>,
    /// The API's name of that failure, such as `overloaded_error`.
    pub api_error_type: Option<Str>,
    /// The CLI's name of that failure, such as `usage_limit_reached`.
    pub api_error: Option<Str>,
    /// Details about that failure.
    pub api_error_params: Option<Box<ApiErrorParams>>,
    /// The prompt that this answers; on the first line of a turn.
    pub user_message_uuid: Option<Str>,
    /// The prompts that this answers; on the first line of a turn.
    pub user_message_uuids: Option<Vec<Str>>,
    /// Why the turn is rerun.
    pub resume_reason: Option<Str>,
    /// Whether the turn was rerun because its thinking was incomplete.
    pub resumed_from_incomplete_thinking: Option<bool>,
    /// The lines that this one replaces.
    pub supersedes: Option<Vec<Str>>,
    /// Whether an interrupt truncated it; the text may end within a word.
    pub aborted: Option<bool>,
    /// The refused message that this relates to.
    pub refused_message_id: Option<Str>,
    /// The subagent's id.
    pub agent_id: Option<Str>,
    /// The subagent's type.
    pub subagent_type: Option<Str>,
    /// A short description of the subagent's task.
    pub task_description: Option<String>,
    /// Display names of the called tools.
    pub tool_use_meta: Option<Vec<ToolUseMeta>>,
    /// How long the model thought.
    pub thinking_duration_ms: Option<u64>,
    /// How thinking is displayed.
    pub thinking_display: Option<Str>,
    /// The contents of the context window, if this is the output of `/context`.
    pub context_usage: Option<Box<ContextUsage>>,
    /// The usage, if this is the output of `/usage`.
    pub usage_report: Option<Box<UsageReport>>,
    /// The output of a local command, with its markup.
    pub local_command_source: Option<String>,
    /// The local command that ran.
    pub local_command_run: Option<Box<LocalCommandRun>>,
    /// The outcome of the local command, unless it succeeded.
    pub local_command_outcome: Option<LocalCommandOutcome>,
    /// The preceding line.
    #[wire(name = "parentUuid")]
    pub parent_uuid: Option<Str>,
    /// Whether it is by a subagent.
    #[wire(name = "isSidechain")]
    pub is_sidechain: Option<bool>,
    /// The type of user.
    #[wire(name = "userType")]
    pub user_type: Option<Str>,
    /// Whether it was deleted.
    #[wire(name = "isDeleted")]
    pub is_deleted: Option<bool>,
    /// Whether it was truncated.
    #[wire(name = "isAborted")]
    pub is_aborted: Option<bool>,
    /// Whether it is hidden from the user.
    #[wire(name = "isMeta")]
    pub is_meta: Option<bool>,
    /// Whether it reports an error.
    #[wire(name = "isError")]
    pub is_error: Option<bool>,
    /// The kind of answer.
    pub subtype: Option<Str>,
    /// The tool that is called.
    #[wire(name = "toolName")]
    pub tool_name: Option<Str>,
    /// The tool's input.
    #[wire(name = "toolArguments")]
    pub tool_arguments: Option<Json>,
}

/// Details about an API failure.
#[wire_type]
pub struct ApiErrorParams {
    /// The limit that was reached.
    pub rate_limit_info: Option<RateLimitInfo>,
}

/// Display names of a called tool.
#[wire_type]
pub struct ToolUseMeta {
    /// The call's id.
    pub id: Str,
    /// The tool's display name.
    pub display_name: Option<String>,
    /// Its MCP server's display name.
    pub server_display_name: Option<String>,
    /// Its name on its MCP server.
    pub tool_name: Option<Str>,
    /// The URL of its icon.
    pub icon_url: Option<Str>,
    /// The id of its MCP server.
    pub server_id: Option<Str>,
}

open_enum! {
    /// An error between the CLI and the API.
    pub enum AssistantError {
        /// The credentials were rejected.
        AuthenticationFailed = "authentication_failed",
        /// The organisation does not allow this sign-in.
        OauthOrgNotAllowed = "oauth_org_not_allowed",
        /// The account is on hold.
        AccountOnHold = "account_on_hold",
        /// The account must be verified first.
        VerificationRequired = "verification_required",
        /// A billing problem.
        BillingError = "billing_error",
        /// A rate limit was reached.
        RateLimit = "rate_limit",
        /// The API is overloaded.
        Overloaded = "overloaded",
        /// The API rejected the request.
        InvalidRequest = "invalid_request",
        /// The model does not exist.
        ModelNotFound = "model_not_found",
        /// The API failed, or could not be reached.
        ServerError = "server_error",
        /// The output limit was reached.
        MaxOutputTokens = "max_output_tokens",
        /// The cloud provider rejected the credentials.
        CloudCredentialError = "cloud_credential_error",
        /// Reported as `unknown` by the CLI.
        Unspecified = "unknown",
    }
}
