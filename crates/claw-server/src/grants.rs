//! Leave that was given before, and policies that answer in a person's place.

mod policy;

use std::path::{Path, PathBuf};

use crate::event::AskedPrompt;
use crate::rules::{AllowRules, Surroundings, Verdict};
use crate::{PermissionLevel, PermissionRequest, TargetType};

pub use policy::{AskUnlessGranted, DenyAll, PermissionPolicy, PolicyDecision};

/// Leave for more than one request: what, how far, where and until when.
///
/// A grant covers less rather than more: a level or a kind of target that this library does not
/// know covers nothing, and nothing is matched by how a text begins.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Grant {
    /// What kind of thing the target is.
    pub target_type: TargetType,
    /// A path; a host, or `*.host` for what is below it; a command rule such as `git log:*`; or a
    /// tool's name.
    pub target: String,
    /// For a command: the target is a command that somebody saw, and is meant letter for letter.
    /// It is no rule, though it may look like one: `rm *` is one command, not all of `rm`.
    pub exact: bool,
    /// The folder in which it was given, where the target means something else in another: a
    /// relative path, or a command that somebody saw. It covers nothing in others.
    pub folder: Option<PathBuf>,
    /// How far: a level covers those below it.
    pub level: PermissionLevel,
    /// For a path, whether paths below it are covered too. Writes to protected paths below it
    /// (`.git`, `.claude` and others) are not covered: see [`rusty_claw::permission::Rule::path`].
    pub recursive: bool,
    /// Where it holds.
    pub scope: GrantScope,
    /// When it ends, in milliseconds since 1970; nothing when it does not.
    pub expires_at_ms: Option<i64>,
}

/// Where a grant holds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GrantScope {
    /// In the session with this number.
    Session(i64),
    /// In every session of the tenant.
    Tenant,
}

/// A request and what must be known to judge it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Asked<'a> {
    /// What a tool wants.
    pub request: &'a PermissionRequest,
    /// The session that it works in.
    pub session_id: i64,
    /// What relative paths and `~` mean there.
    pub surroundings: &'a Surroundings,
    /// The time, in milliseconds since 1970.
    pub now_ms: i64,
    /// What the CLI asked, where more is to be known than the request says: the tool, its whole
    /// input, and why it is a question.
    pub prompt: Option<&'a AskedPrompt>,
    /// The folder that the session works in, for policies that have a folder of their own.
    pub folder: Option<&'a Path>,
}

impl<'a> Asked<'a> {
    /// A request of a session.
    pub fn new(
        request: &'a PermissionRequest,
        session_id: i64,
        surroundings: &'a Surroundings,
        now_ms: i64,
    ) -> Self {
        Self {
            request,
            session_id,
            surroundings,
            now_ms,
            prompt: None,
            folder: None,
        }
    }

    /// With the folder that the session works in.
    #[must_use]
    pub fn folder(mut self, folder: &'a Path) -> Self {
        self.folder = Some(folder);
        self
    }

    /// With what the CLI asked.
    #[must_use]
    pub fn prompt(mut self, prompt: &'a AskedPrompt) -> Self {
        self.prompt = Some(prompt);
        self
    }
}

impl Grant {
    /// Leave for a whole session: for this target and no other.
    pub fn for_session(request: &PermissionRequest, session_id: i64) -> Self {
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

    /// The same, with the target of a command taken as a rule, such as `git log:*`.
    #[must_use]
    pub fn as_rule(mut self) -> Self {
        self.exact = false;
        self
    }

    /// Whether the grant covers a request.
    #[must_use]
    pub fn covers(&self, asked: &Asked<'_>) -> bool {
        let request = asked.request;
        let holds_here = match &self.scope {
            GrantScope::Session(session_id) => *session_id == asked.session_id,
            GrantScope::Tenant => true,
        };
        let is_there = |folder: &PathBuf| asked.surroundings.is_in(folder);
        holds_here
            && self.folder.as_ref().is_none_or(is_there)
            && self.expires_at_ms.is_none_or(|end| asked.now_ms < end)
            && self.target_type == request.target_type
            && covers_level(&self.level, &request.level)
            && self.covers_target(asked)
    }

    fn covers_target(&self, asked: &Asked<'_>) -> bool {
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
                    .command_in(&request.target, asked.surroundings)
                    .is_covered()
            }
            TargetType::Tool => !self.target.is_empty() && self.target == request.target,
            TargetType::Unknown(_) => false,
        }
    }

    /// The path itself, letter for letter, and what lies below it when the grant says so.
    fn covers_path(&self, asked: &Asked<'_>) -> bool {
        let request = asked.request;
        if self.target.is_empty() || request.recursive && !self.recursive {
            return false;
        }
        let is_relative = !self.target.starts_with(['/', '~']);
        if is_relative && self.scope == GrantScope::Tenant && self.folder.is_none() {
            // In each folder it would mean another file.
            return false;
        }
        // Every level above reading counts as a write, which protected paths are excluded from.
        let tool = match request.level {
            PermissionLevel::Read => "Read",
            _ => "Write",
        };
        let rules = AllowRules::default().and_path(tool, &self.target, self.recursive);
        let wanted = request.target.trim_end_matches('/');
        rules.path(tool, wanted, asked.surroundings) == Verdict::Covered
    }
}

