//! The log in SQLite.

use std::sync::Arc;

use bytes::Bytes;
use rusqlite::Connection;

use super::SqliteStore;
use super::live::{Head, Note};
use super::tx::{Fault, Held, Tx, damaged, find, int, page, row, rows};
use crate::claim::Claim;
use crate::error::StoreError;
use crate::event::{Appended, Batch, Checkpoint, Event, Live, ReadLimit, check_size};
use crate::hub::{Attached, Source};
use crate::id::SessionKey;
use crate::store::{BoxFuture, BoxStream, Log, Result};

impl Log for SqliteStore {
    fn append<'a>(
        &'a self,
        claim: &'a Claim,
        expected_last: u64,
        batch: &'a Batch,
    ) -> BoxFuture<'a, Result<Appended>> {
        let (held, key, applied) = (Held::new(claim), claim.key().clone(), batch.applied);
        let sequences = expected_last.saturating_add(1)..;
        let event = |(body, sequence): (&Bytes, u64)| Event {
            sequence,
            epoch: held.epoch,
            body: body.clone(),
        };
        let events: Arc<[_]> = batch.events.iter().zip(sequences).map(event).collect();
        Box::pin(async move {
            check_size(&batch.events)?;
            self.write(move |tx| {
                let last = append(tx, held, &key, int(expected_last), &events)?;
                apply(tx, held.sid, applied)?;
                Ok(Appended { last })
            })
            .await
        })
    }

    fn read<'a>(
        &'a self,
        key: &'a SessionKey,
        after: u64,
        limit: ReadLimit,
    ) -> BoxFuture<'a, Result<Vec<Event>>> {
        Source::read(self, key, after, limit)
    }

    fn follow<'a>(
        &'a self,
        key: &'a SessionKey,
        after: u64,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Result<Live>>>> {
        let hub = &self.inner.live.hub;
        Box::pin(hub.follow(Arc::new(self.clone()), key, after))
    }

    fn publish_delta(&self, claim: &Claim, body: Bytes) {
        let (live, sid) = (&self.inner.live, Held::new(claim).sid);
        live.publish_delta(sid, claim.key(), claim.delta(body));
    }

    fn save_checkpoint<'a>(
        &'a self,
        claim: &'a Claim,
        checkpoint: &'a Checkpoint,
    ) -> BoxFuture<'a, Result<()>> {
        let (held, Checkpoint { sequence, body }) = (Held::new(claim), checkpoint.clone());
        self.write(move |tx| {
            check_size([&body])?;
            held.check(tx.conn)?;
            let sql = "UPDATE head SET bytes = bytes + ?2
                - coalesce((SELECT length(body) FROM checkpoint WHERE sid = ?1), 0) WHERE id = ?1";
            tx.execute(sql, (held.sid, body.len()))?;
            tx.written += body.len() as u64;
            let sql = "INSERT OR REPLACE INTO checkpoint (sid, k, body) VALUES (?, ?, ?)";
            tx.execute(sql, (held.sid, int(sequence), body.as_ref()))?;
            Ok(())
        })
    }

    fn checkpoint<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Option<Checkpoint>>> {
        let key = key.clone();
        self.query(move |conn| {
            let sql = "SELECT k, body FROM checkpoint WHERE sid = ?";
            Ok(row(conn, sql, [find(conn, &key)?], |row| {
                let (sequence, body) = (row.get(0)?, row.get::<_, Vec<u8>>(1)?.into());
                Ok(Checkpoint { sequence, body })
            })?)
        })
    }
}

