//! Policies that decide instead of a person.

use rusty_claw::permission::{PermissionAsk, Policy, Verdict as PolicyVerdict};

use super::{Grant, PolicyRequest};

/// The decision of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyDecision {
    /// The tool may run.
    Allow,
    /// The tool may not run.
    Deny {
        /// The reason, passed to the agent.
        reason: String,
    },
    /// A person decides.
    AskUser,
}

/// Decides on a request before a person is asked.
pub trait PermissionPolicy: Send + Sync {
    /// Decides on one request. It runs on a blocking thread, so it may read files. If it panics, or
    /// takes longer than
    /// [`ControllerBuilder::policy_timeout`](crate::ControllerBuilder::policy_timeout), the request
    /// is denied.
    fn decide(&self, asked: &PolicyRequest<'_>) -> PolicyDecision;

    /// Returns whether a person can be asked. If not, requests that need a person are denied.
    fn supports_interaction(&self) -> bool {
        true
    }
}

/// Asks a person unless a grant covers the request. This is the default policy.
#[derive(Debug, Clone, Default)]
pub struct AskUnlessGranted {
    grants: Vec<Grant>,
}

impl AskUnlessGranted {
    /// A policy without grants, which asks for every request.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a grant.
    pub fn grant(&mut self, grant: Grant) {
        self.grants.push(grant);
    }

    /// Removes the grants that match, and returns how many there were.
    pub fn revoke(&mut self, is_meant: impl Fn(&Grant) -> bool) -> usize {
        let before = self.grants.len();
        self.grants.retain(|grant| !is_meant(grant));
        before - self.grants.len()
    }

    /// Returns the grants.
    pub fn grants(&self) -> &[Grant] {
        &self.grants
    }
}

impl PermissionPolicy for AskUnlessGranted {
    fn decide(&self, asked: &PolicyRequest<'_>) -> PolicyDecision {
        if self.grants.iter().any(|grant| grant.covers(asked)) {
            PolicyDecision::Allow
        } else {
            PolicyDecision::AskUser
        }
    }
}

/// Decides by the rules of the SDK, and asks if they do not. Their handler is not called.
///
/// A session may work in another folder than the rules name, where relative paths differ. So
/// requests are evaluated in both folders, and the stricter verdict counts.
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
    fn decide(&self, asked: &PolicyRequest<'_>) -> PolicyDecision {
        let request = asked
            .interaction
            .and_then(|interaction| interaction.request.view());
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

/// Denies everything, for unattended sessions.
#[derive(Debug, Clone, Copy, Default)]
pub struct DenyAll;

impl PermissionPolicy for DenyAll {
    fn decide(&self, _asked: &PolicyRequest<'_>) -> PolicyDecision {
        PolicyDecision::Deny {
            reason: "this session allows no tool that needs permission".to_owned(),
        }
    }

    fn supports_interaction(&self) -> bool {
        false
    }
}
