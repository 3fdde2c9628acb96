//! Another model took over, or none could.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;

/// The model declined to answer and another one was asked.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ModelRefusalFallbackMessage {
    /// Always a refusal.
    pub trigger: Str,
    /// Which way the session goes between the two models.
    pub direction: RefusalDirection,
    /// For how long.
    pub scope: Option<RefusalScope>,
    /// The model that declined.
    pub original_model: Str,
    /// The model that was asked then.
    pub fallback_model: Str,
    /// The API's id of the declined request.
    pub request_id: Option<Str>,
    /// What the API says the refusal is about.
    pub api_refusal_category: Option<Str>,
    /// Why the API says it declined.
    pub api_refusal_explanation: Option<String>,
    /// Whether a refusal about computer security was among them.
    pub saw_cyber_refusal: Option<bool>,
    /// What the API says about the user's standing for such work.
    pub api_refusal_cyber_verification: Option<CyberVerification>,
    /// Lines that were printed and do not count any more.
    pub retracted_message_uuids: Option<Vec<Str>>,
    /// The prompt that was declined.
    pub refused_user_message_uuid: Option<Str>,
    /// What to tell the user.
    pub content: String,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Which way the session goes after a refusal.
    pub enum RefusalDirection {
        /// To the other model.
        Retry = "retry",
        /// Back to the first model.
        Revert = "revert",
        /// It stays with the other model.
        Sticky = "sticky",
    }
}

open_enum! {
    /// For how long a refusal changes the model.
    pub enum RefusalScope {
        /// For the session.
        Session = "session",
        /// For this one request.
        Local = "local",
    }
}

/// What the API says about the user's standing for work on computer security.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct CyberVerification {
    /// What kind of statement.
    #[wire(name = "type")]
    pub kind: Str,
    /// The level.
    pub tier: Option<Str>,
    /// Why.
    pub reason: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// The model declined to answer and no other one was asked.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ModelRefusalNoFallbackMessage {
    /// The model that declined.
    pub original_model: Str,
    /// The API's id of the declined request.
    pub request_id: Option<Str>,
    /// What the API says the refusal is about.
    pub api_refusal_category: Option<Str>,
    /// Why the API says it declined.
    pub api_refusal_explanation: Option<String>,
    /// The prompt that was declined.
    pub refused_user_message_uuid: Option<Str>,
    /// What to tell the user.
    pub content: String,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// The model could not be used and another one took over.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ModelFallbackMessage {
    /// Why.
    pub trigger: ModelFallbackTrigger,
    /// The model that was wanted.
    pub original_model: Str,
    /// The model that took over.
    pub fallback_model: Str,
    /// What to tell the user.
    pub content: String,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Why another model took over.
    pub enum ModelFallbackTrigger {
        /// There is no such model.
        ModelNotFound = "model_not_found",
        /// The account may not use it.
        PermissionDenied = "permission_denied",
        /// It is overloaded.
        Overloaded = "overloaded",
        /// The API failed.
        ServerError = "server_error",
        /// Nothing else was left.
        LastResort = "last_resort",
        /// It is not allowed here.
        ModelBlocked = "model_blocked",
    }
}