fn append(
    tx: &mut Tx<'_>,
    held: Held,
    key: &SessionKey,
    after: i64,
    events: &Arc<[Event]>,
) -> Result<u64, Fault> {
    let (sid, epoch) = (held.sid, int(held.epoch));
    let last = after.saturating_add(int(events.len() as u64));
    let bytes: usize = events.iter().map(|event| event.body.len()).sum();
    // The fence. A trigger checks the quota.
    let sql = "UPDATE head SET last = ?1, bytes = bytes + ?2
        WHERE id = ?3 AND epoch = ?4 AND status = 1 AND last = ?5";
    if tx.execute(sql, (last, bytes, sid, epoch, after))? == 1 {
        tx.written += bytes as u64;
        let sql = "INSERT INTO event (sid, k, epoch, at, body) VALUES (?, ?, ?, ?, ?)";
        let mut statement = tx.conn.prepare_cached(sql)?;
        for Event { sequence, body, .. } in &**events {
            statement.execute((sid, int(*sequence), epoch, tx.now_ms, body.as_ref()))?;
        }
        tx.notes.push(Note::Events(key.clone(), events.clone()));
        return Ok(last.cast_unsigned());
    }
    // An earlier call may have stored the events.
    if int(held.check(tx.conn)?.last) == last {
        let stored = rows(tx.conn, EVENTS, (sid, after, last), read_event)?;
        if stored.iter().map(|(event, _)| event).eq(&**events) {
            return Ok(last.cast_unsigned());
        }
    }
    Err(StoreError::conflict("the last event").into())
}

/// Marks commands as applied.
fn apply(tx: &Tx<'_>, sid: i64, applied: Option<u64>) -> rusqlite::Result<()> {
    if let Some(applied) = applied.map(int) {
        let sql = "UPDATE head SET applied = max(applied, min(submitted, ?2)) WHERE id = ?1";
        tx.execute(sql, (sid, applied))?;
        let sql = "UPDATE inbox SET body = NULL WHERE sid = ? AND k <= ? AND body IS NOT NULL";
        tx.execute(sql, (sid, applied))?;
    }
    Ok(())
}

impl Source for SqliteStore {
    fn attach<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Attached>> {
        Box::pin(async move {
            let name = key.clone();
            let found = self.query(move |conn| {
                let sid = find(conn, &name)?;
                Ok((sid, Head::read(conn, sid)?))
            });
            let (sid, head) = found.await?;
            let guard = Box::new(self.inner.live.watch(sid, key, head));
            let last = head.last;
            Ok(Attached { last, guard })
        })
    }

    fn read<'a>(
        &'a self,
        key: &'a SessionKey,
        after: u64,
        limit: ReadLimit,
    ) -> BoxFuture<'a, Result<Vec<Event>>> {
        let key = key.clone();
        self.query(move |conn| read_events(conn, find(conn, &key)?, after, limit))
    }
}

/// Selects what [`read_event`] reads. Rows beyond the last event of the session do not count.
const EVENTS: &str =
    "SELECT k, epoch, body FROM event WHERE sid = ? AND k > ? AND k <= ? ORDER BY k";

/// Reads an event and its size.
fn read_event(row: &rusqlite::Row<'_>) -> rusqlite::Result<(Event, usize)> {
    let (sequence, epoch) = (row.get(0)?, row.get(1)?);
    let body = Bytes::copy_from_slice(row.get_ref(2)?.as_blob()?);
    let size = body.len();
    let event = Event {
        sequence,
        epoch,
        body,
    };
    Ok((event, size))
}

fn read_events(
    conn: &Connection,
    sid: i64,
    after: u64,
    limit: ReadLimit,
) -> Result<Vec<Event>, Fault> {
    let sql = "SELECT first, last FROM head WHERE id = ?";
    let bounds = row(conn, sql, [sid], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (first, last): (u64, u64) = bounds.unwrap_or_default();
    let next = after.saturating_add(1);
    if next < first {
        return Err(StoreError::Truncated { first }.into());
    }
    let events = page(
        conn,
        EVENTS,
        (sid, int(after), int(last)),
        limit,
        read_event,
    )?;
    let expected = next..=last.min(next.saturating_add(events.len().max(1) as u64 - 1));
    if !events.iter().map(|event| event.sequence).eq(expected) {
        return Err(damaged(format!("the events after {after}"), "some are missing").into());
    }
    Ok(events)
}
