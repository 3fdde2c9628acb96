//! Devices and their tokens.
//!
//! A device is a row in the directory of a tenant of its own, so that every store keeps devices
//! without knowing them, and a revoked device is an erased row: its id is never used again, and
//! everything that follows the row ends.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use claw_store::{
    IdempotencyKey, NewSession, PageToken, SessionId, SessionKey, SessionPatch, SessionRow, Store,
    StoreError, TenantId,
};
use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::caller::{Caller, Scope};
use crate::error::GatewayError;

/// The tenant of the rows. No caller has it.
const TENANT: &str = "claw_devices";
/// Begins every token, so that programs that look for leaked secrets find it.
const PREFIX: &str = "claw_";
/// The last use of a device is stored at most this often.
const USE_MS: i64 = 60_000;

/// A device, without its token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct Device {
    /// Its id.
    pub id: String,
    /// Its tenant.
    pub tenant: String,
    /// Its name, chosen by a person.
    pub name: String,
    /// What it may do.
    pub scope: Scope,
    /// When it was added, in milliseconds since 1970.
    pub added_at_ms: i64,
    /// When it was last used, within a minute.
    pub used_at_ms: Option<i64>,
}

/// What is stored of a device.
#[derive(Serialize, Deserialize)]
struct Row {
    tenant: String,
    name: String,
    scope: Scope,
    added_at_ms: i64,
    used_at_ms: Option<i64>,
    /// The SHA-256 of the secret. A secret has 256 random bits, so it needs no salt and no slow
    /// function.
    hash: String,
}

/// The devices of a store.
#[derive(Clone)]
pub struct Devices {
    store: Arc<dyn Store>,
}

impl std::fmt::Debug for Devices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Devices").finish_non_exhaustive()
    }
}

