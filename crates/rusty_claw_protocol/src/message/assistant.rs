//! What the model said.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::message::ApiMessage;
use crate::open_enum::open_enum;
use crate::text::Str;

/// What the model said: on the wire, one completed content block of a message.
///
/// Several lines share one `message.id`; the final `stop_reason` and usage are on the result.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
pub struct AssistantMessage {
    /// The API's message.
    pub message: ApiMessage,
    /// The tool use that started the subagent this belongs to.
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
