//! What the events of sessions, prompts, models, servers and files can be answered with.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::hook::{ElicitationAction, HookPermissionDecision};
use crate::json::Json;
use crate::text::Str;

/// The answer to `UserPromptSubmit`.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct UserPromptSubmitOutput {
    /// Something for the model to know.
    pub additional_context: Option<String>,
    /// A title for the session.
    pub session_title: Option<String>,
    /// Whether a blocked prompt is kept out of the message about it.
    pub suppress_original_prompt: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// The answer to `UserPromptExpansion`.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct UserPromptExpansionOutput {
    /// Something for the model to know.
    pub additional_context: Option<String>,
    /// Whether a blocked prompt is kept out of the message about it.
    pub suppress_original_prompt: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// The answer to `SessionStart`.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct SessionStartOutput {
    /// Something for the model to know.
    pub additional_context: Option<String>,
    /// A prompt to begin with.
    pub initial_user_message: Option<String>,
    /// A title for the session.
    pub session_title: Option<String>,
    /// Files whose changes should call the `FileChanged` hooks.
    pub watch_paths: Option<Vec<Str>>,
    /// Whether skills are looked for again, because the hook made some.
    pub reload_skills: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// The answer to `PreModelSwitch`.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct PreModelSwitchOutput {
    /// Whether the model changes.
    pub permission_decision: Option<HookPermissionDecision>,
    /// Why.
    pub permission_decision_reason: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// The answer to `Elicitation` and `ElicitationResult`.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ElicitationOutput {
    /// What the server is told that the user did.
    pub action: Option<ElicitationAction>,
    /// The answer, in the shape that the server asked for.
    pub content: Option<Json>,
    /// What no field holds.
    pub extra: Extra,
}

/// The answer to `CwdChanged` and `FileChanged`.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct WatchPaths {
    /// Files whose changes should call the `FileChanged` hooks.
    pub watch_paths: Option<Vec<Str>>,
    /// What no field holds.
    pub extra: Extra,
}
