//! Plans to approve.

use rusty_claw_protocol::permission::{
    PermissionMode, PermissionUpdate, PermissionUpdateDestination,
};
use rusty_claw_protocol::tool::{AllowedPrompt, ExitPlanModeInput};

use super::PermissionAnswer;

/// The model has finished a plan and requests to begin.
///
/// ```
/// use rusty_claw::permission::{AskKind, PermissionAnswer, PermissionAsk, PermissionMode};
///
/// async fn approve_short_plans(ask: PermissionAsk) -> PermissionAnswer {
///     let AskKind::Plan(plan) = ask.kind() else {
///         return PermissionAnswer::deny("Plans only");
///     };
///     match plan.text() {
///         Some(text) if text.len() < 4000 => plan.approve(Some(PermissionMode::AcceptEdits)),
///         _ => plan.reject("Make it shorter"),
///     }
/// }
/// ```
#[derive(Clone, PartialEq)]
pub struct PlanAsk {
    input: ExitPlanModeInput,
}

impl PlanAsk {
    pub(crate) fn new(input: ExitPlanModeInput) -> Self {
        Self { input }
    }

    /// The plan; `None` if the model did not write it to a file, and its last message is the plan.
    pub fn text(&self) -> Option<&str> {
        self.input.plan.as_deref()
    }

    /// The file that contains the plan.
    pub fn file(&self) -> Option<&str> {
        self.input.plan_file_path.as_deref()
    }

    /// The actions that the model requests to take without further permission requests.
    pub fn allowed_prompts(&self) -> &[AllowedPrompt] {
        self.input.allowed_prompts.as_deref().unwrap_or_default()
    }

    /// Approves the plan; the session continues in this mode, or in the default mode if `None`.
    pub fn approve(&self, mode: Option<PermissionMode>) -> PermissionAnswer {
        PermissionAnswer::allow().with_updates(
            mode.map(|mode| PermissionUpdate::set_mode(mode, PermissionUpdateDestination::Session)),
        )
    }

    /// Rejects the plan: the model reads the feedback and continues planning.
    pub fn reject(&self, feedback: impl Into<String>) -> PermissionAnswer {
        PermissionAnswer::deny(feedback)
    }
}

// The plan is part of the conversation, so it is not printed.
debug_fields!(PlanAsk, |ask| bytes: ask.text().map(str::len));
