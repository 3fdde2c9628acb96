//! Blobs and the copies of session files in SQLite.

use std::ops::Range;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::SqliteStore;
use super::tx::{Fault, Held, Tx, find, int, page, row, rows};
use crate::claim::Claim;
use crate::error::StoreError;
use crate::event::{BlobRef, ReadLimit, check_size};
use crate::id::SessionKey;
use crate::store::{Blobs, BoxFuture, Mirror, Result};

impl Blobs for SqliteStore {
    fn put_blob<'a>(&'a self, claim: &'a Claim, body: Bytes) -> BoxFuture<'a, Result<BlobRef>> {
        let held = Held::new(claim);
        Box::pin(async move {
            check_size([&body])?;
            // The hash of a large body takes too long for a thread of the runtime.
            let content = body.clone();
            let hash = move || format!("{:x}", Sha256::digest(&content));
            let hash = tokio::task::spawn_blocking(hash).await;
            let hash = hash.map_err(StoreError::unavailable)?;
            let put = self.write(move |tx| {
                held.check(tx.conn)?;
                let (hash, len) = (hash.clone(), body.len() as u64);
                let sql = "SELECT 1 FROM blob WHERE sid = ? AND hash = ?";
                if row(tx.conn, sql, (held.sid, &hash), |_| Ok(()))?.is_none() {
                    tx.grow(held.sid, len)?;
                    let sql = "INSERT INTO blob (sid, hash, body) VALUES (?, ?, ?)";
                    tx.execute(sql, (held.sid, &hash, body.as_ref()))?;
                }
                Ok(BlobRef { hash, len })
            });
            put.await
        })
    }

    fn get_blob<'a>(
        &'a self,
        key: &'a SessionKey,
        hash: &'a str,
        range: Range<u64>,
    ) -> BoxFuture<'a, Result<Bytes>> {
        let (key, hash) = (key.clone(), hash.to_owned());
        self.query(move |conn| {
            let sql = "SELECT id FROM blob WHERE sid = ? AND hash = ?";
            let id = row(conn, sql, (find(conn, &key)?, &hash), |row| row.get(0))?;
            let id = id.ok_or_else(|| StoreError::not_found("the blob"))?;
            let blob = conn.blob_open("main", "blob", "body", id, true)?;
            let clamp = |at: u64| usize::try_from(at).map_or(blob.len(), |at| at.min(blob.len()));
            let (start, end) = (clamp(range.start), clamp(range.end));
            let mut part = vec![0; end.saturating_sub(start)];
            blob.read_at_exact(&mut part, start)?;
            Ok(part.into())
        })
    }
}

impl Mirror for SqliteStore {
    fn mirror<'a>(
        &'a self,
        claim: &'a Claim,
        file: &'a str,
        expected_last: u64,
        lines: &'a [Bytes],
    ) -> BoxFuture<'a, Result<u64>> {
        let (held, file, lines) = (Held::new(claim), file.to_owned(), lines.to_vec());
        self.write(move |tx| {
            check_size(&lines)?;
            held.check(tx.conn)?;
            mirror(tx, held.sid, &file, expected_last, &lines)
        })
    }

    fn mirrored_files<'a>(
        &'a self,
        key: &'a SessionKey,
    ) -> BoxFuture<'a, Result<Vec<(String, u64)>>> {
        let key = key.clone();
        self.query(move |conn| {
            let sql = "SELECT name, last FROM mirror_file WHERE sid = ? ORDER BY name";
            let sid = find(conn, &key)?;
            Ok(rows(conn, sql, [sid], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?)
        })
    }

    fn mirrored<'a>(
        &'a self,
        key: &'a SessionKey,
        file: &'a str,
        after: u64,
        limit: ReadLimit,
    ) -> BoxFuture<'a, Result<Vec<Bytes>>> {
        let (key, file) = (key.clone(), file.to_owned());
        self.query(move |conn| {
            let sid = find(conn, &key)?;
            let sql = "SELECT id FROM mirror_file WHERE sid = ? AND name = ?";
            let file = row(conn, sql, (sid, &file), |row| row.get::<_, i64>(0))?;
            let file = file.ok_or_else(|| StoreError::not_found("the file"))?;
            let sql = "SELECT body FROM mirror WHERE sid = ? AND file = ? AND k > ? ORDER BY k";
            Ok(page(conn, sql, (sid, file, int(after)), limit, |row| {
                let line = Bytes::copy_from_slice(row.get_ref(0)?.as_blob()?);
                let size = line.len();
                Ok((line, size))
            })?)
        })
    }
}

fn mirror(
    tx: &mut Tx<'_>,
    sid: i64,
    name: &str,
    expected_last: u64,
    lines: &[Bytes],
) -> Result<u64, Fault> {
    let after = int(expected_last);
    let last = after.saturating_add(int(lines.len() as u64));
    let sql = "SELECT id, last FROM mirror_file WHERE sid = ? AND name = ?";
    let found = row(tx.conn, sql, (sid, name), |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    let (file, current): (i64, i64) = found.unwrap_or_default();
    if current != after {
        let sql = "SELECT body FROM mirror WHERE sid = ? AND file = ? AND k > ? ORDER BY k";
        let read = |row: &rusqlite::Row<'_>| row.get::<_, Vec<u8>>(0);
        // An earlier call may have stored the lines.
        if current == last
            && lines
                .iter()
                .eq(&rows(tx.conn, sql, (sid, file, after), read)?)
        {
            return Ok(last.cast_unsigned());
        }
        return Err(StoreError::conflict("the last line of the file").into());
    }
    tx.grow(sid, lines.iter().map(|line| line.len() as u64).sum())?;
    let sql = "INSERT INTO mirror_file (sid, name, last) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET last = excluded.last RETURNING id";
    let mut statement = tx.conn.prepare_cached(sql)?;
    let file: i64 = statement.query_row((sid, name, last), |row| row.get(0))?;
    let sql = "INSERT INTO mirror (sid, file, k, body) VALUES (?, ?, ?, ?)";
    for (line, number) in lines.iter().zip(after + 1..) {
        tx.execute(sql, (sid, file, number, line.as_ref()))?;
    }
    Ok(last.cast_unsigned())
}
