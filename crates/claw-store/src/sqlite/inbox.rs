//! The inbox in SQLite.

use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use rusqlite::Connection;
use sha2::{Digest as _, Sha256};

use super::SqliteStore;
use super::live::{Note, Watch};
use super::tx::{Fault, Held, Tx, find, int, name, row};
use crate::claim::Claim;
use crate::error::StoreError;
use crate::event::check_size;
use crate::id::{IdempotencyKey, SessionKey};
use crate::inbox::{Command, MAX_WAITING, NewCommand, Submitted};
use crate::store::{BoxFuture, BoxStream, Inbox, Result};

impl Inbox for SqliteStore {
    fn submit<'a>(
        &'a self,
        key: &'a SessionKey,
        command: NewCommand,
    ) -> BoxFuture<'a, Result<Submitted>> {
        let (key, NewCommand { key: name, body }) = (key.clone(), command);
        // A larger body is never stored.
        let hash = (body.len() <= MAX_WAITING.bytes).then(|| Sha256::digest(&body).to_vec());
        self.write(move |tx| {
            check_size([&body])?;
            let sid = find(tx.conn, &key)?;
            let sql = "SELECT k, hash IS ? FROM inbox WHERE sid = ? AND name = ?";
            let params = (&hash, sid, name.as_str());
            let earlier = row(tx.conn, sql, params, |row| Ok((row.get(0)?, row.get(1)?)))?;
            let is_repeat = earlier.is_some();
            let position = match earlier {
                Some((_, false)) => {
                    return Err(StoreError::conflict("the command of this key").into());
                }
                Some((position, true)) => position,
                None => add(tx, sid, name.as_str(), &hash, &body)?,
            };
            Ok(Submitted {
                position,
                is_repeat,
            })
        })
    }

    fn inbox<'a>(
        &'a self,
        claim: &'a Claim,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Result<Command>>>> {
        Box::pin(async move {
            let (held, store) = (Held::new(claim), self.clone());
            let head = self.query(move |conn| held.check(conn)).await?;
            let receiver = Receiver {
                watch: store.inner.live.watch(held.sid, claim.key(), head),
                store,
                held,
                after: 0,
            };
            let stream = stream::unfold(Some(receiver), |receiver| async {
                let mut receiver = receiver?;
                let command = receiver.next().await;
                let rest = command.is_ok().then_some(receiver);
                Some((command, rest))
            });
            Ok(Box::pin(stream) as BoxStream<'static, _>)
        })
    }
}

fn add(
    tx: &mut Tx<'_>,
    sid: i64,
    name: &str,
    hash: &Option<Vec<u8>>,
    body: &Bytes,
) -> Result<u64, Fault> {
    let sql = "SELECT count(*), coalesce(sum(length(body)), 0) FROM inbox
        WHERE sid = ? AND body IS NOT NULL";
    let waiting = row(tx.conn, sql, [sid], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (count, bytes): (usize, usize) = waiting.unwrap_or_default();
    if count >= MAX_WAITING.events || bytes + body.len() > MAX_WAITING.bytes {
        let advice = "wait until the owner has applied some commands";
        return Err(StoreError::full("the inbox", advice).into());
    }
    tx.execute(
        "UPDATE head SET submitted = submitted + 1 WHERE id = ?",
        [sid],
    )?;
    let sql = "INSERT INTO inbox (sid, k, name, hash, body)
        SELECT id, submitted, ?, ?, ? FROM head WHERE id = ? RETURNING k";
    let mut statement = tx.conn.prepare_cached(sql)?;
    let params = (name, hash, body.as_ref(), sid);
    let position = statement.query_row(params, |row| row.get(0))?;
    tx.notes.push(Note::Inbox(sid));
    Ok(position)
}

/// Receives the commands of a session while a claim is valid.
struct Receiver {
    store: SqliteStore,
    watch: Watch,
    held: Held,
    after: u64,
}

impl Receiver {
    async fn next(&mut self) -> Result<Command> {
        loop {
            let mut changed = pin!(self.watch.inbox.notified());
            // A change after this is noticed, also one during the read.
            changed.as_mut().enable();
            let (held, after) = (self.held, self.after);
            let read = self.store.query(move |conn| read(conn, held, after));
            match read.await {
                Ok(Some(command)) => {
                    self.after = command.position;
                    return Ok(command);
                }
                Ok(None) => changed.await,
                Err(StoreError::Unavailable { .. }) => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

fn read(conn: &Connection, held: Held, after: u64) -> Result<Option<Command>, Fault> {
    held.check(conn)?;
    let sql = "SELECT k, name, body FROM inbox WHERE sid = ? AND k > ? AND body IS NOT NULL
        ORDER BY k LIMIT 1";
    Ok(row(conn, sql, (held.sid, int(after)), |row| {
        Ok(Command {
            position: row.get(0)?,
            key: name(row, 1, IdempotencyKey::new)?,
            body: row.get::<_, Vec<u8>>(2)?.into(),
        })
    })?)
}
