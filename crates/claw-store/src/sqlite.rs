//! The store for one machine: a file, no server.
//!
//! One thread writes. It puts all calls that wait into one transaction, so that they share one wait
//! for the disk, and replies after the commit. There is no timer: a single call is committed at
//! once. Reads run on connections of their own and never wait for the writer. Several processes may
//! open the same file. SQLite serializes their transactions, and each write compares the epoch and
//! the last sequence in the transaction that it belongs to.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use rusqlite::Connection;
use tokio::sync::{Notify, Semaphore};

use self::live::{LiveState, Watch};
use self::schema::Connector;
use self::tx::{Fault, Tx, sid};
use self::writer::Writer;
use crate::hub::{Attached, Hub, lock};
use crate::{
    BoxFuture, Claim, Durability, DurabilityLevel, OpenError, Result, SessionKey, Store, StoreError,
};

mod directory;
#[cfg(feature = "contract")]
mod hooks;
mod inbox;
mod interactions;
mod live;
mod log;
mod records;
mod schema;
mod sweep;
mod tx;
mod upkeep;
mod writer;

pub use schema::SqliteOptions;
pub use upkeep::{Quota, Retention};

/// A store in a file of SQLite. Clones share their connections.
#[derive(Clone)]
pub struct SqliteStore {
    inner: Arc<Inner>,
}

struct Inner {
    connector: Connector,
    writer: Writer,
    /// Connections that read beside the writer.
    readers: Mutex<Vec<Connection>>,
    /// One for each read at a time.
    permits: Semaphore,
    live: Arc<LiveState>,
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.inner.connector.path;
        f.debug_struct("SqliteStore").field("path", path).finish()
    }
}

impl SqliteStore {
    /// Opens a database, or creates it. An older schema is migrated.
    ///
    /// # Errors
    /// The file cannot be opened, is of another program, or has a newer schema.
    pub async fn open(
        path: impl AsRef<Path> + Send,
        options: SqliteOptions,
    ) -> Result<Self, OpenError> {
        let path = path.as_ref().to_owned();
        let connector = Connector { path, options };
        let opened = tokio::task::spawn_blocking(move || {
            let live = Arc::new(LiveState::default());
            let writer = Writer::start(connector.clone(), live.clone())?;
            live.start(&connector)?;
            let inner = Arc::new(Inner {
                permits: Semaphore::new(connector.options.readers.max(1)),
                readers: Mutex::default(),
                connector,
                writer,
                live,
            });
            Ok(Self { inner })
        });
        opened.await.unwrap_or_else(|error| {
            let reason = error.to_string();
            Err(OpenError::Failed { reason })
        })
    }

    fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut Tx<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> BoxFuture<'_, Result<T>> {
        Box::pin(self.inner.writer.call(work))
    }

    /// Runs a call on a snapshot of the database, on a thread for blocking calls.
    fn query<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Tx<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> BoxFuture<'_, Result<T>> {
        Box::pin(async {
            let inner = self.inner.clone();
            let permit = self.inner.permits.acquire().await;
            let _permit = permit.map_err(StoreError::unavailable)?;
            let read = tokio::task::spawn_blocking(move || {
                let idle = lock(&inner.readers).pop();
                let conn = idle.map_or_else(|| inner.connector.reader(), Ok)?;
                conn.prepare_cached("BEGIN")?.execute([])?;
                let result = work(&mut Tx::new(&conn));
                // A connection that failed is closed.
                if !matches!(result, Err(Fault::Engine(_))) {
                    conn.prepare_cached("COMMIT")?.execute([])?;
                    lock(&inner.readers).push(conn);
                }
                result
            });
            Ok(read.await.map_err(StoreError::unavailable)??)
        })
    }

    fn hub(&self) -> &Arc<Hub> {
        &self.inner.live.hub
    }

    async fn subscribe(&self, key: &SessionKey) -> Result<Attached> {
        let name = key.clone();
        let found = self.query(move |tx| {
            let sid = tx.find(&name)?;
            Ok((sid, tx.head(sid)?))
        });
        let (sid, head) = found.await?;
        let guard = Box::new(self.inner.live.watch(sid, key, head));
        let last = head.last;
        Ok(Attached { last, guard })
    }

    fn publish(&self, claim: &Claim, body: Bytes) {
        let live = &self.inner.live;
        live.publish_delta(sid(claim), claim.key(), claim.delta(body));
    }

    async fn watch(&self, claim: &Claim) -> Result<(Arc<Notify>, Watch)> {
        let owned = claim.clone();
        let (sid, head) = self.query(move |tx| tx.check(&owned)).await?;
        let watch = self.inner.live.watch(sid, claim.key(), head);
        Ok((watch.inbox.clone(), watch))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.live.close();
    }
}

impl Store for SqliteStore {
    /// Reads the settings of the connection that writes.
    fn durability(&self) -> BoxFuture<'_, Durability> {
        Box::pin(async {
            let path = self.inner.connector.path.clone();
            let settings = self.write(move |tx| {
                let journal = tx
                    .conn
                    .pragma_query_value(None, "journal_mode", |row| row.get(0))?;
                let sync = tx
                    .conn
                    .pragma_query_value(None, "synchronous", |row| row.get(0))?;
                Ok((journal, sync, is_in_memory(&path)))
            });
            rate(settings.await)
        })
    }
}

crate::local::implement_store!(SqliteStore);

fn rate(settings: Result<(String, u8, bool)>) -> Durability {
    let level = match &settings {
        Ok((journal, 2.., false)) if journal == "wal" => DurabilityLevel::PowerLoss,
        Ok((journal, ..)) if journal != "memory" && journal != "off" => {
            DurabilityLevel::ProcessCrash
        }
        _ => DurabilityLevel::Memory,
    };
    let evidence = match settings {
        Err(error) => vec![format!("the settings cannot be read: {error}")],
        Ok((journal, synchronous, is_in_memory)) => vec![
            format!("journal_mode = {journal}, for a power cut: wal"),
            format!("synchronous = {synchronous}, for a power cut: 2 (FULL)"),
            format!("file system in memory: {is_in_memory}"),
            "one disk: its loss is the loss of the data".to_owned(),
        ],
    };
    Durability { level, evidence }
}

/// Returns whether a file is in memory, on systems where that can be seen.
fn is_in_memory(path: &Path) -> bool {
    #[cfg(target_os = "linux")]
    if let Ok(status) = rustix::fs::statfs(path) {
        // The types of tmpfs and ramfs.
        return [0x0102_1994, 0x8584_58f6].contains(&status.f_type);
    }
    let _ = path;
    false
}
