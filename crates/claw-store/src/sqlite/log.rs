//! The log in SQLite.

use std::sync::Arc;

use super::tx::{Fault, Note, Tx, body, int, sid};
use crate::event::check_size;
use crate::{Appended, Batch, Checkpoint, Claim, Event, ReadLimit, Result, SessionKey, StoreError};

/// Selects what [`read_event`] reads. Rows beyond the last event of the session do not count.
const EVENTS: &str =
    "SELECT k, epoch, body FROM event WHERE sid = ? AND k > ? AND k <= ? ORDER BY k";

impl Tx<'_> {
    pub(super) fn append(
        &mut self,
        claim: &Claim,
        expected_last: u64,
        batch: &Batch,
    ) -> Result<Appended, Fault> {
        check_size(&batch.events)?;
        let (sid, epoch) = (sid(claim), int(claim.epoch()));
        let sequences = expected_last.saturating_add(1)..;
        let events = batch.events.iter().zip(sequences);
        let events: Arc<[_]> = events
            .map(|(body, sequence)| Event {
                sequence,
                epoch: claim.epoch(),
                body: body.clone(),
            })
            .collect();
        let after = int(expected_last);
        let last = after.saturating_add(int(events.len() as u64));
        let bytes: usize = batch.events.iter().map(bytes::Bytes::len).sum();
        // The fence. A trigger checks the quota.
        let sql = "UPDATE head SET last = ?1, bytes = bytes + ?2
            WHERE id = ?3 AND epoch = ?4 AND status = 1 AND last = ?5";
        if self.execute(sql, (last, bytes, sid, epoch, after))? == 1 {
            self.written += bytes as u64;
            let sql = "INSERT INTO event (sid, k, epoch, at, body) VALUES (?, ?, ?, ?, ?)";
            let mut statement = self.conn.prepare_cached(sql)?;
            for Event { sequence, body, .. } in &*events {
                statement.execute((sid, int(*sequence), epoch, self.now_ms, body.as_ref()))?;
            }
            self.notes.push(Note::Events(claim.key().clone(), events));
        } else {
            // An earlier call may have stored the events.
            let is_last = int(self.check(claim)?.1.last) == last;
            if !is_last || self.rows(EVENTS, (sid, after, last), read_event)? != *events {
                return Err(StoreError::conflict("the last event").into());
            }
        }
        if let Some(applied) = batch.applied {
            self.apply(sid, int(applied))?;
        }
        let last = last.cast_unsigned();
        Ok(Appended { last })
    }

    /// Marks commands as applied.
    fn apply(&self, sid: i64, position: i64) -> rusqlite::Result<()> {
        let sql = "UPDATE head SET applied = max(applied, min(submitted, ?2)) WHERE id = ?1";
        self.execute(sql, (sid, position))?;
        let sql = "UPDATE inbox SET body = NULL WHERE sid = ? AND k <= ? AND body IS NOT NULL";
        self.execute(sql, (sid, position))?;
        Ok(())
    }

    pub(super) fn read(
        &self,
        key: &SessionKey,
        after: u64,
        limit: ReadLimit,
    ) -> Result<Vec<Event>, Fault> {
        let sid = self.find(key)?;
        let sql = "SELECT first, last FROM head WHERE id = ?";
        let bounds = self.row(sql, [sid], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (first, last): (u64, u64) = bounds.unwrap_or_default();
        let next = after.saturating_add(1);
        if next < first {
            return Err(StoreError::Truncated { first }.into());
        }
        let (params, size) = ((sid, int(after), int(last)), |event: &Event| {
            event.body.len()
        });
        let events = self.page(EVENTS, params, limit, size, read_event)?;
        let expected = next..=last.min(next.saturating_add(events.len().max(1) as u64 - 1));
        if !events.iter().map(|event| event.sequence).eq(expected) {
            let at = format!("the events after {after}");
            return Err(StoreError::damaged(at, "some are missing").into());
        }
        Ok(events)
    }

    pub(super) fn save_checkpoint(&mut self, claim: &Claim, new: &Checkpoint) -> Result<(), Fault> {
        let Checkpoint { sequence, body } = new;
        check_size([body])?;
        let (sid, _) = self.check(claim)?;
        let sql = "UPDATE head SET bytes = bytes + ?2
            - coalesce((SELECT length(body) FROM checkpoint WHERE sid = ?1), 0) WHERE id = ?1";
        self.execute(sql, (sid, body.len()))?;
        self.written += body.len() as u64;
        let sql = "INSERT OR REPLACE INTO checkpoint (sid, k, body) VALUES (?, ?, ?)";
        self.execute(sql, (sid, int(*sequence), body.as_ref()))?;
        Ok(())
    }

    pub(super) fn checkpoint(&self, key: &SessionKey) -> Result<Option<Checkpoint>, Fault> {
        let sql = "SELECT k, body FROM checkpoint WHERE sid = ?";
        Ok(self.row(sql, [self.find(key)?], |row| {
            let (sequence, body) = (row.get(0)?, body(row, 1)?);
            Ok(Checkpoint { sequence, body })
        })?)
    }
}

fn read_event(row: &rusqlite::Row<'_>) -> rusqlite::Result<Event> {
    Ok(Event {
        sequence: row.get(0)?,
        epoch: row.get(1)?,
        body: body(row, 2)?,
    })
}
