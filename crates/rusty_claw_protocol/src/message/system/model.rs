//! Model fallbacks and refusals.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;

/// The model refused to answer and another one was used.
#[wire_type]
pub struct ModelRefusalFallbackMessage {
    /// Always a refusal.
    pub trigger: Str,
    /// The direction of the switch between the two models.
    pub direction: RefusalDirection,
    /// The scope of the switch.
    pub scope: Option<RefusalScope>,
    /// The model that refused.
    pub original_model: Str,
    /// The fallback model.
    pub fallback_model: Str,
    /// The API's id of the refused request.
    pub request_id: Option<Str>,
    /// The category of the refusal.
    pub api_refusal_category: Option<Str>,
    /// The API's explanation of the refusal.
    pub api_refusal_explanation: Option<String>,
    /// Whether a refusal of the category cyber was among them.
    pub saw_cyber_refusal: Option<bool>,
    /// The API's verification of the user for security work.
    pub api_refusal_cyber_verification: Option<CyberVerification>,
    /// Printed lines that are retracted.
    pub retracted_message_uuids: Option<Vec<Str>>,
    /// The refused prompt.
    pub refused_user_message_uuid: Option<Str>,
    /// The message to the user.
    pub content: String,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

open_enum! {
    /// The direction of a model switch after a refusal.
    pub enum RefusalDirection {
        /// To the fallback model.
        Retry = "retry",
        /// Back to the original model.
        Revert = "revert",
        /// Staying with the fallback model.
        Sticky = "sticky",
    }
}

open_enum! {
    /// The scope of a model switch after a refusal.
    pub enum RefusalScope {
        /// For the session.
        Session = "session",
        /// For this request.
        Local = "local",
    }
}

/// The API's verification of a user for security work.
#[wire_type]
pub struct CyberVerification {
    /// The kind of verification.
    #[wire(name = "type")]
    pub kind: Str,
    /// The level.
    pub tier: Option<Str>,
    /// The reason.
    pub reason: Option<String>,
}

/// The model refused to answer and no other one was used.
#[wire_type]
pub struct ModelRefusalNoFallbackMessage {
    /// The model that refused.
    pub original_model: Str,
    /// The API's id of the refused request.
    pub request_id: Option<Str>,
    /// The category of the refusal.
    pub api_refusal_category: Option<Str>,
    /// The API's explanation of the refusal.
    pub api_refusal_explanation: Option<String>,
    /// The refused prompt.
    pub refused_user_message_uuid: Option<Str>,
    /// The message to the user.
    pub content: String,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// The model was unavailable and another one is used.
#[wire_type]
pub struct ModelFallbackMessage {
    /// The reason.
    pub trigger: ModelFallbackTrigger,
    /// The requested model.
    pub original_model: Str,
    /// The fallback model.
    pub fallback_model: Str,
    /// The message to the user.
    pub content: String,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

open_enum! {
    /// Why another model is used.
    pub enum ModelFallbackTrigger {
        /// The model does not exist.
        ModelNotFound = "model_not_found",
        /// The account may not use it.
        PermissionDenied = "permission_denied",
        /// It is overloaded.
        Overloaded = "overloaded",
        /// The API failed.
        ServerError = "server_error",
        /// The last resort.
        LastResort = "last_resort",
        /// It is blocked.
        ModelBlocked = "model_blocked",
    }
}
