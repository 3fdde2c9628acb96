//! What a handler says.

use std::fmt;

use rusty_claw_protocol::permission::{
    PermissionAllow, PermissionDecisionClassification, PermissionDeny, PermissionResult,
    PermissionUpdate,
};
use rusty_claw_protocol::{Json, Str};

/// The answer to a permission question.
///
/// ```
/// use rusty_claw::permission::{PermissionAnswer, PermissionAsk};
///
/// async fn only_searches(ask: PermissionAsk) -> PermissionAnswer {
///     match ask.tool_name() {
///         // Yes, and the CLI need not ask again.
///         "WebSearch" => PermissionAnswer::allow().and_always(ask.suggested_rules()),
///         name => PermissionAnswer::deny(format!("{name} is not for this project")),
///     }
/// }
/// ```
///
/// There is no default: what is not decided must be denied by somebody.
#[derive(Clone, PartialEq)]
#[must_use = "an answer that is not returned answers nothing"]
pub struct PermissionAnswer(PermissionResult);

impl PermissionAnswer {
    /// Run the tool as the model asked.
    pub fn allow() -> Self {
        Self(PermissionResult::allow())
    }

    /// Run the tool with another input, which must be an object in the shape of that tool. The
    /// conversation keeps the input that the model gave.
    pub fn allow_with(input: Json) -> Self {
        Self(PermissionResult::allow_with(input))
    }

    /// Do not run the tool. The model reads the message and goes on.
    pub fn deny(message: impl Into<String>) -> Self {
        Self(PermissionResult::deny(message))
    }

    /// Do not run the tool, and end the turn. The model does not get to read the message: the CLI
    /// has words of its own for this.
    pub fn deny_and_interrupt(message: impl Into<String>) -> Self {
        let mut deny = PermissionDeny::new(message);
        deny.interrupt = Some(true);
        Self(PermissionResult::Deny(deny))
    }

    /// The same answer, with changes to the permissions. Only an allow can carry them; a deny
    /// stays as it is.
    pub fn with_updates(mut self, updates: impl IntoIterator<Item = PermissionUpdate>) -> Self {
        let mut updates = updates.into_iter().peekable();
        if let PermissionResult::Allow(allow) = &mut self.0
            && updates.peek().is_some()
        {
            allow
                .updated_permissions
                .get_or_insert_default()
                .extend(updates);
        }
        self
    }

    /// Yes, and from now on: an allow with changes to the permissions, most often
    /// [`PermissionAsk::suggested_rules`], reported as a lasting answer. A deny stays as it is.
    ///
    /// [`PermissionAsk::suggested_rules`]: super::PermissionAsk::suggested_rules
    ///
    /// ```
    /// use rusty_claw::permission::{PermissionAnswer, PermissionAsk};
    ///
    /// fn yes_for_good(ask: &PermissionAsk) -> PermissionAnswer {
    ///     PermissionAnswer::allow().and_always(ask.suggested_rules())
    /// }
    /// ```
    pub fn and_always(self, suggestions: impl IntoIterator<Item = PermissionUpdate>) -> Self {
        if self.is_allow() {
            self.with_updates(suggestions)
                .classified(PermissionDecisionClassification::UserPermanent)
        } else {
            self
        }
    }

    /// Says how far the answer was meant to reach. The CLI reports it; nothing depends on it.
    pub fn classified(mut self, classification: PermissionDecisionClassification) -> Self {
        match &mut self.0 {
            PermissionResult::Allow(allow) => allow.decision_classification = Some(classification),
            PermissionResult::Deny(deny) => deny.decision_classification = Some(classification),
            _ => {}
        }
        self
    }

    /// Whether the tool runs.
    pub fn is_allow(&self) -> bool {
        matches!(self.0, PermissionResult::Allow(_))
    }

    /// The answer as it goes to the CLI.
    pub fn result(&self) -> &PermissionResult {
        &self.0
    }

    /// What is sent: only what the CLI understands, and a deny in place of anything else.
    pub(crate) fn into_sendable(self, tool_use_id: &Str) -> PermissionResult {
        let answered = Some(tool_use_id.clone()).filter(|id| !id.is_empty());
        match self.0 {
            PermissionResult::Allow(PermissionAllow {
                updated_input: Some(input),
                ..
            }) if !input.is_object() => Self::deny(
                "the permission handler of this program gave an input that is not an object, so the tool was not run",
            )
            .into_sendable(tool_use_id),
            PermissionResult::Allow(mut allow) => {
                allow.tool_use_id = allow.tool_use_id.or(answered);
                PermissionResult::Allow(allow)
            }
            PermissionResult::Deny(mut deny) => {
                if deny.message.is_empty() {
                    deny.message.push_str("This program denied it");
                }
                deny.tool_use_id = deny.tool_use_id.or(answered);
                PermissionResult::Deny(deny)
            }
            _ => Self::deny(
                "the permission handler of this program answered with neither allow nor deny, so the tool was not run",
            )
            .into_sendable(tool_use_id),
        }
    }
}

impl From<PermissionResult> for PermissionAnswer {
    fn from(result: PermissionResult) -> Self {
        Self(result)
    }
}

impl From<PermissionAnswer> for PermissionResult {
    fn from(answer: PermissionAnswer) -> Self {
        answer.0
    }
}

/// A handler that fails denies, and the model reads why: let the text say nothing that it must
/// not know.
impl<E: fmt::Display> From<Result<PermissionAnswer, E>> for PermissionAnswer {
    fn from(result: Result<PermissionAnswer, E>) -> Self {
        result.unwrap_or_else(|error| {
            Self::deny(format!("nobody could decide about this call: {error}"))
        })
    }
}

// An edited input may hold anything, so what is printed says only what was decided.
impl fmt::Debug for PermissionAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PermissionAnswer")
            .field(&self.0.tag())
            .finish()
    }
}
