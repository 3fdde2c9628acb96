//! Quotas, retention and backups.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use super::SqliteStore;
use super::schema::{Connector, sync_directory};
use super::tx::{Fault, Note, Tx, int, now_ms};
use crate::{Result, StoreError, TenantId};

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
            let page = self.query(move |tx| {
                let sql = "SELECT h.id FROM head h JOIN session s ON s.id = h.id
                    JOIN event e ON e.sid = h.id AND e.k = h.first AND e.at < ?1
                    LEFT JOIN checkpoint c ON c.sid = h.id WHERE h.status <> 2
                    AND (s.state = 'ended' OR (NOT ?2 AND c.k >= h.first)) LIMIT 64";
                let params = (before, policy.ended_only);
                Ok(tx.rows(sql, params, |row| row.get(0))?)
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
    let bounds = tx.row(sql, [sid], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (first, end): (i64, i64) = bounds.unwrap_or_default();
    let sql = "SELECT k FROM event WHERE sid = ? AND k >= ? AND k < ? AND at >= ? ORDER BY k";
    let kept = tx.row(sql, (sid, first, end, before), |row| row.get(0))?;
    let cut = kept.unwrap_or(end);
    if cut > first {
        tx.execute("UPDATE head SET first = ? WHERE id = ?", (cut, sid))?;
        tx.notes.push(Note::Truncated);
    }
    Ok(cut.saturating_sub(first).max(0).cast_unsigned())
}

fn backup(connector: &Connector, path: &Path) -> Result<()> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::StorageFull => StoreError::full("the disk", "free some space"),
        _ => StoreError::unavailable(format_args!("{}: {error}", path.display())),
    };
    if path.exists() {
        return Err(StoreError::conflict(path.display()));
    }
    // An incomplete copy never has the final name.
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
