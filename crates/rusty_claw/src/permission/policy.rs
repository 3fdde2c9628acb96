//! Rules in order, then somebody to ask.

use std::fmt;
use std::sync::Arc;

use rusty_claw_protocol::control::DecisionReasonType;

use super::path::Surroundings;
use super::rule::Fit;
use super::shell::Budget;
use super::{PermissionAnswer, PermissionAsk, PermissionHandler, Rule};
use crate::future::BoxFuture;

/// Rules in order, then somebody to ask.
///
/// The first rule that matches a call decides; put what denies first. What no rule decides goes to
/// the handler given with [`Policy::then`], or to another policy ([`Policy::then_handler`]), and is
/// denied when there is none. An allow needs certainty; a deny and an ask take what could be meant.
///
/// Some calls are never allowed by a rule and go on to the handler: tools that are themselves
/// questions to a person (`AskUserQuestion`, `ExitPlanMode`), calls that the CLI's own safety check
/// objects to, and those for which it would offer no first ([`PermissionAsk::default_to_no`]).
///
/// # What it is good for
/// Say what may run, and let the handler decide or deny the rest: that holds, since whatever a rule
/// cannot read is not allowed. A deny is a net, not a wall. It catches what goes wrong by accident
/// and the usual detours, but a shell has more ways to run a program than any list (a script
/// in a file, a build tool, a name put together at run time: see [`Rule::command`]), so
/// `deny(rm)` and then `allow(Bash)` does not keep files safe; a sandbox does.
///
/// A policy sees only what the CLI asks about. Calls that its own rules, its mode or a hook have
/// decided do not come here.
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
    surroundings: Surroundings,
    then: Option<Arc<dyn PermissionHandler>>,
}

/// What a policy says about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It may run.
    Allow,
    /// It may not; the model reads the message.
    Deny(String),
    /// Somebody must decide.
    Ask,
}

impl Policy {
    /// No rules and nobody to ask: everything is denied.
    pub fn new() -> Self {
        Self::default()
    }

    /// Where relative paths and patterns begin, and how far [`Rule::read_only`] reaches: an
    /// absolute path. Without it relative things are not resolved, so rules about them can deny
    /// and ask, and never allow.
    #[must_use]
    pub fn working_in(mut self, folder: impl AsRef<str>) -> Self {
        self.surroundings = self.surroundings.in_folder(folder.as_ref());
        self
    }

    /// What `~` means at the beginning of paths and patterns: an absolute path. Without it rules
    /// about such paths can deny and ask, and never allow.
    #[must_use]
    pub fn home(mut self, folder: impl AsRef<str>) -> Self {
        self.surroundings = self.surroundings.home(folder.as_ref());
        self
    }

    /// Lets calls run that surely match the rule.
    #[must_use]
    pub fn allow(self, rule: Rule) -> Self {
        self.rule(rule, Verdict::Allow)
    }

    /// Denies calls that match the rule, or could.
    #[must_use]
    pub fn deny(self, rule: Rule) -> Self {
        self.deny_because(rule, "This program does not allow this call")
    }

    /// Denies calls that match the rule, or could; the model reads why.
    #[must_use]
    pub fn deny_because(self, rule: Rule, message: impl Into<String>) -> Self {
        self.rule(rule, Verdict::Deny(message.into()))
    }

    /// Leaves calls that match the rule, or could, to the handler, whatever later rules say.
    #[must_use]
    pub fn ask(self, rule: Rule) -> Self {
        self.rule(rule, Verdict::Ask)
    }

    /// Who decides what no rule decides: an async function or closure. Without one it is denied.
    #[must_use]
    pub fn then<F, Fut>(self, decide: F) -> Self
    where
        F: Fn(PermissionAsk) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: Into<PermissionAnswer>,
    {
        self.then_handler(decide)
    }

    /// The same as [`Policy::then`], for another policy or a type of your own. Of the two the
    /// last one counts.
    #[must_use]
    pub fn then_handler(mut self, handler: impl PermissionHandler) -> Self {
        self.then = Some(Arc::new(handler));
        self
    }

    fn rule(mut self, rule: Rule, verdict: Verdict) -> Self {
        self.rules.push((rule, verdict));
        self
    }

    /// What the rules say about a call; [`Verdict::Ask`] when none of them decides.
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
            let fit = rule.fit(ask, &self.surroundings, least, &budget);
            let matched = match (fit, verdict) {
                (Fit::No, _) => false,
                // A rule answers no question in the place of a person, and does not say yes where
                // the CLI itself advises against it.
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

/// Whether the CLI holds a call for dangerous, or would offer no first.
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

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("rules", &self.rules)
            .field("asks", &self.then.is_some())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
