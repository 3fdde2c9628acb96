//! A SQLite store under test.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use claw_store::contract::{Action, Harness, HarnessError, Misconfigured, OldData, numbered_body};
use claw_store::{
    DurabilityLevel, SessionId, SessionKey, SqliteOptions, SqliteStore, Store, TenantId,
};
use rusqlite::{Connection, params};
use tempfile::TempDir;

use super::child::{self, Acks};
use super::power::{Trace, Unsynced};

const FIRST_SCHEMA: &str = include_str!("../../../src/sqlite/schema/1.sql");

pub(super) struct SqliteHarness {
    dir: TempDir,
    path: Mutex<PathBuf>,
    handles: Mutex<Vec<SqliteStore>>,
    /// Holds the lock for writes during an outage.
    outage: Mutex<Option<Connection>>,
    /// Rows that the unique index rejected.
    rejected: AtomicU64,
}

fn failed(error: impl ToString) -> HarnessError {
    HarnessError::Failed(error.to_string())
}

fn options() -> SqliteOptions {
    SqliteOptions {
        busy_timeout: Duration::from_secs(2),
        ..SqliteOptions::default()
    }
}

impl SqliteHarness {
    pub(super) fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let path = Mutex::new(dir.path().join("store.db"));
        Self {
            dir,
            path,
            handles: Mutex::default(),
            outage: Mutex::default(),
            rejected: AtomicU64::new(0),
        }
    }

    fn path(&self) -> PathBuf {
        self.path.lock().unwrap().clone()
    }

    fn handles(&self) -> Vec<SqliteStore> {
        self.handles.lock().unwrap().clone()
    }

    async fn open_handle(&self, path: PathBuf) -> Result<SqliteStore, HarnessError> {
        SqliteStore::open(path, options()).await.map_err(failed)
    }

    /// Runs SQL on a connection of its own, as another program does.
    fn raw(&self, sql: &str, params: impl rusqlite::Params) -> Result<usize, rusqlite::Error> {
        Connection::open(self.path())?.execute(sql, params)
    }
}

const SID: &str = "(SELECT s.id FROM session s JOIN tenant t ON t.id = s.tenant
    WHERE t.name = ?1 AND s.name = ?2)";

