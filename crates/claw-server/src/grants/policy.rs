//! Policies that answer in a person's place.

use rusty_claw::permission::{PermissionAsk, Policy, Verdict as PolicyVerdict};

use super::{Asked, Grant};

/// What a policy says of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyDecision {
    /// It may run.
    Allow,
    /// It may not run.
    Deny {
        /// Why, for the agent to read.
        reason: String,
    },
    /// A person decides.
    AskUser,
}

/// Decides before anybody is asked.
pub trait PermissionPolicy: Send + Sync {
    /// Decides on one request. It is called beside the session's loop, on a thread where it may
    /// look at files, and may take its time: as long as
    /// [`ControllerBuilder::policy_timeout`](crate::ControllerBuilder::policy_timeout) says, after
    /// which the request is denied. A panic denies too.
    fn decide(&self, asked: &Asked<'_>) -> PolicyDecision;

    /// Whether there is anybody to ask; without one a request that needs a person is denied.
    fn supports_interaction(&self) -> bool {
        true
    }
}

/// Asks a person, unless a grant covers the request. What a tenant starts from.
#[derive(Debug, Clone, Default)]
pub struct AskUnlessGranted {
    grants: Vec<Grant>,
}

impl AskUnlessGranted {
    /// A policy without grants: every request is asked.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a grant.
    pub fn grant(&mut self, grant: Grant) {
        self.grants.push(grant);
    }

    /// Takes back the grants for which this holds, and says how many there were.
    pub fn revoke(&mut self, is_meant: impl Fn(&Grant) -> bool) -> usize {
        let before = self.grants.len();
        self.grants.retain(|grant| !is_meant(grant));
        before - self.grants.len()
    }

    /// The grants that there are.
    pub fn grants(&self) -> &[Grant] {
        &self.grants
    }
}

impl PermissionPolicy for AskUnlessGranted {
    fn decide(&self, asked: &Asked<'_>) -> PolicyDecision {
        if self.grants.iter().any(|grant| grant.covers(asked)) {
            PolicyDecision::Allow
        } else {
            PolicyDecision::AskUser
        }
    }
}

/// The SDK's rules decide; what they leave open, a person does. Its own handler is not asked.
///
/// A session may work in another folder than the rules name, and relative paths mean something
/// else there. So its requests are judged from both, and the stricter verdict counts.
///
/// ```
/// use claw_server::Controller;
/// use rusty_claw::permission::{Policy, Rule};
///
/// let rules = Policy::new()
///     .working_in("/srv/app")
///     .deny_because(Rule::path("**/.env"), "Secrets stay secret")
///     .allow(Rule::command("cargo test"));
/// let controller = Controller::builder().tenant_policy("ada", rules).build();
/// # let _ = controller;
/// ```
impl PermissionPolicy for Policy {
    fn decide(&self, asked: &Asked<'_>) -> PolicyDecision {
        let request = asked.prompt.and_then(|prompt| prompt.request.view());
        let Some(request) = request else {
            return PolicyDecision::AskUser;
        };
        let ask = PermissionAsk::new(request);
        let mut verdict = self.verdict(&ask);
        if let (Some(folder), false) = (asked.folder, matches!(verdict, PolicyVerdict::Deny(_))) {
            let folder = folder.to_str().unwrap_or_default();
            let there = self.clone().working_in(folder).verdict(&ask);
            if there != PolicyVerdict::Allow {
                verdict = there;
            }
        }
        match verdict {
            PolicyVerdict::Allow => PolicyDecision::Allow,
            PolicyVerdict::Deny(reason) => PolicyDecision::Deny { reason },
            _ => PolicyDecision::AskUser,
        }
    }
}

/// Denies everything: for sessions that nobody looks at.
#[derive(Debug, Clone, Copy, Default)]
pub struct DenyAll;

impl PermissionPolicy for DenyAll {
    fn decide(&self, _asked: &Asked<'_>) -> PolicyDecision {
        PolicyDecision::Deny {
            reason: "this session allows no tool that needs leave".to_owned(),
        }
    }

    fn supports_interaction(&self) -> bool {
        false
    }
}
