//! Plans to approve.

use std::fmt;

use rusty_claw_protocol::permission::{
    PermissionMode, PermissionUpdate, PermissionUpdateDestination,
};
use rusty_claw_protocol::tool::{AllowedPrompt, ExitPlanModeInput};

use super::PermissionAnswer;

/// The model has planned and would like to begin.
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

    /// The plan; `None` when the model wrote none to a file, and its last message is the plan.
    pub fn text(&self) -> Option<&str> {
        self.input.plan.as_deref()
    }

    /// The file that the plan is in.
    pub fn file(&self) -> Option<&str> {
        self.input.plan_file_path.as_deref()
    }

    /// What the model would like to do without further questions.
    pub fn allowed_prompts(&self) -> &[AllowedPrompt] {
        self.input.allowed_prompts.as_deref().unwrap_or_default()
    }

    /// Go ahead, in this mode for the rest of the session; in the default mode when none is given.
    pub fn approve(&self, mode: Option<PermissionMode>) -> PermissionAnswer {
        PermissionAnswer::allow().with_updates(
            mode.map(|mode| PermissionUpdate::set_mode(mode, PermissionUpdateDestination::Session)),
        )
    }

    /// Not yet: the model reads the feedback and goes on planning.
    pub fn reject(&self, feedback: impl Into<String>) -> PermissionAnswer {
        PermissionAnswer::deny(feedback)
    }
}

// The plan is the conversation's.
impl fmt::Debug for PlanAsk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlanAsk")
            .field("bytes", &self.text().map(str::len))
            .finish_non_exhaustive()
    }
}