impl Devices {
    /// Opens the devices of a store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// Adds a device. Returns it with its token, which is not stored and cannot be shown again.
    ///
    /// # Errors
    /// The name is not valid, the tenant is reserved, or the store is unavailable.
    pub async fn add(
        &self,
        tenant: &TenantId,
        name: &str,
        scope: Scope,
    ) -> Result<(Device, String), GatewayError> {
        if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
            return Err(GatewayError::invalid(
                "the name of a device has 1 to 100 characters, and no control characters",
            ));
        }
        if tenant.as_str() == TENANT {
            return Err(GatewayError::invalid("this name of a tenant is reserved"));
        }
        let id = SessionId::random();
        let secret = format!("{}{}", SessionId::random(), SessionId::random());
        let row = Row {
            tenant: tenant.as_str().to_owned(),
            name: name.to_owned(),
            scope,
            added_at_ms: now_ms(),
            used_at_ms: None,
            hash: hash(&secret),
        };
        let token = format!("{PREFIX}{id}_{secret}");
        let new = NewSession {
            tenant: devices()?,
            session: Some(id.clone()),
            attributes: encode(&row)?,
            key: IdempotencyKey::new(id.as_str()).map_err(invalid)?,
        };
        self.store.create(new).await?;
        Ok((row.device(id.as_str()), token))
    }

    /// Returns the caller that a token belongs to, and the id of its device.
    ///
    /// # Errors
    /// `NotFound` for every token that is not valid, whatever is wrong with it.
    pub async fn authenticate(&self, token: &str) -> Result<(Caller, String), GatewayError> {
        const UNKNOWN: GatewayError = GatewayError::NotFound { what: "device" };
        let parts = token
            .strip_prefix(PREFIX)
            .and_then(|rest| rest.split_once('_'));
        let (id, secret) = parts.ok_or(UNKNOWN)?;
        let key = key(id).map_err(|_| UNKNOWN)?;
        let found = match self.store.get(&key).await {
            Err(StoreError::NotFound { .. } | StoreError::Deleted) => return Err(UNKNOWN),
            found => found?,
        };
        let row: Row = decode(&found)?;
        // Equal hashes of random secrets tell nothing by the time that the comparison takes.
        if row.hash != hash(secret) {
            return Err(UNKNOWN);
        }
        let caller = Caller {
            tenant: TenantId::new(&row.tenant).map_err(invalid)?,
            // Several devices may have the same name.
            device: format!("{} ({:.8})", row.name, id),
            scope: row.scope,
        };
        self.note_use(&found, row).await;
        Ok((caller, id.to_owned()))
    }

    /// Stores the time of use. A failure is not reported: the next use stores it.
    async fn note_use(&self, found: &SessionRow, mut row: Row) {
        let now = now_ms();
        if row.used_at_ms.is_some_and(|used| now - used < USE_MS) {
            return;
        }
        row.used_at_ms = Some(now);
        if let Ok(attributes) = encode(&row) {
            let attributes = Some(attributes);
            let patch = SessionPatch { attributes };
            let _ = self.store.update(&found.key, found.revision, patch).await;
        }
    }

    /// Lists the devices of a tenant.
    ///
    /// # Errors
    /// The store is unavailable.
    pub async fn list(&self, tenant: &TenantId) -> Result<Vec<Device>, GatewayError> {
        let (all, mut from, mut found) = (devices()?, None::<PageToken>, Vec::new());
        loop {
            let page = self.store.list(&all, from, 1000).await?;
            for one in &page.rows {
                let row: Row = decode(one)?;
                if row.tenant == tenant.as_str() {
                    found.push(row.device(one.key.session.as_str()));
                }
            }
            from = page.next;
            if from.is_none() {
                return Ok(found);
            }
        }
    }

    /// Revokes a device of a tenant: its token is refused, and its streams end.
    ///
    /// # Errors
    /// The tenant has no such device.
    pub async fn revoke(&self, tenant: &TenantId, id: &str) -> Result<(), GatewayError> {
        const UNKNOWN: GatewayError = GatewayError::NotFound { what: "device" };
        let key = key(id).map_err(|_| UNKNOWN)?;
        let row: Row = match self.store.get(&key).await {
            Err(StoreError::NotFound { .. } | StoreError::Deleted) => return Err(UNKNOWN),
            found => decode(&found?)?,
        };
        if row.tenant != tenant.as_str() {
            return Err(UNKNOWN);
        }
        Ok(self.store.erase(&key).await?)
    }

    /// Waits until a device is revoked.
    ///
    /// This method is cancel safe.
    pub async fn revoked(&self, id: &str) {
        let Ok(key) = key(id) else { return };
        loop {
            match self.store.follow(&key, 0).await {
                // A device has no events: its stream only ends.
                Ok(mut events) => while events.next().await.is_some_and(|event| event.is_ok()) {},
                Err(StoreError::Deleted | StoreError::NotFound { .. }) => return,
                Err(_) => tokio::time::sleep(std::time::Duration::from_millis(500)).await,
            }
        }
    }
}

impl Row {
    fn device(self, id: &str) -> Device {
        Device {
            id: id.to_owned(),
            tenant: self.tenant,
            name: self.name,
            scope: self.scope,
            added_at_ms: self.added_at_ms,
            used_at_ms: self.used_at_ms,
        }
    }
}

fn invalid(error: impl std::fmt::Display) -> GatewayError {
    GatewayError::invalid(error.to_string())
}

fn devices() -> Result<TenantId, GatewayError> {
    TenantId::new(TENANT).map_err(invalid)
}

fn key(id: &str) -> Result<SessionKey, GatewayError> {
    Ok(SessionKey::new(
        devices()?,
        SessionId::new(id).map_err(invalid)?,
    ))
}

fn encode(row: &Row) -> Result<bytes::Bytes, GatewayError> {
    Ok(serde_json::to_vec(row).map_err(invalid)?.into())
}

fn decode(row: &SessionRow) -> Result<Row, GatewayError> {
    let decoded = serde_json::from_slice(&row.attributes);
    decoded.map_err(|error| GatewayError::Unavailable {
        reason: format!("the row of a device is damaged: {error}"),
    })
}

fn hash(secret: &str) -> String {
    let digest = Sha256::digest(secret.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| i64::try_from(now.as_millis()).unwrap_or(0))
}
