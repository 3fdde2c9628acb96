//! Forks sessions, and finds the conversation that a session continues.

use claw_server::SessionId;
use claw_store::IdempotencyKey;
use serde::{Deserialize, Serialize};

use crate::access::{Access, SessionInfo, info};
use crate::caller::Scope;
use crate::error::GatewayError;

/// How many events are read at once to find a conversation. Every turn reports it at its start.
const PAGE: usize = 64;

/// The conversation that a new session continues. Only the gateway sets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Origin {
    /// The CLI's id of the conversation.
    pub cli_session_id: String,
    /// Whether the session continues a copy. Otherwise it has adopted the conversation.
    pub is_fork: bool,
    /// The idempotency key of the request that adopted the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

impl Access {
    /// Creates a session that continues a copy of the conversation of another one, which may have
    /// ended. The copy is made when the new session receives its first input. It has the settings
    /// of the other session, and its own log.
    ///
    /// # Errors
    /// The session has no conversation yet, its folder is no longer in a root, or the caller may
    /// not choose its permission mode.
    pub async fn fork(
        &self,
        session_id: SessionId,
        key: IdempotencyKey,
    ) -> Result<SessionInfo, GatewayError> {
        self.caller.need(Scope::Drive)?;
        let mut spec = info(self.tenant.row(session_id).await?)?.spec;
        let earlier = spec.origin.take().map(|origin| origin.cli_session_id);
        let own = self.cli_session_id(session_id).await?;
        let cli_session_id = own.or(earlier).ok_or_else(|| {
            let reason = "the session has no conversation yet: create another one";
            GatewayError::Conflict {
                reason: reason.to_owned(),
            }
        })?;
        spec.origin = Some(Origin {
            cli_session_id,
            is_fork: true,
            key: None,
        });
        self.store_new(spec, key).await
    }

    /// Returns the CLI's id of the conversation of a session, if it had a turn.
    pub(crate) async fn cli_session_id(
        &self,
        session_id: SessionId,
    ) -> Result<Option<String>, GatewayError> {
        let mut before = None;
        loop {
            let page = self.history(session_id, before, PAGE).await?;
            let mut events = page.events.iter().rev();
            if let Some(id) = events.find_map(|event| reported(event.get())) {
                return Ok(Some(id));
            }
            before = page.before;
            if before.is_none() {
                return Ok(None);
            }
        }
    }
}

/// Returns the id of the conversation, if an event reports it.
fn reported(event: &str) -> Option<String> {
    // Most events are not parsed.
    if !event.contains("\"cli_session\"") && !event.contains("\"init\"") {
        return None;
    }
    let event: serde_json::Value = serde_json::from_str(event).ok()?;
    let body = &event["body"];
    let id = match event["kind"].as_str()? {
        "cli_session" => &body["id"],
        "message" if body["type"] == "system" && body["subtype"] == "init" => &body["session_id"],
        _ => return None,
    };
    Some(id.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversations_are_reported_by_the_cli_only() {
        let id = |event: &str| reported(event);
        let own = r#"{"kind":"cli_session","body":{"id":"a"}}"#;
        assert_eq!(id(own).as_deref(), Some("a"));
        let init =
            r#"{"kind":"message","body":{"type":"system","subtype":"init","session_id":"b"}}"#;
        assert_eq!(id(init).as_deref(), Some("b"));
        for other in [
            r#"{"kind":"message","body":{"type":"user","subtype":"init","session_id":"c"}}"#,
            r#"{"kind":"input_accepted","body":{"content":"\"cli_session\"","id":"c"}}"#,
            r#"{"kind":"lifecycle","body":{"state":"Ready"}}"#,
        ] {
            assert_eq!(id(other), None, "{other}");
        }
    }
}
