//! Changes to the settings of a session.

use claw_server::SessionId;
use claw_store::{Revision, SessionPatch};

use crate::access::{Access, SessionInfo, info};
use crate::caller::Scope;
use crate::error::GatewayError;

/// The longest title, in bytes.
const MAX_TITLE: usize = 1000;

impl Access {
    /// Changes the title of a session, if the session still has this revision.
    ///
    /// # Errors
    /// The session has another revision, or the title is too long.
    pub async fn set_title(
        &self,
        session_id: SessionId,
        revision: u64,
        title: Option<String>,
    ) -> Result<SessionInfo, GatewayError> {
        self.caller.need(Scope::Drive)?;
        if title.as_ref().is_some_and(|title| title.len() > MAX_TITLE) {
            let reason = format!("a title has at most {MAX_TITLE} bytes");
            return Err(GatewayError::invalid(reason));
        }
        let mut row = self.tenant.row(session_id).await?;
        let mut changed = info(row.clone())?;
        changed.spec.title = title;
        let attributes = serde_json::to_vec(&changed.spec);
        let attributes = attributes.map_err(|error| GatewayError::invalid(error.to_string()))?;
        row.attributes = attributes.into();
        let patch = SessionPatch {
            attributes: Some(row.attributes.clone()),
        };
        let updated = self
            .tenant
            .store
            .update(&row.key, Revision(revision), patch);
        row.revision = updated.await?;
        info(row)
    }
}
