//! Permission policies.

use std::sync::Arc;

use rusty_claw_protocol::control::DecisionReasonType;

use super::fit::Fit;
use super::path_context::PathContext;
use super::shell::Budget;
use super::{PermissionAnswer, PermissionAsk, PermissionHandler, Rule};
use crate::future::BoxFuture;

/// Ordered rules, with a handler for the rest.
///
/// The first rule that matches a call decides; put denies first. Calls that no rule decides go to
/// the handler set with [`Policy::then`], or to another policy ([`Policy::then_handler`]), and are
/// denied if there is none. An allow needs certainty; a deny and an ask also match calls that could
/// be meant.
///
/// Some calls are never allowed by a rule and go to the handler: tools that themselves ask a person
/// (`AskUserQuestion`, `ExitPlanMode`), calls that the CLI's own safety check objects to, and those
/// for which deny is the default answer ([`PermissionAsk::default_to_no`]).
///
/// # What it is good for
/// List what may run, and let the handler decide or deny the rest: this is safe, since a rule does
/// not allow what it cannot parse. A deny is not a security boundary. It matches accidents and the
/// usual indirections, but a shell has more ways to run a program than any list (a script in a
/// file, a build tool, a name built at run time: see [`Rule::command`]), so `deny(rm)` and then
/// `allow(Bash)` does not keep files safe; a sandbox does.
///
/// A policy sees only the requests of the CLI. Calls that the CLI's own rules, its mode or a hook
/// have decided do not reach it.
///
/// ```
/// use rusty_claw::permission::{PermissionAnswer, Policy, Rule};
///
/// let policy = Policy::new()
///     .working_in("/home/me/project")
///     .deny_because(Rule::path("**/.env"), "Secrets stay secret")
///     .deny(Rule::command("git push"))
///     .allow(Rule::tools(["Edit", "Write"]).at("src/**"))
///     .allow(Rule::command("cargo test"))
///     .then(|_ask| async { PermissionAnswer::deny("Ask me tomorrow") });
/// # let _ = policy;
/// ```
#[derive(Clone, Default)]
pub struct Policy {
    rules: Vec<(Rule, Verdict)>,
    path_context: PathContext,
    then: Option<Arc<dyn PermissionHandler>>,
}

/// The decision of a policy about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The call is allowed.
    Allow,
    /// The call is denied; the model reads the message.
    Deny(String),
    /// The handler must decide.
    Ask,
}

impl Policy {
    /// Creates a policy without rules and without a handler: everything is denied.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the working directory, an absolute path: the start of relative paths and patterns, and
    /// the limit of [`Rule::read_only`]. Without it relative paths are not resolved, so rules about
    /// them can deny and ask, but never allow.
    #[must_use]
    pub fn working_in(mut self, folder: impl AsRef<str>) -> Self {
        self.path_context = self.path_context.in_folder(folder.as_ref());
        self
    }

    /// Sets the home directory, an absolute path, for `~` at the start of paths and patterns.
    /// Without it rules about such paths can deny and ask, but never allow.
    #[must_use]
    pub fn home(mut self, folder: impl AsRef<str>) -> Self {
        self.path_context = self.path_context.home(folder.as_ref());
        self
    }

    /// Allows calls that certainly match the rule.
    #[must_use]
    pub fn allow(self, rule: Rule) -> Self {
        self.rule(rule, Verdict::Allow)
    }

    /// Denies calls that match the rule, or could.
    #[must_use]
    pub fn deny(self, rule: Rule) -> Self {
        self.deny_because(rule, "This program does not allow this call")
    }

    /// Denies calls that match the rule, or could; the model reads the message.
    #[must_use]
    pub fn deny_because(self, rule: Rule, message: impl Into<String>) -> Self {
        self.rule(rule, Verdict::Deny(message.into()))
    }

    /// Passes calls that match the rule, or could, to the handler, regardless of later rules.
    #[must_use]
    pub fn ask(self, rule: Rule) -> Self {
        self.rule(rule, Verdict::Ask)
    }

    /// Sets the handler for what no rule decides: an async function or closure. Without one it is
    /// denied.
    #[must_use]
    pub fn then<F, Fut>(self, decide: F) -> Self
    where
        F: Fn(PermissionAsk) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: Into<PermissionAnswer>,
    {
        self.then_handler(decide)
    }

    /// Like [`Policy::then`], for another policy or a type of your own. Only the last handler that
    /// was set is used.
    #[must_use]
    pub fn then_handler(mut self, handler: impl PermissionHandler) -> Self {
        self.then = Some(Arc::new(handler));
        self
    }

    fn rule(mut self, rule: Rule, verdict: Verdict) -> Self {
        self.rules.push((rule, verdict));
        self
    }

    /// Returns the decision of the rules; [`Verdict::Ask`] if none of them decides.
    ///
    /// Reads links on the file system. The work on a shell command is bounded: if a command is
    /// longer than 64 KiB or 4,096 lines, or takes too many steps to parse, no command rule allows
    /// it, and every command rule that denies or asks matches it.
    pub fn verdict(&self, ask: &PermissionAsk) -> Verdict {
        let budget = Budget::default();
        for (rule, verdict) in &self.rules {
            let least = match verdict {
                Verdict::Allow => Fit::Yes,
                Verdict::Deny(_) | Verdict::Ask => Fit::Perhaps,
            };
            let fit = rule.fit(ask, &self.path_context, least, &budget);
            let matched = match (fit, verdict) {
                (Fit::No, _) => false,
                // A rule does not answer for a person, and does not allow what the CLI itself
                // advises against.
                (_, Verdict::Allow) if ask.needs_person() || advised_against(ask) => false,
                (Fit::Perhaps, Verdict::Allow) => false,
                (Fit::Perhaps | Fit::Yes, _) => true,
            };
            if matched {
                return verdict.clone();
            }
        }
        Verdict::Ask
    }
}

/// Whether the CLI considers a call dangerous, or offers deny as the default answer.
fn advised_against(ask: &PermissionAsk) -> bool {
    let reason = ask.decision_reason_type();
    ask.default_to_no() || reason == Some(&DecisionReasonType::SafetyCheck)
}

impl PermissionHandler for Policy {
    fn decide(&self, ask: PermissionAsk) -> BoxFuture<'static, PermissionAnswer> {
        let policy = self.clone();
        Box::pin(async move {
            let (rules, asked) = (policy.clone(), ask.clone());
            // Rules read the file system, so they run on a blocking thread.
            let judged = tokio::task::spawn_blocking(move || rules.verdict(&asked)).await;
            match (judged, policy.then) {
                (Ok(Verdict::Allow), _) => PermissionAnswer::allow(),
                (Ok(Verdict::Deny(message)), _) => PermissionAnswer::deny(message),
                (Ok(Verdict::Ask), Some(handler)) => handler.decide(ask).await,
                (Ok(Verdict::Ask), None) => PermissionAnswer::deny(format!(
                    "No rule of this program allows this call of {}, and no handler is set to ask",
                    ask.tool_name()
                )),
                (Err(_), _) => PermissionAnswer::deny("A rule of this program panicked"),
            }
        })
    }
}

debug_fields!(Policy, |policy| rules: policy.rules, asks: policy.then.is_some());

#[cfg(test)]
mod tests;
