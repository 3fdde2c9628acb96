//! Outputs for the events of sessions, prompts, models, servers and files.

use rusty_claw_macros::wire_type;

use crate::hook::{ElicitationAction, HookPermissionDecision};
use crate::json::Json;
use crate::text::Str;

/// The output for `UserPromptSubmit`.
#[wire_type(rename_all = "camelCase")]
pub struct UserPromptSubmitOutput {
    /// Additional context for the model.
    pub additional_context: Option<String>,
    /// A title for the session.
    pub session_title: Option<String>,
    /// Whether to omit a blocked prompt from the message about it.
    pub suppress_original_prompt: Option<bool>,
}

/// The output for `UserPromptExpansion`.
#[wire_type(rename_all = "camelCase")]
pub struct UserPromptExpansionOutput {
    /// Additional context for the model.
    pub additional_context: Option<String>,
    /// Whether to omit a blocked prompt from the message about it.
    pub suppress_original_prompt: Option<bool>,
}

/// The output for `SessionStart`.
#[wire_type(rename_all = "camelCase")]
pub struct SessionStartOutput {
    /// Additional context for the model.
    pub additional_context: Option<String>,
    /// The first prompt.
    pub initial_user_message: Option<String>,
    /// A title for the session.
    pub session_title: Option<String>,
    /// Files whose changes trigger the `FileChanged` hooks.
    pub watch_paths: Option<Vec<Str>>,
    /// Whether to search for skills again, because the hook created some.
    pub reload_skills: Option<bool>,
}

/// The output for `PreModelSwitch`.
#[wire_type(rename_all = "camelCase")]
pub struct PreModelSwitchOutput {
    /// Whether the model may change.
    pub permission_decision: Option<HookPermissionDecision>,
    /// The reason.
    pub permission_decision_reason: Option<String>,
}

/// The output for `Elicitation` and `ElicitationResult`.
#[wire_type]
pub struct ElicitationOutput {
    /// The user action reported to the server.
    pub action: Option<ElicitationAction>,
    /// The answer, in the shape that the server requested.
    pub content: Option<Json>,
}

/// The output for `CwdChanged` and `FileChanged`.
#[wire_type(rename_all = "camelCase")]
pub struct WatchPaths {
    /// Files whose changes trigger the `FileChanged` hooks.
    pub watch_paths: Option<Vec<Str>>,
}
