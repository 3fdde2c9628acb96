//! What the model said.

mod local_command;

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::message::{ApiMessage, RateLimitInfo};
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::usage::{ContextUsage, UsageReport};

pub use local_command::*;

/// What the model said: on the wire, one completed content block of a message.
///
/// Several lines share one `message.id`; the final `stop_reason` and usage are on the result.
///
/// Leniency: the members from `parent_uuid` on are those of the session file document, which has
/// the tool call beside the message. The CLI prints none of them.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct AssistantMessage {
    /// The API's message.
    pub message: ApiMessage,
    /// The tool use that started the subagent this belongs to.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<Str>,
    /// How long the request took; one document has it, the CLI does not send it.
    pub duration_ms: Option<u64>,
    /// The session.
    #[wire(alias = "sessionId")]
    pub session_id: Option<Str>,
    /// The line's id, the same as in the session file.
    pub uuid: Option<Str>,
    /// When it was made, ISO 8601.
    pub timestamp: Option<Str>,
    /// The API's request id.
    pub request_id: Option<Str>,
    /// What went wrong, on messages that the CLI made to report it.
    pub error: Option<AssistantError>,
    /// Whether the CLI made this message to report a failure of the API.
    pub is_api_error_message: Option<bool>,
    /// The HTTP status of that failure.
    pub api_error_status: Option<u64>,
    /// What the API calls that failure, such as `overloaded_error`.
    pub api_error_type: Option<Str>,
    /// What the CLI calls that failure, such as `usage_limit_reached`.
    pub api_error: Option<Str>,
    /// More about that failure.
    pub api_error_params: Option<Box<ApiErrorParams>>,
    /// The prompt that this answers, on the first line of a turn.
    pub user_message_uuid: Option<Str>,
    /// The prompts that this answers, on the first line of a turn.
    pub user_message_uuids: Option<Vec<Str>>,
    /// Why the turn is run again.
    pub resume_reason: Option<Str>,
    /// The turn was run again because its reasoning had been cut off.
    pub resumed_from_incomplete_thinking: Option<bool>,
    /// The lines that this one replaces.
    pub supersedes: Option<Vec<Str>>,
    /// An interrupt cut this off; the text may end in mid-word.
    pub aborted: Option<bool>,
    /// The refused message that this one is about.
    pub refused_message_id: Option<Str>,
    /// The subagent that said this.
    pub agent_id: Option<Str>,
    /// The subagent's type.
    pub subagent_type: Option<Str>,
    /// What the subagent was asked to do, in short.
    pub task_description: Option<String>,
    /// How people know the tools that are called here.
    pub tool_use_meta: Option<Vec<ToolUseMeta>>,
    /// How long the model thought.
    pub thinking_duration_ms: Option<u64>,
    /// How thinking is shown.
    pub thinking_display: Option<Str>,
    /// What fills the context, when this is the output of `/context`.
    pub context_usage: Option<Box<ContextUsage>>,
    /// What was used, when this is the output of `/usage`.
    pub usage_report: Option<Box<UsageReport>>,
    /// The output of a local command, with its marks.
    pub local_command_source: Option<String>,
    /// The local command that ran.
    pub local_command_run: Option<Box<LocalCommandRun>>,
    /// How the local command ended, when not well.
    pub local_command_outcome: Option<LocalCommandOutcome>,
    /// The line before this one.
    #[wire(name = "parentUuid")]
    pub parent_uuid: Option<Str>,
    /// Whether a subagent said this.
    #[wire(name = "isSidechain")]
    pub is_sidechain: Option<bool>,
    /// Who the user is.
    #[wire(name = "userType")]
    pub user_type: Option<Str>,
    /// Whether it was deleted.
    #[wire(name = "isDeleted")]
    pub is_deleted: Option<bool>,
    /// Whether it was cut off.
    #[wire(name = "isAborted")]
    pub is_aborted: Option<bool>,
    /// Whether people need not see it.
    #[wire(name = "isMeta")]
    pub is_meta: Option<bool>,
    /// Whether it reports an error.
    #[wire(name = "isError")]
    pub is_error: Option<bool>,
    /// What kind of answer it is.
    pub subtype: Option<Str>,
    /// The tool that is called.
    #[wire(name = "toolName")]
    pub tool_name: Option<Str>,
    /// The tool's input.
    #[wire(name = "toolArguments")]
    pub tool_arguments: Option<Json>,
    /// What no field holds.
    pub extra: Extra,
}

/// More about a failure of the API.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ApiErrorParams {
    /// The limit that was hit.
    pub rate_limit_info: Option<RateLimitInfo>,
    /// What no field holds.
    pub extra: Extra,
}

/// How people know a tool that is called.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ToolUseMeta {
    /// The call.
    pub id: Str,
    /// The tool's name for people.
    pub display_name: Option<String>,
    /// Its MCP server's name for people.
    pub server_display_name: Option<String>,
    /// Its name on its MCP server.
    pub tool_name: Option<Str>,
    /// Its picture.
    pub icon_url: Option<Str>,
    /// Its MCP server.
    pub server_id: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What went wrong between the CLI and the API.
    pub enum AssistantError {
        /// The credentials were refused.
        AuthenticationFailed = "authentication_failed",
        /// The organisation does not allow this sign-in.
        OauthOrgNotAllowed = "oauth_org_not_allowed",
        /// The account is on hold.
        AccountOnHold = "account_on_hold",
        /// The account must be verified first.
        VerificationRequired = "verification_required",
        /// Payment is the problem.
        BillingError = "billing_error",
        /// A limit was hit.
        RateLimit = "rate_limit",
        /// The API is overloaded.
        Overloaded = "overloaded",
        /// The API refused the request.
        InvalidRequest = "invalid_request",
        /// There is no such model.
        ModelNotFound = "model_not_found",
        /// The API failed, or could not be reached.
        ServerError = "server_error",
        /// The output limit was reached.
        MaxOutputTokens = "max_output_tokens",
        /// The cloud provider refused the credentials.
        CloudCredentialError = "cloud_credential_error",
        /// The CLI itself could not tell.
        Unspecified = "unknown",
    }
}