/// Read, then write, then execute, then anything; levels that are not known cover nothing.
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

/// Whole hosts, or whole labels in front of one.
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
mod tests {
    use super::*;

    fn request(target_type: TargetType, target: &str, level: PermissionLevel) -> PermissionRequest {
        PermissionRequest {
            target_type,
            target: target.to_owned(),
            level,
            description: String::new(),
            reason: None,
            recursive: false,
        }
    }

    fn covers(grant: &Grant, request: &PermissionRequest, session: i64, now_ms: i64) -> bool {
        let surroundings = Surroundings::new("/srv/app");
        grant.covers(&Asked::new(request, session, &surroundings, now_ms))
    }

    #[test]
    fn a_grant_has_a_level_a_scope_and_an_end() {
        let read = request(TargetType::Tool, "mcp__db__query", PermissionLevel::Read);
        let write = request(TargetType::Tool, "mcp__db__query", PermissionLevel::Write);
        let odd = request(
            TargetType::Tool,
            "mcp__db__query",
            PermissionLevel::from("Sudo"),
        );
        let mut grant = Grant::for_session(&write, 1);
        assert!(covers(&grant, &read, 1, 0) && covers(&grant, &write, 1, 0));
        assert!(!covers(&grant, &odd, 1, 0) && !covers(&grant, &read, 2, 0));
        assert!(!covers(&Grant::for_session(&odd, 1), &odd, 1, 0));
        assert!(!covers(&Grant::for_session(&read, 1), &write, 1, 0));
        grant.scope = GrantScope::Tenant;
        grant.expires_at_ms = Some(10);
        assert!(covers(&grant, &read, 2, 9) && !covers(&grant, &read, 2, 10));
        let other = request(TargetType::Tool, "mcp__db", PermissionLevel::Read);
        assert!(!covers(&grant, &other, 2, 0));
    }

    #[test]
    fn what_means_something_else_elsewhere_is_not_covered_there() {
        let mut here = request(TargetType::Path, ".", PermissionLevel::Read);
        here.recursive = true;
        let mut grant = Grant::for_session(&here, 1);
        grant.scope = GrantScope::Tenant;
        let file = |path: &str| request(TargetType::Path, path, PermissionLevel::Read);
        assert!(!covers(&grant, &file("/srv/app/a"), 2, 0));
        grant.folder = Some("/srv/app".into());
        assert!(covers(&grant, &file("/srv/app/a"), 2, 0));
        let etc = Surroundings::new("/etc");
        let shadow = file("/etc/shadow");
        assert!(!grant.covers(&Asked::new(&shadow, 2, &etc, 0)));
    }

    #[test]
    fn a_command_that_somebody_saw_is_no_rule() {
        let run = |command: &str| request(TargetType::Command, command, PermissionLevel::Execute);
        for seen in ["rm *", "git log:*", "rm -r $x; true"] {
            let grant = Grant::for_session(&run(seen), 1);
            assert!(covers(&grant, &run(seen), 1, 0), "{seen}");
            for other in ["rm", "rm -r /", "git log", "git log -p", "rm *  ", ""] {
                assert!(!covers(&grant, &run(other), 1, 0), "{seen} covers {other}");
            }
        }
        let rule = Grant::for_session(&run("git log:*"), 1).as_rule();
        assert!(covers(&rule, &run("git log -p"), 1, 0));
        assert!(!covers(&Grant::for_session(&run(""), 1), &run(""), 1, 0));
    }

    #[test]
    fn targets_are_matched_as_what_they_are() {
        use PermissionLevel::Execute;
        #[rustfmt::skip] // A table.
        let table = [
            (TargetType::Domain, "example.com", "example.com", true),
            (TargetType::Domain, "example.com", "EXAMPLE.com", true),
            (TargetType::Domain, "example.com", "api.example.com", false),
            (TargetType::Domain, "*.example.com", "api.example.com", true),
            (TargetType::Domain, "*.example.com", "example.com", false),
            (TargetType::Domain, "*.example.com", "evilexample.com", false),
            (TargetType::Domain, "*.example.com", ".example.com", false),
            (TargetType::Domain, "example.com", "example.com@evil.example", false),
            (TargetType::Domain, "*.", "a.", false),
            (TargetType::Domain, "*.example.com", "evil.example/.example.com", false),
            (TargetType::Command, "git log:*", "git log -3", true),
            (TargetType::Command, "git log:*", "git log -3; rm x", false),
            (TargetType::Command, "git status", "git status --short", false),
            (TargetType::Tool, "WebSearch", "WebSearch", true),
            (TargetType::Tool, "", "", false),
            (TargetType::Unknown("Moon".to_owned()), "x", "x", false),
        ];
        for (kind, granted, wanted, expected) in table {
            let grant = Grant::for_session(&request(kind.clone(), granted, Execute), 1).as_rule();
            let request = request(kind, wanted, Execute);
            assert_eq!(
                covers(&grant, &request, 1, 0),
                expected,
                "{granted} for {wanted}"
            );
        }
    }

