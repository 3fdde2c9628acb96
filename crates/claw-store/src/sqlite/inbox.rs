//! The inbox in SQLite.

use sha2::{Digest as _, Sha256};

use super::tx::{Fault, Note, Tx, body, int, name};
use crate::event::check_size;
use crate::inbox::MAX_WAITING;
use crate::{Claim, Command, IdempotencyKey, NewCommand, Result, SessionKey, Submitted};

impl Tx<'_> {
    pub(super) fn submit(
        &mut self,
        key: &SessionKey,
        new: &NewCommand,
    ) -> Result<Submitted, Fault> {
        check_size([&new.body])?;
        let sid = self.find(key)?;
        let hash = hash_of(new);
        if let Some(repeat) = self.repeat(sid, new, hash.as_ref())? {
            return Ok(repeat);
        }
        let sql = "SELECT count(*), coalesce(sum(length(body)), 0) FROM inbox
            WHERE sid = ? AND body IS NOT NULL";
        let waiting = self.row(sql, [sid], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (count, bytes) = waiting.unwrap_or_default();
        new.check_space(count, bytes)?;
        let sql = "UPDATE head SET submitted = submitted + 1 WHERE id = ?";
        self.execute(sql, [sid])?;
        let sql = "INSERT INTO inbox (sid, k, name, hash, body)
            SELECT id, submitted, ?, ?, ? FROM head WHERE id = ? RETURNING k";
        let mut statement = self.conn.prepare_cached(sql)?;
        let params = (new.key.as_str(), hash, new.body.as_ref(), sid);
        let position = statement.query_row(params, |row| row.get(0))?;
        self.notes.push(Note::Inbox(sid));
        Ok(Submitted {
            position,
            is_repeat: false,
        })
    }

    pub(super) fn find_command(
        &self,
        key: &SessionKey,
        new: &NewCommand,
    ) -> Result<Option<Submitted>, Fault> {
        self.repeat(self.find(key)?, new, hash_of(new).as_ref())
    }

    fn repeat(
        &self,
        sid: i64,
        new: &NewCommand,
        hash: Option<&Vec<u8>>,
    ) -> Result<Option<Submitted>, Fault> {
        let sql = "SELECT k, hash IS ? FROM inbox WHERE sid = ? AND name = ?";
        let params = (hash, sid, new.key.as_str());
        let earlier = self.row(sql, params, |row| Ok((row.get(0)?, row.get(1)?)))?;
        let repeat = earlier.map(|(position, is_same)| Submitted::repeat(position, is_same));
        Ok(repeat.transpose()?)
    }

    /// Returns the first command after a position.
    pub(super) fn next_command(&self, claim: &Claim, after: u64) -> Result<Option<Command>, Fault> {
        let (sid, _) = self.check(claim)?;
        let sql = "SELECT k, name, body FROM inbox WHERE sid = ? AND k > ? AND body IS NOT NULL
            ORDER BY k LIMIT 1";
        Ok(self.row(sql, (sid, int(after)), |row| {
            Ok(Command {
                position: row.get(0)?,
                key: name(row, 1, IdempotencyKey::new)?,
                body: body(row, 2)?,
            })
        })?)
    }
}

/// Returns the hash of a body, unless it is too large to be stored.
fn hash_of(new: &NewCommand) -> Option<Vec<u8>> {
    let is_small = new.body.len() <= MAX_WAITING.bytes;
    is_small.then(|| Sha256::digest(&new.body).to_vec())
}
