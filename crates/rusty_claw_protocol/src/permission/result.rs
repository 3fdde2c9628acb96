//! A host's answer to a permission question.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::permission::{PermissionDecisionClassification, PermissionUpdate};
use crate::text::Str;
use crate::unknown::Unknown;

/// The answer to `can_use_tool`. Told apart by `behavior`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "behavior")]
#[non_exhaustive]
pub enum PermissionResult {
    /// Run the tool.
    Allow(PermissionAllow),
    /// Do not run it.
    Deny(PermissionDeny),
    /// A behaviour that is new to this library.
    Unknown(Unknown),
}

/// Run the tool.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct PermissionAllow {
    /// The input to run it with, when not the one that the model gave.
    pub updated_input: Option<Json>,
    /// Changes to the permissions that go with the answer.
    pub updated_permissions: Option<Vec<PermissionUpdate>>,
    /// The call that this answers.
    #[wire(name = "toolUseID")]
    pub tool_use_id: Option<Str>,
    /// How far the answer was meant to reach.
    pub decision_classification: Option<PermissionDecisionClassification>,
    /// What no field holds.
    pub extra: Extra,
}

/// Do not run the tool.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct PermissionDeny {
    /// Why not: the model reads it.
    pub message: String,
    /// Whether the turn ends here, rather than the model going on.
    pub interrupt: Option<bool>,
    /// The call that this answers.
    #[wire(name = "toolUseID")]
    pub tool_use_id: Option<Str>,
    /// How far the answer was meant to reach.
    pub decision_classification: Option<PermissionDecisionClassification>,
    /// What no field holds.
    pub extra: Extra,
}

impl PermissionResult {
    /// Run the tool as the model asked.
    pub fn allow() -> Self {
        Self::Allow(PermissionAllow::default())
    }

    /// Run the tool, with another input.
    pub fn allow_with(input: Json) -> Self {
        Self::Allow(PermissionAllow {
            updated_input: Some(input),
            ..PermissionAllow::default()
        })
    }

    /// Do not run the tool, and tell the model why.
    pub fn deny(message: impl Into<String>) -> Self {
        Self::Deny(PermissionDeny {
            message: message.into(),
            ..PermissionDeny::default()
        })
    }
}
