//! A host's answer to a permission request.

use rusty_claw_macros::wire_type;

use crate::json::Json;
use crate::permission::{PermissionDecisionClassification, PermissionUpdate};
use crate::text::Str;
use crate::unknown::Unknown;

/// The answer to `can_use_tool`. Tagged by `behavior`.
#[wire_type(tag = "behavior")]
pub enum PermissionResult {
    /// Allows the tool call.
    Allow(PermissionAllow),
    /// Denies the tool call.
    Deny(PermissionDeny),
    /// An unrecognized behavior.
    Unknown(Unknown),
}

/// Allows a tool call.
#[wire_type(rename_all = "camelCase")]
pub struct PermissionAllow {
    /// The input to use instead of the model's.
    pub updated_input: Option<Json>,
    /// Permission changes to apply with the answer.
    pub updated_permissions: Option<Vec<PermissionUpdate>>,
    /// The id of the call.
    #[wire(name = "toolUseID")]
    pub tool_use_id: Option<Str>,
    /// The intended scope of the answer.
    pub decision_classification: Option<PermissionDecisionClassification>,
}

/// Denies a tool call.
#[wire_type(rename_all = "camelCase")]
pub struct PermissionDeny {
    /// The reason, for the model.
    pub message: String,
    /// Whether to end the turn.
    pub interrupt: Option<bool>,
    /// The id of the call.
    #[wire(name = "toolUseID")]
    pub tool_use_id: Option<Str>,
    /// The intended scope of the answer.
    pub decision_classification: Option<PermissionDecisionClassification>,
}

impl PermissionResult {
    /// Allows the call unchanged.
    pub fn allow() -> Self {
        Self::Allow(PermissionAllow::default())
    }

    /// Allows the call with another input.
    pub fn allow_with(input: Json) -> Self {
        Self::Allow(PermissionAllow {
            updated_input: Some(input),
            ..PermissionAllow::default()
        })
    }

    /// Denies the call, with a reason for the model.
    pub fn deny(message: impl Into<String>) -> Self {
        Self::Deny(PermissionDeny {
            message: message.into(),
            ..PermissionDeny::default()
        })
    }
}
