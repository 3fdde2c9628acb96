//! Connections and the schema of the database.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::tx::wait_for_lock;
use crate::OpenError;

/// The steps from an empty database to the current schema. Released steps never change.
const STEPS: [&str; 2] = [include_str!("schema/1.sql"), include_str!("schema/2.sql")];

/// Marks the file as a store: "claw" in ASCII.
const APPLICATION_ID: u32 = 0x636c_6177;

/// How much of the log is written before SQLite copies it into the database.
const CHECKPOINT_PAGES: u32 = 4000;

/// How a database is opened.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    /// Whether a write is on the disk before it is acknowledged. Without this, a power cut loses the
    /// latest writes.
    pub is_synchronous: bool,
    /// How long a write waits while another process writes.
    pub busy_timeout: Duration,
    /// The maximum number of reads at a time.
    pub readers: usize,
}

impl Default for SqliteOptions {
    /// Synchronous, 5 s, 4 readers.
    fn default() -> Self {
        Self {
            is_synchronous: true,
            busy_timeout: Duration::from_secs(5),
            readers: 4,
        }
    }
}

/// Opens connections to one database.
#[derive(Debug, Clone)]
pub(super) struct Connector {
    pub(super) path: PathBuf,
    pub(super) options: SqliteOptions,
}

impl Connector {
    /// Opens a connection for the writer. The first one creates the file, or brings its schema up to
    /// date.
    pub(super) fn writer(&self) -> Result<Connection, OpenError> {
        let mut conn = self.connect(OpenFlags::SQLITE_OPEN_CREATE)?;
        migrate(&mut conn)?;
        sync_directory(&self.path).map_err(failed)?;
        wait_for_lock(self.options.busy_timeout, || {
            conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))
        })?;
        let synchronous = if self.options.is_synchronous {
            "FULL"
        } else {
            "NORMAL"
        };
        // The log shrinks again after a large body. The content of erased sessions is overwritten.
        conn.execute_batch(&format!(
            "PRAGMA synchronous = {synchronous}; PRAGMA fullfsync = TRUE;
            PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}; PRAGMA journal_size_limit = 67108864;
            PRAGMA secure_delete = TRUE"
        ))?;
        conn.busy_timeout(Duration::ZERO)?;
        Ok(conn)
    }

    /// Opens a connection that cannot write.
    pub(super) fn reader(&self) -> rusqlite::Result<Connection> {
        let conn = self.connect(OpenFlags::empty())?;
        conn.execute_batch("PRAGMA query_only = TRUE")?;
        Ok(conn)
    }

    fn connect(&self, extra: OpenFlags) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | extra;
        let conn = Connection::open_with_flags(&self.path, flags)?;
        conn.busy_timeout(self.options.busy_timeout)?;
        conn.execute_batch("PRAGMA foreign_keys = FALSE")?;
        conn.set_prepared_statement_cache_capacity(64);
        Ok(conn)
    }
}

/// Starts a thread.
pub(super) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), OpenError> {
    let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(run);
    spawned.map(drop).map_err(failed)
}

fn failed(reason: impl ToString) -> OpenError {
    let reason = reason.to_string();
    OpenError::Failed { reason }
}

fn migrate(conn: &mut Connection) -> Result<(), OpenError> {
    let supported = STEPS.len();
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let pragma = |name| tx.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
    let (found, application) = (pragma("user_version")?, pragma("application_id")?);
    let tables: u32 = tx.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if (found, application, tables) != (0, 0, 0) && application != APPLICATION_ID {
        return Err(failed("the file is a database of another program"));
    }
    let Some(steps) = STEPS.get(found as usize..) else {
        let supported = u32::try_from(supported).unwrap_or(u32::MAX);
        return Err(OpenError::NewerSchema { found, supported });
    };
    if !steps.is_empty() {
        for step in steps {
            tx.execute_batch(step)?;
        }
        tx.pragma_update(None, "application_id", APPLICATION_ID)?;
        tx.pragma_update(None, "user_version", supported)?;
    }
    Ok(tx.commit()?)
}

/// Makes the name of a new file durable: SQLite does this for its log only.
pub(super) fn sync_directory(path: &Path) -> io::Result<()> {
    let parent = path.parent().unwrap_or(path);
    let is_named = !parent.as_os_str().is_empty();
    if cfg!(unix) {
        File::open(if is_named { parent } else { Path::new(".") })?.sync_all()?;
    }
    Ok(())
}

impl From<rusqlite::Error> for OpenError {
    fn from(error: rusqlite::Error) -> Self {
        failed(error)
    }
}
