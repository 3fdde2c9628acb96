//! Quotas, retention, deletion in parts, and backups.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use super::SqliteStore;
use super::live::Note;
use super::schema::{Connector, sync_directory};
use super::tx::{Fault, Tx, int, now_ms, row, rows};
use crate::error::StoreError;
use crate::id::TenantId;
use crate::store::Result;

/// The tables with the content of sessions.
const TABLES: [&str; 5] = ["event", "inbox", "interaction", "mirror", "blob"];

/// What a tenant may store. `None` is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quota {
    /// The size of all events, checkpoints, requests of interactions, blobs and mirrored lines.
    pub bytes: Option<u64>,
    /// The number of sessions that are not erased.
    pub sessions: Option<u64>,
}

/// Which events are deleted. Events of a session that has not ended are deleted only up to its
/// checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// The age up to which events are kept, by the clock of the machine.
    pub max_age: Duration,
    /// Whether sessions that have not ended keep all their events.
    pub ended_only: bool,
}

impl SqliteStore {
    /// Sets the quota of a tenant. It is stored in the database. What is stored already is kept.
    ///
    /// # Errors
    /// `Full`, `Unavailable`.
    pub async fn set_quota(&self, tenant: &TenantId, quota: Quota) -> Result<()> {
        let tenant = tenant.clone();
        let set = self.write(move |tx| {
            let sql = "INSERT INTO tenant (name, max_bytes, max_sessions) VALUES (?, ?, ?)
                ON CONFLICT (name) DO UPDATE
                SET max_bytes = excluded.max_bytes, max_sessions = excluded.max_sessions";
            let Quota { bytes, sessions } = quota;
            tx.execute(sql, (tenant.as_str(), bytes.map(int), sessions.map(int)))?;
            Ok(())
        });
        set.await
    }

    /// Deletes old events. Their readers get `Truncated` from now on; the rows are deleted in parts
    /// afterwards. Returns the number of events.
    ///
    /// # Errors
    /// `Full`, `Unavailable`. Some events may be deleted.
    pub async fn retain(&self, policy: Retention) -> Result<u64> {
        let age = i64::try_from(policy.max_age.as_millis()).unwrap_or(i64::MAX);
        let before = now_ms().saturating_sub(age);
        let mut deleted = 0;
        loop {
            // A session whose first event is kept is not selected again.
            let page = self.query(move |conn| {
                let sql = "SELECT h.id FROM head h JOIN session s ON s.id = h.id
                    JOIN event e ON e.sid = h.id AND e.k = h.first AND e.at < ?1
                    LEFT JOIN checkpoint c ON c.sid = h.id WHERE h.status <> 2
                    AND (s.state = 'ended' OR (NOT ?2 AND c.k >= h.first)) LIMIT 64";
                Ok(rows(conn, sql, (before, policy.ended_only), |row| {
                    row.get(0)
                })?)
            });
            let sids: Vec<i64> = page.await?;
            if sids.is_empty() {
                return Ok(deleted);
            }
            for sid in sids {
                deleted += self.write(move |tx| truncate(tx, sid, before)).await?;
            }
        }
    }

    /// Copies the database to a new file while it is used. The copy is a store of its own.
    ///
    /// # Errors
    /// `Conflict` if the file exists, `Full`, `Unavailable`.
    pub async fn backup(&self, path: impl AsRef<Path> + Send) -> Result<()> {
        let path = path.as_ref().to_owned();
        let connector = self.inner.connector.clone();
        let copied = tokio::task::spawn_blocking(move || backup(&connector, &path));
        copied.await.map_err(StoreError::unavailable)?
    }
}

