//! Grants, and policies that decide instead of a person.

mod policy;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::event::Interaction;
use crate::session_id::SessionId;
use crate::{PermissionLevel, PermissionRequest, TargetType};
use rusty_claw::permission::rules::{AllowRules, Coverage, PathContext};

pub use policy::{AskUnlessGranted, DenyAll, PermissionPolicy, PolicyDecision};

/// Permission for more than one request: a target, a level, a scope and an expiry.
///
/// A grant covers too little rather than too much: an unknown level or kind of target covers
/// nothing, and targets are not matched by a plain prefix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Grant {
    /// The kind of the target.
    pub target_type: TargetType,
    /// A path; a host, or `*.host` for its subdomains; a command rule such as `git log:*`; or the
    /// name of a tool.
    pub target: String,
    /// For a command: whether the target is the exact text of a command instead of a rule. Then `rm
    /// *` is one command, not every use of `rm`.
    pub exact: bool,
    /// The folder of the grant, if its target depends on the folder: a relative path, or an exact
    /// command. It covers nothing in others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// The granted level, which includes lower ones.
    pub level: PermissionLevel,
    /// For a path, whether paths below it are covered too. Writes to protected paths below it
    /// (`.git`, `.claude` and others) are not covered: see [`rusty_claw::permission::Rule::path`].
    pub recursive: bool,
    /// The sessions in which it applies.
    pub scope: GrantScope,
    /// When it expires, in milliseconds since 1970; `None` if never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at_ms: Option<i64>,
}

/// The sessions in which a grant applies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum GrantScope {
    /// The session with this id.
    Session(SessionId),
    /// Every session of the tenant.
    Tenant,
}

/// A request, and the context that is needed to decide it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct PolicyRequest<'a> {
    /// The requested permission.
    pub request: &'a PermissionRequest,
    /// The session that requests it.
    pub session_id: SessionId,
    /// How relative paths and `~` are resolved.
    pub path_context: &'a PathContext,
    /// The time, in milliseconds since 1970.
    pub now_ms: i64,
    /// The request of the CLI, with what `request` does not have: the tool, its whole input, and
    /// why the CLI asks.
    pub interaction: Option<&'a Interaction>,
    /// The folder in which the session works, for policies with a folder of their own.
    pub folder: Option<&'a Path>,
}

impl<'a> PolicyRequest<'a> {
    /// A request of a session.
    pub fn new(
        request: &'a PermissionRequest,
        session_id: SessionId,
        path_context: &'a PathContext,
        now_ms: i64,
    ) -> Self {
        Self {
            request,
            session_id,
            path_context,
            now_ms,
            interaction: None,
            folder: None,
        }
    }

    /// Sets the folder in which the session works.
    #[must_use]
    pub fn folder(mut self, folder: &'a Path) -> Self {
        self.folder = Some(folder);
        self
    }

    /// Sets the request of the CLI.
    #[must_use]
    pub fn interaction(mut self, interaction: &'a Interaction) -> Self {
        self.interaction = Some(interaction);
        self
    }
}

impl Grant {
    /// A grant for one target, valid for the whole session.
    pub fn for_session(request: &PermissionRequest, session_id: SessionId) -> Self {
        Self {
            target_type: request.target_type.clone(),
            target: request.target.clone(),
            exact: true,
            folder: None,
            level: request.level.clone(),
            recursive: request.recursive,
            scope: GrantScope::Session(session_id),
            expires_at_ms: None,
        }
    }

    /// Treats the target of a command as a rule, such as `git log:*`.
    #[must_use]
    pub fn as_rule(mut self) -> Self {
        self.exact = false;
        self
    }

    /// Returns whether the grant covers a request.
    #[must_use]
    pub fn covers(&self, asked: &PolicyRequest<'_>) -> bool {
        let request = asked.request;
        let holds_here = match &self.scope {
            GrantScope::Session(session_id) => *session_id == asked.session_id,
            GrantScope::Tenant => true,
        };
        let is_there = |folder: &PathBuf| asked.path_context.is_in(folder);
        holds_here
            && self.folder.as_ref().is_none_or(is_there)
            && self.expires_at_ms.is_none_or(|end| asked.now_ms < end)
            && self.target_type == request.target_type
            && covers_level(&self.level, &request.level)
            && self.covers_target(asked)
    }

    fn covers_target(&self, asked: &PolicyRequest<'_>) -> bool {
        let request = asked.request;
        match self.target_type {
            TargetType::Path => self.covers_path(asked),
            TargetType::Domain => covers_domain(&self.target, &request.target),
            TargetType::Command if self.exact => {
                !self.target.is_empty() && self.target == request.target
            }
            TargetType::Command => {
                let rule = format!("Bash({})", self.target);
                AllowRules::read([rule])
                    .command_in(&request.target, asked.path_context)
                    .is_covered()
            }
            TargetType::Tool => !self.target.is_empty() && self.target == request.target,
            TargetType::Unknown(_) => false,
        }
    }

    /// Covers exactly this path and, if the grant is recursive, the paths below it.
    fn covers_path(&self, asked: &PolicyRequest<'_>) -> bool {
        let request = asked.request;
        if self.target.is_empty() || request.recursive && !self.recursive {
            return false;
        }
        let is_relative = !self.target.starts_with(['/', '~']);
        if is_relative && self.scope == GrantScope::Tenant && self.folder.is_none() {
            // It would be a different file in each folder.
            return false;
        }
        // Every level above reading counts as a write, which protected paths are excluded from.
        let tool = match request.level {
            PermissionLevel::Read => "Read",
            _ => "Write",
        };
        let rules = AllowRules::default().and_path(tool, &self.target, self.recursive);
        let wanted = request.target.trim_end_matches('/');
        rules.path(tool, wanted, asked.path_context) == Coverage::Covered
    }
}

/// Levels in ascending order: read, write, execute, admin. Unknown levels cover nothing.
fn covers_level(granted: &PermissionLevel, wanted: &PermissionLevel) -> bool {
    let height = |level: &PermissionLevel| match level {
        PermissionLevel::Read => Some(1),
        PermissionLevel::Write => Some(2),
        PermissionLevel::Execute => Some(3),
        PermissionLevel::Admin => Some(4),
        PermissionLevel::Unknown(_) => None,
    };
    match (height(granted), height(wanted)) {
        (Some(granted), Some(wanted)) => granted >= wanted,
        _ => false,
    }
}

/// Matches a whole host, or the subdomains of one.
fn covers_domain(granted: &str, wanted: &str) -> bool {
    let is_host = |host: &str| {
        !host.is_empty()
            && host.split('.').all(|label| !label.is_empty())
            && host
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-._".contains(c))
    };
    if !is_host(wanted) {
        return false;
    }
    match granted.strip_prefix("*.") {
        Some(above) => {
            let labels = wanted.len().checked_sub(above.len());
            is_host(above)
                && labels.is_some_and(|labels| {
                    let (front, back) = wanted.split_at_checked(labels).unwrap_or_default();
                    front.len() > 1 && front.ends_with('.') && back.eq_ignore_ascii_case(above)
                })
        }
        None => is_host(granted) && wanted.eq_ignore_ascii_case(granted),
    }
}

#[cfg(test)]
mod tests;
