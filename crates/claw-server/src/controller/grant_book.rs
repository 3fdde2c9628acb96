//! Storage of grants.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::grants::{Grant, GrantScope, PolicyRequest};
use crate::session_id::SessionId;

#[derive(Debug, Default)]
pub(super) struct GrantBook {
    tenants: Mutex<HashMap<String, Vec<Grant>>>,
}

impl GrantBook {
    pub(super) fn add(&self, tenant: &str, grant: Grant) {
        let mut tenants = self.tenants();
        let grants = tenants.entry(tenant.to_owned()).or_default();
        if !grants.contains(&grant) {
            grants.push(grant);
        }
    }

    pub(super) fn remove(&self, tenant: &str, grant: &Grant) -> bool {
        let mut tenants = self.tenants();
        let Some(grants) = tenants.get_mut(tenant) else {
            return false;
        };
        let before = grants.len();
        grants.retain(|one| one != grant);
        grants.len() < before
    }

    /// Returns the grants that have not expired, and drops the others.
    pub(super) fn list(&self, tenant: &str, now_ms: i64) -> Vec<Grant> {
        let mut tenants = self.tenants();
        let Some(grants) = tenants.get_mut(tenant) else {
            return Vec::new();
        };
        grants.retain(|grant| grant.expires_at_ms.is_none_or(|end| now_ms < end));
        grants.clone()
    }

    /// Returns a grant that covers a request. This may access files, so the lock is not held.
    pub(super) fn covering(&self, tenant: &str, asked: &PolicyRequest<'_>) -> Option<Grant> {
        let grants = self.list(tenant, asked.now_ms);
        grants.into_iter().find(|grant| grant.covers(asked))
    }

    pub(super) fn session_ended(&self, tenant: &str, session_id: SessionId) {
        let mut tenants = self.tenants();
        if let Some(grants) = tenants.get_mut(tenant) {
            grants.retain(|grant| grant.scope != GrantScope::Session(session_id));
            if grants.is_empty() {
                tenants.remove(tenant);
            }
        }
    }

    fn tenants(&self) -> MutexGuard<'_, HashMap<String, Vec<Grant>>> {
        // Nothing panics while the lock is held.
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
