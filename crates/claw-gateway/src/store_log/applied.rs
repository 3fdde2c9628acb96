//! Tracks which commands of claimed sessions are applied.

use std::sync::Arc;

use claw_server::{LogError, SessionId};
use claw_store::{Batch, Claim, StoreError};
use tokio::sync::OwnedMutexGuard;

use super::StoreLog;
use super::owned::Owned;

impl StoreLog {
    /// Returns the position up to which the commands of a session are applied, under an epoch.
    pub(crate) fn applied(&self, session_id: SessionId, epoch: u64) -> Option<u64> {
        self.owned(session_id, epoch, |owned| owned.applied())
    }

    /// Marks the commands up to a position as applied in the append that has the input of this key.
    pub(crate) fn set_accepting(&self, session_id: SessionId, key: &str, position: u64) {
        if let Some(owned) = self.claims().get_mut(&session_id) {
            owned.set_accepting(key, position);
        }
    }

    /// Returns the number of applied positions that are not stored.
    pub(crate) fn unstored(&self, session_id: SessionId) -> u64 {
        self.claims().get(&session_id).map_or(0, Owned::unstored)
    }

    /// Stores the applied position without events. Does nothing while the result of an append is
    /// unknown, because that append is repeated.
    ///
    /// # Errors
    /// Those of [`claw_store::Log::append`].
    pub(crate) async fn store_applied(
        &self,
        session_id: SessionId,
        epoch: u64,
    ) -> Result<(), StoreError> {
        let Ok((claim, appending)) = self.begin_append(session_id, epoch).await else {
            return Ok(());
        };
        let next = self.owned(session_id, epoch, |owned| owned.next());
        let Some((last, applied)) = next.flatten() else {
            return Ok(());
        };
        let batch = Batch {
            events: Vec::new(),
            applied: Some(applied),
        };
        let appended = self.store.append(&claim, last, &batch).await?;
        let end = |owned: &mut Owned| owned.end_append(appended.last, Some(applied));
        self.owned(session_id, epoch, end);
        drop(appending);
        Ok(())
    }

    /// Waits for the append before this one, and returns the claim for an append under this epoch.
    pub(super) async fn begin_append(
        &self,
        session_id: SessionId,
        epoch: u64,
    ) -> Result<(Arc<Claim>, OwnedMutexGuard<()>), LogError> {
        let claim = self.claim_of(session_id, epoch)?;
        let appending = self.owned(session_id, epoch, |owned| Arc::clone(&owned.appending));
        let appending = appending.ok_or(LogError::Fenced)?.lock_owned().await;
        Ok((claim, appending))
    }

    /// Returns the sessions that this process has claimed.
    pub(crate) fn all_claimed(&self) -> Vec<SessionId> {
        self.claims().keys().copied().collect()
    }

    /// Drops the claim of an epoch. The store keeps this process as the owner, so that another one
    /// takes the session over.
    pub(crate) fn abandon(&self, session_id: SessionId, epoch: u64) {
        let is_it = |owned: &Owned| owned.claim.epoch() == epoch;
        let mut claims = self.claims();
        if claims.get(&session_id).is_some_and(is_it) {
            claims.remove(&session_id);
        }
    }
}
