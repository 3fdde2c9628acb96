//! The settings of a session: how they are stored and changed.

use bytes::Bytes;
use claw_server::SessionId;
use claw_store::{IdempotencyKey, NewSession, Revision, SessionPatch, StoreError};
use rusty_claw::permission::PermissionMode;
use serde::{Deserialize, Serialize};

use crate::access::{Access, SessionInfo, Stored, info};
use crate::caller::Scope;
use crate::command::Command;
use crate::error::GatewayError;
use crate::spec::{SessionSpec, mode_scope};
use crate::tenant::Tenant;

/// A change of a setting that the running CLI can apply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SettingChange {
    Model(Option<String>),
    PermissionMode(PermissionMode),
}

impl SettingChange {
    fn apply(&self, spec: &mut SessionSpec) {
        match self {
            Self::Model(model) => spec.model.clone_from(model),
            Self::PermissionMode(mode) => spec.permission_mode = Some(mode.clone()),
        }
    }
}

impl Access {
    /// Stores a new session.
    pub(crate) async fn store_new(
        &self,
        mut spec: SessionSpec,
        key: IdempotencyKey,
    ) -> Result<SessionInfo, GatewayError> {
        self.caller.need(spec.scope())?;
        spec.check()?;
        spec.confine(&self.tenant.settings.roots)?;
        let created = self.tenant.store.create(NewSession {
            tenant: self.tenant.id.clone(),
            session: None,
            attributes: encode(&spec)?,
            key,
        });
        info(created.await?.row)
    }

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
        let mut row = self.tenant.row(session_id).await?;
        let mut changed = info(row.clone())?;
        changed.spec.title = title;
        changed.spec.check()?;
        row.attributes = encode(&changed.spec)?;
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

    /// Sets the model of a session from its next turn on; `None` selects the default of the CLI.
    /// The settings of the session change when the CLI has accepted the model. If the CLI refuses
    /// it, they do not change.
    ///
    /// # Errors
    /// The name is empty or too long, or the session has ended.
    pub async fn set_model(
        &self,
        session_id: SessionId,
        model: Option<String>,
        key: IdempotencyKey,
    ) -> Result<Stored, GatewayError> {
        self.caller.need(Scope::Drive)?;
        let change = SettingChange::Model(model);
        self.change(session_id, change, key).await
    }

    /// Sets the permission mode of a session from the next tool call on. For the bypass mode, the
    /// CLI is restarted after the running turn, unless it was started with that mode: it refuses
    /// the mode otherwise.
    ///
    /// # Errors
    /// There is no such mode, it needs the scope [`Scope::Admin`], or the session has ended.
    pub async fn set_permission_mode(
        &self,
        session_id: SessionId,
        mode: PermissionMode,
        key: IdempotencyKey,
    ) -> Result<Stored, GatewayError> {
        self.caller.need(mode_scope(&mode))?;
        if let PermissionMode::Unknown(name) = &mode {
            return Err(GatewayError::invalid(format!("there is no mode {name:?}")));
        }
        // The CLI accepts this name only as a flag.
        let mode = match mode {
            PermissionMode::Manual => PermissionMode::Default,
            mode => mode,
        };
        let change = SettingChange::PermissionMode(mode);
        self.change(session_id, change, key).await
    }

    async fn change(
        &self,
        session_id: SessionId,
        change: SettingChange,
        key: IdempotencyKey,
    ) -> Result<Stored, GatewayError> {
        let mut changed = SessionSpec::new("/");
        change.apply(&mut changed);
        changed.check()?;
        self.submit(session_id, &Command::Change(change), &key)
            .await
    }
}

impl Tenant {
    /// Stores a changed setting, which later starts of the CLI use.
    pub(crate) async fn store_change(
        &self,
        session_id: SessionId,
        change: &SettingChange,
    ) -> Result<(), GatewayError> {
        loop {
            let row = self.row(session_id).await?;
            let mut changed = info(row.clone())?.spec;
            change.apply(&mut changed);
            let patch = SessionPatch {
                attributes: Some(encode(&changed)?),
            };
            match self.store.update(&row.key, row.revision, patch).await {
                // Another request has changed the session since it was read.
                Err(StoreError::Conflict { .. }) => {}
                updated => return Ok(updated.map(|_| ())?),
            }
        }
    }
}

pub(crate) fn encode(spec: &SessionSpec) -> Result<Bytes, GatewayError> {
    let json = serde_json::to_vec(spec);
    let json = json.map_err(|error| GatewayError::invalid(error.to_string()))?;
    Ok(json.into())
}
