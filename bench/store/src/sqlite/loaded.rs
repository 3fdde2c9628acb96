//! A database with many sessions.

use std::path::Path;

use claw_store::{SessionId, SessionKey};
use rusqlite::{Connection, params};

use super::{BODY, TENANT, open, tenant};
use crate::Failure;

/// How many events each session has, except for the long one.
pub(super) const EVENTS: u64 = 10;
/// How many events the long session has.
pub(super) const LONG: u64 = 10_000;

/// Returns the key of a session; 0 is the long one.
pub(super) fn key(number: u64) -> Result<SessionKey, Failure> {
    Ok(SessionKey::new(
        tenant()?,
        SessionId::new(&format!("s-{number}"))?,
    ))
}

/// Creates a database with one long session and so many short ones. The events are in the order in
/// which sessions that run at the same time append them. They are inserted with the tables and
/// triggers of the store, but without a wait for the disk.
pub(super) async fn load(path: &Path, sessions: u64) -> Result<(), Failure> {
    drop(open(path).await?);
    let path = path.to_owned();
    tokio::task::spawn_blocking(move || insert(&path, sessions)).await?
}

fn insert(path: &Path, sessions: u64) -> Result<(), Failure> {
    let mut conn = Connection::open(path)?;
    conn.execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -400000")?;
    let tx = conn.transaction()?;
    tx.execute("INSERT INTO tenant (name) VALUES (?)", [TENANT])?;
    let (tenant, first) = (
        tx.last_insert_rowid(),
        tx.query_row("SELECT coalesce(max(id), 0) + 1 FROM session", [], |row| {
            row.get::<_, i64>(0)
        })?,
    );
    {
        let mut session = tx.prepare(
            "INSERT INTO session (id, tenant, name, number, create_key, create_hash, state,
            attributes) VALUES (?1, ?2, ?3, ?4, ?3, x'', 'asleep', x'')",
        )?;
        let mut event =
            tx.prepare("INSERT INTO event (sid, k, epoch, at, body) VALUES (?, ?, 1, 0, ?)")?;
        for number in 0..=sessions {
            let name = format!("s-{number}");
            let (id, number) = (first + number as i64, number as i64 + 1);
            session.execute(params![id, tenant, name, number])?;
        }
        let body = vec![b'x'; BODY];
        let (total, mut long) = (sessions * EVENTS, 0);
        for round in 0..EVENTS {
            for number in 1..=sessions {
                event.execute(params![first + number as i64, round + 1, body])?;
                let done = round * sessions + number;
                while long * total < done * LONG {
                    long += 1;
                    event.execute(params![first, long, body])?;
                }
            }
        }
        let bytes = |events: u64| events * BODY as u64;
        let sql = "UPDATE head SET last = ?, bytes = ?, epoch = 1 WHERE id ";
        tx.execute(&format!("{sql} = ?"), params![LONG, bytes(LONG), first])?;
        let all = params![EVENTS, bytes(EVENTS), first];
        tx.execute(&format!("{sql} > ?"), all)?;
    }
    tx.commit()?;
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}