/// Makes at most 10,000 old events of a session unreadable. Returns their number.
fn truncate(tx: &mut Tx<'_>, sid: i64, before: i64) -> Result<u64, Fault> {
    let sql = "SELECT h.first, min(h.first + 10000,
            CASE s.state WHEN 'ended' THEN h.last ELSE coalesce(c.k, 0) END + 1)
        FROM head h JOIN session s ON s.id = h.id LEFT JOIN checkpoint c ON c.sid = h.id
        WHERE h.id = ? AND h.status <> 2";
    let bounds = row(tx.conn, sql, [sid], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (first, end): (i64, i64) = bounds.unwrap_or_default();
    let sql = "SELECT k FROM event WHERE sid = ? AND k >= ? AND k < ? AND at >= ? ORDER BY k";
    let kept = row(tx.conn, sql, (sid, first, end, before), |row| row.get(0))?;
    let cut = kept.unwrap_or(end);
    if cut > first {
        tx.execute("UPDATE head SET first = ? WHERE id = ?", (cut, sid))?;
        tx.notes.push(Note::Truncated);
    }
    Ok(cut.saturating_sub(first).max(0).cast_unsigned())
}

pub(super) fn has_trash(conn: &Connection) -> rusqlite::Result<bool> {
    Ok(row(conn, "SELECT 1 FROM trash LIMIT 1", [], |_| Ok(()))?.is_some())
}

/// Deletes some rows of erased sessions and truncated logs: at most 256, and of large ones about
/// 1 MiB. Returns whether there may be more.
pub(super) fn sweep(tx: &mut Tx<'_>) -> rusqlite::Result<bool> {
    let sql = "SELECT h.id, h.first, h.status = 2 FROM trash t JOIN head h ON h.id = t.sid LIMIT 1";
    let found = row(tx.conn, sql, [], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    })?;
    let Some((sid, first, is_erased)): Option<(i64, i64, bool)> = found else {
        return Ok(false);
    };
    let (tables, below) = match is_erased {
        true => (&TABLES[..], "TRUE OR ?2"),
        false => (&TABLES[..1], "k < ?2"),
    };
    for table in tables {
        let sql = format!(
            "DELETE FROM {table} WHERE id IN (SELECT id FROM (
                SELECT id, len, sum(len) OVER (ORDER BY id) AS total FROM (
                    SELECT id, coalesce(length(body), 0) AS len FROM {table}
                    WHERE sid = ?1 AND ({below}) LIMIT 256))
                WHERE total - len < 1048576) RETURNING coalesce(length(body), 0)"
        );
        let sizes = rows(tx.conn, &sql, (sid, first), |row| row.get::<_, i64>(0))?;
        if !sizes.is_empty() {
            // The bytes of an erased session are no longer counted.
            let bytes = if is_erased { 0 } else { sizes.iter().sum() };
            let sql = "UPDATE head SET bytes = bytes - ? WHERE id = ?";
            tx.execute(sql, (bytes, sid))?;
            return Ok(true);
        }
    }
    tx.execute("DELETE FROM trash WHERE sid = ?", [sid])?;
    Ok(true)
}

fn backup(connector: &Connector, path: &Path) -> Result<()> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::StorageFull => StoreError::full("the disk", "free some space"),
        _ => StoreError::unavailable(format_args!("{}: {error}", path.display())),
    };
    if path.exists() {
        return Err(StoreError::conflict(path.display()));
    }
    // A part of a copy never has the final name.
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    copy(connector, part.as_ref()).inspect_err(|_| {
        let _ = fs::remove_file(&part);
    })?;
    let synced = File::open(&part).and_then(|file| file.sync_all());
    let moved = synced.and_then(|()| fs::rename(&part, path));
    moved.and_then(|()| sync_directory(path)).map_err(failed)
}

/// Copies all pages in one step: a writer between two steps would start the copy again.
fn copy(connector: &Connector, path: &Path) -> Result<(), Fault> {
    let from = connector.reader()?;
    let mut to = Connection::open(path)?;
    match Backup::new(&from, &mut to)?.step(-1)? {
        StepResult::Done => Ok(()),
        _ => Err(StoreError::unavailable("the database is locked").into()),
    }
}
