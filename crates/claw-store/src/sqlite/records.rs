//! Blobs and the copies of session files in SQLite.

use std::ops::Range;

use bytes::Bytes;

use super::tx::{Fault, Tx, body, int};
use crate::event::{check_size, clamp};
use crate::{BlobRef, Claim, ReadLimit, Result, SessionKey, StoreError};

/// Selects lines of a file.
const LINES: &str = "SELECT body FROM mirror WHERE sid = ? AND file = ? AND k > ? ORDER BY k";

impl Tx<'_> {
    pub(super) fn put_blob(
        &mut self,
        claim: &Claim,
        blob: &BlobRef,
        body: &Bytes,
    ) -> Result<(), Fault> {
        let (sid, _) = self.check(claim)?;
        let sql = "SELECT 1 FROM blob WHERE sid = ? AND hash = ?";
        if self.row(sql, (sid, &blob.hash), |_| Ok(()))?.is_none() {
            self.grow(sid, body.len())?;
            let sql = "INSERT INTO blob (sid, hash, body) VALUES (?, ?, ?)";
            self.execute(sql, (sid, &blob.hash, body.as_ref()))?;
        }
        Ok(())
    }

    pub(super) fn get_blob(
        &self,
        key: &SessionKey,
        hash: &str,
        range: &Range<u64>,
    ) -> Result<Bytes, Fault> {
        let sql = "SELECT id FROM blob WHERE sid = ? AND hash = ?";
        let id = self.row(sql, (self.find(key)?, hash), |row| row.get(0))?;
        let id = id.ok_or_else(|| StoreError::not_found("the blob"))?;
        let blob = self.conn.blob_open("main", "blob", "body", id, true)?;
        let range = clamp(range, blob.len());
        let mut part = vec![0; range.len()];
        blob.read_at_exact(&mut part, range.start)?;
        Ok(part.into())
    }

    /// Returns the id and the last line of a file.
    fn file(&self, sid: i64, name: &str) -> rusqlite::Result<Option<(i64, i64)>> {
        let sql = "SELECT id, last FROM mirror_file WHERE sid = ? AND name = ?";
        self.row(sql, (sid, name), |row| Ok((row.get(0)?, row.get(1)?)))
    }

    pub(super) fn mirror(
        &mut self,
        claim: &Claim,
        name: &str,
        expected_last: u64,
        lines: &[Bytes],
    ) -> Result<u64, Fault> {
        check_size(lines)?;
        let (sid, _) = self.check(claim)?;
        let after = int(expected_last);
        let last = after.saturating_add(int(lines.len() as u64));
        let (file, current) = self.file(sid, name)?.unwrap_or_default();
        if current != after {
            // An earlier call may have stored the lines.
            let is_last = current == last;
            if is_last && self.rows(LINES, (sid, file, after), |row| body(row, 0))? == lines {
                return Ok(last.cast_unsigned());
            }
            return Err(StoreError::conflict("the last line of the file").into());
        }
        self.grow(sid, lines.iter().map(Bytes::len).sum())?;
        let sql = "INSERT INTO mirror_file (sid, name, last) VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET last = excluded.last RETURNING id";
        let mut statement = self.conn.prepare_cached(sql)?;
        let file: i64 = statement.query_row((sid, name, last), |row| row.get(0))?;
        let sql = "INSERT INTO mirror (sid, file, k, body) VALUES (?, ?, ?, ?)";
        for (line, number) in lines.iter().zip(after + 1..) {
            self.execute(sql, (sid, file, number, line.as_ref()))?;
        }
        Ok(last.cast_unsigned())
    }

    pub(super) fn mirrored_files(&self, key: &SessionKey) -> Result<Vec<(String, u64)>, Fault> {
        let sql = "SELECT name, last FROM mirror_file WHERE sid = ? ORDER BY name";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        Ok(self.rows(sql, [self.find(key)?], read)?)
    }

    pub(super) fn mirrored(
        &self,
        key: &SessionKey,
        name: &str,
        after: u64,
        limit: ReadLimit,
    ) -> Result<Vec<Bytes>, Fault> {
        let sid = self.find(key)?;
        let file = self.file(sid, name)?;
        let (file, _) = file.ok_or_else(|| StoreError::not_found("the file"))?;
        let params = (sid, file, int(after));
        Ok(self.page(LINES, params, limit, Bytes::len, |row| body(row, 0))?)
    }
}
