//! Faults of a SQLite store, for the contract suite.

use std::sync::atomic::Ordering;

use super::SqliteStore;
use crate::id::SessionKey;
use crate::store::Result;

#[doc(hidden)]
impl SqliteStore {
    /// Loses live messages, or stops losing them.
    pub fn set_silent(&self, is_silent: bool) {
        let live = &self.inner.live;
        live.is_silent.store(is_silent, Ordering::Relaxed);
    }

    /// Returns how often a session is watched.
    pub fn subscriptions(&self, key: &SessionKey) -> usize {
        self.inner.live.watches(key)
    }

    /// Prevents the database from growing, as a full disk does, or allows it again.
    pub async fn set_full(&self, is_full: bool) -> Result<()> {
        let pages = if is_full { 1 } else { u32::MAX - 1 };
        // SQLite uses the current size if that is larger.
        let set = self.write(move |tx| {
            let set = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
            tx.conn
                .pragma_update_and_check(None, "max_page_count", pages, set)?;
            Ok(())
        });
        set.await
    }
}