impl Harness for SqliteHarness {
    fn open(&self) -> Action<'_, Arc<dyn Store>> {
        Box::pin(async {
            let store = self.open_handle(self.path()).await?;
            self.handles.lock().unwrap().push(store.clone());
            Ok(Arc::new(store) as Arc<dyn Store>)
        })
    }

    fn restart(&self) -> Action<'_> {
        Box::pin(async { Ok(()) })
    }

    fn cut_history<'a>(&'a self, key: &'a SessionKey, first: u64) -> Action<'a> {
        Box::pin(async move {
            let sql = format!("UPDATE head SET first = ?3 WHERE id = {SID}");
            let names = (key.tenant.as_str(), key.session.as_str());
            self.raw(&sql, params![names.0, names.1, first])
                .map_err(failed)?;
            let sql = format!("INSERT OR IGNORE INTO trash SELECT {SID}");
            self.raw(&sql, params![names.0, names.1]).map_err(failed)?;
            Ok(())
        })
    }

    fn plant_frame<'a>(&'a self, key: &'a SessionKey, epoch: u64, sequence: u64) -> Action<'a> {
        Box::pin(async move {
            let sql =
                format!("INSERT INTO event (sid, k, epoch, at, body) SELECT {SID}, ?3, ?4, 0, x''");
            let (tenant, session) = (key.tenant.as_str(), key.session.as_str());
            match self.raw(&sql, params![tenant, session, sequence, epoch]) {
                Err(error)
                    if error.sqlite_error_code()
                        == Some(rusqlite::ErrorCode::ConstraintViolation) =>
                {
                    self.rejected.fetch_add(1, Ordering::Relaxed);
                    Ok(())
                }
                result => result.map(drop).map_err(failed),
            }
        })
    }

    fn void_frames<'a>(&'a self, key: &'a SessionKey) -> Action<'a, u64> {
        Box::pin(async move {
            let sql = format!("SELECT voids FROM head WHERE id = {SID}");
            let names = (key.tenant.as_str(), key.session.as_str());
            let conn = Connection::open(self.path()).map_err(failed)?;
            let removed = conn.query_row(&sql, names, |row| row.get::<_, u64>(0));
            Ok(removed.map_err(failed)? + self.rejected.load(Ordering::Relaxed))
        })
    }

    fn lose_live(&self, is_lost: bool) -> Action<'_> {
        Box::pin(async move {
            for store in self.handles() {
                store.set_silent(is_lost);
            }
            Ok(())
        })
    }

    fn subscriptions<'a>(&'a self, key: &'a SessionKey) -> Action<'a, usize> {
        Box::pin(async move {
            let handles = self.handles();
            Ok(handles.iter().map(|store| store.subscriptions(key)).sum())
        })
    }

    /// Interrupts all writers.
    fn change_leader(&self) -> Action<'_> {
        Box::pin(async {
            self.set_outage(true).await?;
            tokio::time::sleep(Duration::from_millis(300)).await;
            self.set_outage(false).await
        })
    }

    /// Locks the database, as a process does that writes for a long time.
    fn set_outage(&self, is_out: bool) -> Action<'_> {
        Box::pin(async move {
            let mut outage = self.outage.lock().unwrap();
            *outage = None;
            if is_out {
                let conn = Connection::open(self.path()).map_err(failed)?;
                conn.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
                *outage = Some(conn);
            }
            Ok(())
        })
    }

    fn set_disk_full(&self, is_full: bool) -> Action<'_> {
        Box::pin(async move {
            for store in self.handles() {
                store.set_full(is_full).await.map_err(failed)?;
            }
            Ok(())
        })
    }

    fn kill<'a>(&'a self, key: &'a SessionKey) -> Action<'a, u64> {
        Box::pin(async move {
            let command = child::command(&[], &self.path(), key, u64::MAX);
            let mut acks = Acks::start(command);
            let mut last = acks
                .by_ref()
                .nth(300)
                .ok_or_else(|| failed("the process ended"))?;
            acks.child.kill().map_err(failed)?;
            // Some more acknowledgments may be in the pipe.
            last = acks.last().unwrap_or(last);
            Ok(last.0)
        })
    }

    /// Runs a process on a copy, and goes on with its files as a power cut leaves them.
    fn cut_power<'a>(&'a self, key: &'a SessionKey) -> Action<'a, u64> {
        Box::pin(async move {
            let path = self.dir.path().join("traced.db");
            let store = self.open_handle(self.path()).await?;
            store.backup(&path).await.map_err(failed)?;
            let trace = Trace::record(&path, key, 200, &[]);
            let folder = self.dir.path().join("cut");
            let acked = trace.write_files(trace.len() * 3 / 4, Unsynced::None, &folder);
            *self.path.lock().unwrap() = folder.join("traced.db");
            Ok(acked)
        })
    }

    fn restore_backup(&self) -> Action<'_, Arc<dyn Store>> {
        Box::pin(async {
            let store = self.open_handle(self.path()).await?;
            let path = self.dir.path().join("backup.db");
            store.backup(&path).await.map_err(failed)?;
            let restored = self.open_handle(path).await?;
            Ok(Arc::new(restored) as Arc<dyn Store>)
        })
    }

    fn open_old_data(&self) -> Action<'_, OldData> {
        Box::pin(async {
            let path = self.dir.path().join("old.db");
            write_old_data(&path).map_err(failed)?;
            let tenant = TenantId::new("tenant").map_err(failed)?;
            let session = SessionId::new("old").map_err(failed)?;
            Ok(OldData {
                store: Arc::new(self.open_handle(path).await?),
                key: SessionKey::new(tenant, session),
                last: 3,
                epoch: 2,
            })
        })
    }

    fn misconfigured(&self) -> Action<'_, Vec<Misconfigured>> {
        Box::pin(async {
            let weak = SqliteOptions {
                is_synchronous: false,
                ..options()
            };
            let store = SqliteStore::open(self.path(), weak).await.map_err(failed)?;
            Ok(vec![Misconfigured {
                setting: "synchronous = NORMAL".to_owned(),
                store: Arc::new(store),
                at_most: DurabilityLevel::ProcessCrash,
            }])
        })
    }
}

fn write_old_data(path: &std::path::Path) -> rusqlite::Result<()> {
    let conn = Connection::open(path)?;
    conn.execute_batch(FIRST_SCHEMA)?;
    conn.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA application_id = 0x636c6177; PRAGMA user_version = 1;
        INSERT INTO tenant (id, name, number) VALUES (1, 'tenant', 1);
        INSERT INTO session (id, tenant, name, number, create_key, create_hash, state, attributes)
            VALUES (1, 1, 'old', 1, 'key', x'', 'asleep', x'');
        INSERT INTO head (id, tenant, epoch, last) VALUES (1, 1, 2, 3);",
    )?;
    for sequence in 1..=3 {
        let sql = "INSERT INTO event (sid, k, epoch, at, body) VALUES (1, ?, 2, 0, ?)";
        conn.execute(sql, (sequence, numbered_body(sequence).as_ref()))?;
    }
    Ok(())
}
