//! Faults of a memory store, for the contract suite.

use std::sync::Arc;

use bytes::Bytes;

use super::MemoryStore;
use crate::hub::lock;
use crate::id::SessionKey;
use crate::store::Result;

#[doc(hidden)]
impl MemoryStore {
    /// Deletes the events before a sequence.
    pub fn cut_history(&self, key: &SessionKey, first: u64) -> Result<()> {
        let mut data = lock(&self.data);
        let session = data.session(key)?;
        session.events.retain(|event| event.sequence >= first);
        session.cut = first - 1;
        Ok(())
    }

    /// Writes a frame without the check of the claim.
    pub fn write_frame(&self, key: &SessionKey, epoch: u64, first: u64) -> Result<()> {
        let body = Bytes::from_static(b"void");
        lock(&self.data)
            .session(key)?
            .add_frame(epoch, first, &[body]);
        Ok(())
    }

    /// Returns how many frames did not count.
    pub fn void_frames(&self, key: &SessionKey) -> Result<u64> {
        Ok(lock(&self.data).session(key)?.voids)
    }

    /// Loses live messages, or stops losing them.
    pub fn set_silent(&self, is_silent: bool) {
        lock(&self.data).is_silent = is_silent;
    }

    /// Announces the last events of all sessions, as an engine does from time to time.
    pub fn announce(&self) {
        let mut data = lock(&self.data);
        let rows = data.sessions.values().flatten().map(|session| &session.row);
        let heads: Vec<_> = rows.map(|row| (row.key.clone(), row.last)).collect();
        let is_silent = std::mem::take(&mut data.is_silent);
        data.publish(|hub| heads.iter().for_each(|(key, last)| hub.head(key, *last)));
        data.is_silent = is_silent;
    }

    /// Rejects writes as a full disk does, or stops rejecting them.
    pub fn set_full(&self, is_full: bool) {
        lock(&self.data).is_full = is_full;
    }

    /// Stops or starts the engine.
    pub fn set_stopped(&self, is_stopped: bool) {
        lock(&self.data).is_stopped = is_stopped;
    }

    /// Returns how many sessions have followers, over all handles.
    pub fn subscriptions(&self) -> usize {
        Arc::strong_count(&lock(&self.data).subscription) - 1
    }
}
