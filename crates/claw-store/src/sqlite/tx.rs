//! Statements, and a transaction of the writer.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use rusqlite::ffi::{SQLITE_CONSTRAINT_TRIGGER, SQLITE_IOERR_SHMSIZE};
use rusqlite::{Connection, Error, ErrorCode, OptionalExtension as _, Params, Row};

use crate::{
    Claim, Event, NodeId, NodeRef, Owner, ReadLimit, Result, SessionId, SessionKey, StoreError,
    TenantId,
};

/// The pause between two attempts to get a lock.
const BUSY_PAUSE: Duration = Duration::from_micros(500);

/// Why a call on a connection failed.
#[derive(Debug)]
pub(super) enum Fault {
    /// The call is not allowed, and has changed nothing.
    Refused(StoreError),
    /// SQLite failed, and nothing of the transaction may be kept.
    Engine(Error),
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        match &error {
            // The claim is of another database.
            Error::QueryReturnedNoRows => StoreError::not_found("the session").into(),
            // A trigger refuses what a quota does not allow. It has undone the statement.
            Error::SqliteFailure(code, Some(unit))
                if code.extended_code == SQLITE_CONSTRAINT_TRIGGER =>
            {
                let what = format!("the tenant's quota of {unit}");
                StoreError::full(what, "erase sessions or raise the quota").into()
            }
            _ => Self::Engine(error),
        }
    }
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Refused(error) => error,
            Fault::Engine(error) => refusal(&error),
        }
    }
}

/// Converts an error of SQLite for callers.
pub(super) fn refusal(error: &Error) -> StoreError {
    use ErrorCode::{ConstraintViolation, DatabaseCorrupt, DiskFull, NotADatabase};
    match error.sqlite_error() {
        Some(code) if code.code == DiskFull || code.extended_code == SQLITE_IOERR_SHMSIZE => {
            StoreError::full("the disk", "free some space; reads still work")
        }
        // A violated constraint means that another program has written rows.
        Some(code) if [ConstraintViolation, DatabaseCorrupt, NotADatabase].contains(&code.code) => {
            StoreError::damaged("the database", error)
        }
        _ => StoreError::unavailable(error),
    }
}

pub(super) fn is_busy(error: &Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(
        code,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// Tries a call until another process does not hold the lock that it needs. SQLite itself would wait
/// for up to 100 ms at a time, and starve beside a busy process.
pub(super) fn wait_for_lock<T>(
    timeout: Duration,
    mut call: impl FnMut() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let start = Instant::now();
    loop {
        match call() {
            Err(error) if is_busy(&error) && start.elapsed() < timeout => {
                std::thread::sleep(BUSY_PAUSE);
            }
            result => return result,
        }
    }
}

/// SQLite has signed integers. No sequence reaches the limit, so a larger one matches nothing.
pub(super) fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns the time in milliseconds since 1970.
pub(super) fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| i64::try_from(now.as_millis()).unwrap_or(0))
}

/// A change that was committed.
pub(super) enum Note {
    Events(SessionKey, Arc<[Event]>),
    Moved(i64, SessionKey, Owner),
    /// A command was added, or the session was released.
    Inbox(i64),
    Erased(i64, SessionKey),
    Truncated,
}

/// The part of a session whose changes are published.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    /// 0 without an owner, 1 with one, 2 if the session is erased.
    pub(super) status: u8,
    pub(super) epoch: u64,
    pub(super) last: u64,
    pub(super) submitted: u64,
}

/// A transaction. Each call of the contract is a method.
pub(super) struct Tx<'a> {
    pub(super) conn: &'a Connection,
    /// The changes to publish after the commit.
    pub(super) notes: Vec<Note>,
    /// The time of the transaction, in milliseconds since 1970.
    pub(super) now_ms: i64,
    /// The size of the bodies that were written.
    pub(super) written: u64,
}

impl<'a> Tx<'a> {
    /// Uses the transaction of a connection.
    pub(super) fn new(conn: &'a Connection) -> Self {
        Self {
            conn,
            notes: Vec::new(),
            now_ms: now_ms(),
            written: 0,
        }
    }

