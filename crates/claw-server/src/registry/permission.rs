//! Answers to permissions.

use std::path::Path;

use rusty_claw_protocol::Json;
use serde::{Deserialize, Serialize};

use crate::grants::{Grant, GrantScope};
use crate::open_enum::open_enum;
use crate::permission::{PermissionRequest, TargetType};
use crate::session_id::SessionId;

open_enum! {
    /// Whether a tool may run.
    pub enum PermissionChoice {
        /// The tool may run.
        Allow,
        /// The tool may not run.
        Deny,
    }
}

/// An answer to one permission.
///
/// In JSON, a missing choice is an error, and an unknown one never allows:
///
/// ```
/// use claw_server::registry::{PermissionChoice, PermissionResponse};
///
/// let json = r#"{"choice":"Deny","reason":"Not on a Friday","by":"phone"}"#;
/// let response: PermissionResponse = serde_json::from_str(json)?;
/// assert_eq!(response, PermissionResponse::deny("Not on a Friday").by("phone"));
/// assert_eq!(serde_json::to_string(&response)?, json);
/// assert!(serde_json::from_str::<PermissionResponse>("{}").is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PermissionResponse {
    /// Whether the tool may run.
    pub choice: PermissionChoice,
    /// The reason for a denial, passed to the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When allowing: the input to run the tool with, instead of the requested one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Json>,
    /// When denying: whether to end the turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupt: bool,
    /// For a plan: the mode in which the agent continues, such as `acceptEdits`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// When allowing: how far to grant later requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<Remember>,
    /// Who answers: a person or a device. Sent to every client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The idempotency key: an answer sent again with the same key is accepted again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

open_enum! {
    /// The scope of a grant that an answer adds.
    pub enum Remember {
        /// The rest of the session.
        Session,
        /// Every session of the tenant.
        Tenant,
    }
}

impl PermissionResponse {
    fn new(choice: PermissionChoice) -> Self {
        Self {
            choice,
            reason: None,
            updated_input: None,
            interrupt: false,
            mode: None,
            remember: None,
            by: None,
            key: None,
        }
    }

    /// Allows the tool to run.
    #[must_use]
    pub fn allow() -> Self {
        Self::new(PermissionChoice::Allow)
    }

    /// Denies the call and passes the reason to the agent.
    #[must_use]
    pub fn deny(reason: impl Into<String>) -> Self {
        Self {
            reason: Some(reason.into()),
            ..Self::new(PermissionChoice::Deny)
        }
    }

    /// Replaces the input that the tool runs with.
    #[must_use]
    pub fn with_input(mut self, input: Json) -> Self {
        self.updated_input = Some(input);
        self
    }

    /// Also ends the turn, when denying.
    #[must_use]
    pub fn and_interrupt(mut self) -> Self {
        self.interrupt = true;
        self
    }

    /// For a plan: sets the mode in which the agent continues.
    #[must_use]
    pub fn in_mode(mut self, mode: impl Into<String>) -> Self {
        self.mode = Some(mode.into());
        self
    }

    /// Also grants later requests for the same target, up to the same level.
    #[must_use]
    pub fn remember(mut self, how_far: Remember) -> Self {
        self.remember = Some(how_far);
        self
    }

    /// Sets who answers.
    #[must_use]
    pub fn by(mut self, who: impl Into<String>) -> Self {
        self.by = Some(who.into());
        self
    }

    /// Sets the idempotency key: an answer sent again with the same key is accepted again.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Returns the grant that the answer adds. With an edited input there is none: the person did
    /// not approve what was requested.
    pub(crate) fn grant(
        &self,
        request: &PermissionRequest,
        session_id: SessionId,
        folder: &Path,
    ) -> Option<Grant> {
        if self.choice != PermissionChoice::Allow || self.updated_input.is_some() {
            return None;
        }
        let mut grant = Grant::for_session(request, session_id);
        match self.remember.as_ref()? {
            Remember::Session => {}
            Remember::Tenant => {
                grant.scope = GrantScope::Tenant;
                let is_anywhere = match grant.target_type {
                    TargetType::Path => grant.target.starts_with('/'),
                    TargetType::Command => false,
                    _ => true,
                };
                grant.folder = (!is_anywhere).then(|| folder.to_path_buf());
            }
            Remember::Unknown(_) => return None,
        }
        Some(grant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::PermissionLevel;

    fn request(target_type: TargetType, target: &str) -> PermissionRequest {
        PermissionRequest {
            target_type,
            target: target.to_owned(),
            level: PermissionLevel::Execute,
            description: String::new(),
            reason: None,
            recursive: false,
        }
    }

    fn grant(response: PermissionResponse, target_type: TargetType, target: &str) -> Option<Grant> {
        response.grant(
            &request(target_type, target),
            SessionId::from(7),
            Path::new("/srv/app"),
        )
    }

    #[test]
    fn only_a_plain_yes_that_says_how_far_it_reaches_is_a_grant() {
        let yes = PermissionResponse::allow;
        let edited = Json::from_text(r#"{"command":"ls"}"#).unwrap();
        for response in [
            yes(),
            PermissionResponse::deny("no").remember(Remember::Session),
            yes().with_input(edited).remember(Remember::Session),
            yes().remember(Remember::Unknown("Forever".to_owned())),
        ] {
            let granted = grant(response.clone(), TargetType::Command, "make");
            assert_eq!(granted, None, "{response:?}");
        }
        let granted = grant(
            yes().remember(Remember::Session),
            TargetType::Command,
            "make",
        );
        let granted = granted.unwrap();
        assert_eq!(granted.scope, GrantScope::Session(SessionId::from(7)));
        assert!(granted.exact && granted.expires_at_ms.is_none());
    }

    #[test]
    fn what_means_something_else_elsewhere_is_granted_in_its_folder() {
        for (target_type, target, is_bound) in [
            (TargetType::Command, "make", true),
            (TargetType::Path, "src", true),
            (TargetType::Path, "/srv/data", false),
            (TargetType::Domain, "example.com", false),
        ] {
            let always = PermissionResponse::allow().remember(Remember::Tenant);
            let granted = grant(always, target_type, target).unwrap();
            assert_eq!(granted.scope, GrantScope::Tenant);
            let folder = is_bound.then(|| Path::new("/srv/app").to_path_buf());
            assert_eq!(granted.folder, folder, "{target}");
        }
    }
}
