//! Permission answers.

use std::fmt;

use rusty_claw_protocol::permission::{
    PermissionAllow, PermissionDecisionClassification, PermissionDeny, PermissionResult,
    PermissionUpdate,
};
use rusty_claw_protocol::{Json, Str};

/// The answer to a permission request.
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
/// There is no default: an undecided request must be denied explicitly.
#[derive(Clone, PartialEq)]
#[must_use = "an answer that is not returned answers nothing"]
pub struct PermissionAnswer(PermissionResult);

impl PermissionAnswer {
    /// Runs the tool as the model requested.
    pub fn allow() -> Self {
        Self(PermissionResult::allow())
    }

    /// Runs the tool with another input, which must be an object in the shape of that tool. The
    /// conversation keeps the model's input.
    pub fn allow_with(input: Json) -> Self {
        Self(PermissionResult::allow_with(input))
    }

    /// Denies the call. The model reads the message and continues.
    pub fn deny(message: impl Into<String>) -> Self {
        Self(PermissionResult::deny(message))
    }

    /// Denies the call and ends the turn. The model does not read the message: the CLI sends a text
    /// of its own.
    pub fn deny_and_interrupt(message: impl Into<String>) -> Self {
        let mut deny = PermissionDeny::new(message);
        deny.interrupt = Some(true);
        Self(PermissionResult::Deny(deny))
    }

    /// Adds changes to the permissions. Only an allow can carry them; a deny is unchanged.
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

    /// Makes an allow permanent: adds changes to the permissions, usually
    /// [`PermissionAsk::suggested_rules`], and classifies it as permanent. A deny is unchanged.
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

    /// Sets the classification of the answer. The CLI reports it; it has no effect.
    pub fn classified(mut self, classification: PermissionDecisionClassification) -> Self {
        match &mut self.0 {
            PermissionResult::Allow(allow) => allow.decision_classification = Some(classification),
            PermissionResult::Deny(deny) => deny.decision_classification = Some(classification),
            _ => {}
        }
        self
    }

    /// Returns whether the tool may run.
    pub fn is_allow(&self) -> bool {
        matches!(self.0, PermissionResult::Allow(_))
    }

    /// The answer as it is sent to the CLI.
    pub fn result(&self) -> &PermissionResult {
        &self.0
    }

    /// Converts to the wire type. Anything that the CLI would not understand becomes a deny.
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

/// An error denies the call, and the model reads its text: it must not contain secrets.
impl<E: fmt::Display> From<Result<PermissionAnswer, E>> for PermissionAnswer {
    fn from(result: Result<PermissionAnswer, E>) -> Self {
        result.unwrap_or_else(|error| {
            Self::deny(format!("the permission handler returned an error: {error}"))
        })
    }
}

// An edited input may contain secrets, so only the decision is printed.
impl fmt::Debug for PermissionAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PermissionAnswer")
            .field(&self.0.tag())
            .finish()
    }
}