    #[test]
    fn a_grant_is_for_one_kind_of_target() {
        let tool = request(TargetType::Tool, "make", PermissionLevel::Execute);
        let command = request(TargetType::Command, "make", PermissionLevel::Execute);
        assert!(!covers(&Grant::for_session(&tool, 1), &command, 1, 0));
        assert!(!covers(&Grant::for_session(&command, 1), &tool, 1, 0));
    }

    #[test]
    fn a_policy_of_the_sdk_decides_and_asks_what_it_cannot_read() {
        use rusty_claw::permission::{Policy, Rule};

        use crate::event::{PromptId, PromptKind};
        let policy = Policy::new()
            .deny(Rule::command("rm"))
            .allow(Rule::command("make"));
        let surroundings = Surroundings::new("/srv/app");
        let decide = |command: &str| {
            let request = format!(r#"{{"tool_name":"Bash","input":{{"command":"{command}"}}}}"#);
            let request = rusty_claw_protocol::Json::from_text(&request).unwrap();
            let prompt = AskedPrompt::new(PromptId::new("p"), PromptKind::Permission, request);
            let request = PermissionRequest::of_prompt(&prompt);
            policy.decide(&Asked::new(&request, 1, &surroundings, 0).prompt(&prompt))
        };
        assert_eq!(decide("make"), PolicyDecision::Allow);
        assert!(matches!(decide("rm x"), PolicyDecision::Deny { .. }));
        assert_eq!(decide("ls"), PolicyDecision::AskUser);
        let request = request(TargetType::Command, "make", PermissionLevel::Execute);
        let unread = Asked::new(&request, 1, &surroundings, 0);
        assert_eq!(policy.decide(&unread), PolicyDecision::AskUser);
    }

    #[test]
    fn a_folder_covers_what_lies_in_it_only_when_it_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let top = top.to_str().unwrap();
        std::os::unix::fs::symlink("/", format!("{top}/out")).unwrap();
        let path = |path: &str| request(TargetType::Path, path, PermissionLevel::Read);
        let alone = Grant::for_session(&path(top), 1);
        let mut below = alone.clone();
        below.recursive = true;
        assert!(covers(&alone, &path(top), 1, 0));
        assert!(!covers(&alone, &path(&format!("{top}/a")), 1, 0));
        assert!(covers(&below, &path(&format!("{top}/a/b")), 1, 0));
        assert!(covers(&below, &path(top), 1, 0));
        assert!(!covers(&below, &path(&format!("{top}x")), 1, 0));
        assert!(!covers(&below, &path(&format!("{top}/../x")), 1, 0));
        assert!(!covers(
            &below,
            &path(&format!("{top}/out/etc/passwd")),
            1,
            0
        ));
        // Reading a protected path, and writing to one that the grant names, is covered.
        let write = |path: &str| request(TargetType::Path, path, PermissionLevel::Write);
        let mut all = Grant::for_session(&write(top), 1);
        all.recursive = true;
        assert!(covers(&all, &write(&format!("{top}/a")), 1, 0));
        assert!(!covers(&all, &write(&format!("{top}/.git/config")), 1, 0));
        assert!(!covers(&all, &write(&format!("{top}/a/.Claude/x")), 1, 0));
        assert!(covers(&all, &path(&format!("{top}/.git/config")), 1, 0));
        let named = write(&format!("{top}/.git/config"));
        assert!(covers(&Grant::for_session(&named, 1), &named, 1, 0));
        let mut recursive = path(top);
        recursive.recursive = true;
        assert!(!covers(&alone, &recursive, 1, 0) && covers(&below, &recursive, 1, 0));
    }

    #[test]
    fn grants_are_given_and_taken_back() {
        let request = request(TargetType::Tool, "WebSearch", PermissionLevel::Execute);
        let surroundings = Surroundings::new("/");
        let asked = Asked::new(&request, 1, &surroundings, 0);
        let mut policy = AskUnlessGranted::new();
        assert_eq!(policy.decide(&asked), PolicyDecision::AskUser);
        policy.grant(Grant::for_session(&request, 1));
        assert_eq!(policy.decide(&asked), PolicyDecision::Allow);
        assert_eq!(policy.revoke(|grant| grant.target == "WebSearch"), 1);
        assert_eq!(policy.decide(&asked), PolicyDecision::AskUser);
        assert!(matches!(
            DenyAll.decide(&asked),
            PolicyDecision::Deny { .. }
        ));
    }
}