    /// Begins a transaction that writes. Waits while another process writes.
    pub(super) fn begin(conn: &'a Connection, timeout: Duration) -> rusqlite::Result<Self> {
        wait_for_lock(timeout, || {
            conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])
        })?;
        Ok(Self::new(conn))
    }

    /// Commits, and returns what to publish.
    pub(super) fn commit(self) -> rusqlite::Result<Vec<Note>> {
        self.execute("COMMIT", [])?;
        Ok(self.notes)
    }

    /// Runs a cached statement and returns the number of changed rows.
    pub(super) fn execute(&self, sql: &str, params: impl Params) -> rusqlite::Result<usize> {
        self.conn.prepare_cached(sql)?.execute(params)
    }

    /// Runs a cached statement and returns the first row, if there is one.
    pub(super) fn row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Option<T>> {
        let mut statement = self.conn.prepare_cached(sql)?;
        statement.query_row(params, read).optional()
    }

    /// Runs a cached statement and returns as many rows as a limit allows.
    pub(super) fn page<T>(
        &self,
        sql: &str,
        params: impl Params,
        limit: ReadLimit,
        size: impl Fn(&T) -> usize,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Vec<T>> {
        let mut statement = self.conn.prepare_cached(sql)?;
        limit.page(statement.query_map(params, read)?, size)
    }

    /// Runs a cached statement and returns all rows.
    pub(super) fn rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Vec<T>> {
        let mut statement = self.conn.prepare_cached(sql)?;
        statement.query_map(params, read)?.collect()
    }

    /// Finds a session of a tenant.
    pub(super) fn find(&self, key: &SessionKey) -> Result<i64, Fault> {
        let sql = "SELECT s.id, s.state = 'erased' FROM session s JOIN tenant t ON t.id = s.tenant
            WHERE t.name = ? AND s.name = ?";
        let names = (key.tenant.as_str(), key.session.as_str());
        match self.row(sql, names, |row| Ok((row.get(0)?, row.get(1)?)))? {
            None => Err(StoreError::not_found("the session").into()),
            Some((_, true)) => Err(StoreError::Deleted.into()),
            Some((sid, false)) => Ok(sid),
        }
    }

    pub(super) fn head(&self, sid: i64) -> rusqlite::Result<Head> {
        let sql = "SELECT status, epoch, last, submitted FROM head WHERE id = ?";
        self.conn.prepare_cached(sql)?.query_row([sid], |row| {
            Ok(Head {
                status: row.get(0)?,
                epoch: row.get(1)?,
                last: row.get(2)?,
                submitted: row.get(3)?,
            })
        })
    }

    /// Checks that a claim owns its session. Returns the id of the session and its state.
    ///
    /// # Errors
    /// `Fenced`, `Deleted`.
    pub(super) fn check(&self, claim: &Claim) -> Result<(i64, Head), Fault> {
        let sid = sid(claim);
        let head = self.head(sid)?;
        match head.status {
            2 => Err(StoreError::Deleted.into()),
            1 if head.epoch == claim.epoch() => Ok((sid, head)),
            _ => {
                let by = self.owner(sid)?;
                Err(StoreError::Fenced { by }.into())
            }
        }
    }

    /// Returns the owner of a session.
    pub(super) fn owner(&self, sid: i64) -> rusqlite::Result<Option<Owner>> {
        let sql = "SELECT s.node, s.incarnation, h.epoch FROM session s JOIN head h USING (id)
            WHERE s.id = ?";
        Ok(self.row(sql, [sid], |row| read_owner(row, 0))?.flatten())
    }

    /// Counts the bytes of a body before it is written.
    ///
    /// # Errors
    /// `Full` if the tenant's quota does not allow it.
    pub(super) fn grow(&mut self, sid: i64, bytes: usize) -> Result<(), Fault> {
        self.written += bytes as u64;
        let sql = "UPDATE head SET bytes = bytes + ? WHERE id = ?";
        self.execute(sql, (bytes, sid))?;
        Ok(())
    }
}

/// Returns the id of the session of a claim.
pub(super) fn sid(claim: &Claim) -> i64 {
    claim.position().cast_signed()
}

/// Reads the columns `node`, `incarnation` and `epoch`.
pub(super) fn read_owner(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<Owner>> {
    if row.get_ref(at)? == rusqlite::types::ValueRef::Null {
        return Ok(None);
    }
    let (node, epoch) = (read_node(row, at)?, row.get(at + 2)?);
    Ok(Some(Owner { node, epoch }))
}

/// Reads the columns `node` and `incarnation`.
pub(super) fn read_node(row: &Row<'_>, at: usize) -> rusqlite::Result<NodeRef> {
    let node = name(row, at, NodeId::new)?;
    let incarnation = row.get::<_, i64>(at + 1)?.cast_unsigned();
    Ok(NodeRef { node, incarnation })
}

/// Reads a session whose tenant is known.
pub(super) fn read_key(
    row: &Row<'_>,
    at: usize,
    tenant: &TenantId,
) -> rusqlite::Result<SessionKey> {
    Ok(SessionKey::new(
        tenant.clone(),
        name(row, at, SessionId::new)?,
    ))
}

/// Reads a name.
pub(super) fn name<T, E>(
    row: &Row<'_>,
    at: usize,
    new: impl FnOnce(&str) -> std::result::Result<T, E>,
) -> rusqlite::Result<T> {
    let name = row.get_ref(at)?.as_str()?;
    new(name).map_err(|_| Error::InvalidColumnName(name.to_owned()))
}

/// Reads a body.
pub(super) fn body(row: &Row<'_>, at: usize) -> rusqlite::Result<Bytes> {
    Ok(Bytes::copy_from_slice(row.get_ref(at)?.as_blob()?))
}
