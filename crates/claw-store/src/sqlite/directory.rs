//! Sessions and nodes in SQLite.

use rusqlite::Row;
use sha2::{Digest as _, Sha256};

use super::tx::{Fault, Note, Tx, body, int, name, read_key, read_node, read_owner, sid};
use crate::{
    Claim, ClaimReason, Created, NewSession, NodeId, NodeRecord, NodeRef, Owner, PageToken, Result,
    Revision, SessionId, SessionKey, SessionPage, SessionPatch, SessionRow, SessionState,
    StoreError, TenantId,
};

/// Selects what [`read_row`] reads.
const ROW: &str = "SELECT s.name, s.number, s.revision, s.state, s.node, s.incarnation, h.epoch,
    h.last, s.attributes FROM session s JOIN head h ON h.id = s.id";

impl Tx<'_> {
    pub(super) fn create(&mut self, new: &NewSession) -> Result<Created, Fault> {
        let tenant = new.tenant.as_str();
        let id = new.session.as_ref().map_or("", SessionId::as_str);
        let content = Sha256::new().chain_update(id).chain_update([0]);
        let hash = content.chain_update(&new.attributes).finalize().to_vec();
        let sql = "SELECT s.id, s.create_hash = ?3, s.state = 'erased' FROM session s
            JOIN tenant t ON t.id = s.tenant WHERE t.name = ?1 AND s.create_key = ?2";
        let params = (tenant, new.key.as_str(), &hash);
        let earlier = self.row(sql, params, |row| {
            Ok((row.get(0)?, row.get::<_, bool>(1)?, row.get::<_, bool>(2)?))
        })?;
        let is_repeat = earlier.is_some();
        let sid = match earlier {
            Some((_, false, _)) => {
                return Err(StoreError::conflict("the session of this key").into());
            }
            Some((_, true, true)) => return Err(StoreError::Deleted.into()),
            Some((sid, ..)) => sid,
            None => {
                let session = new.session.clone().unwrap_or_else(SessionId::random);
                let key = SessionKey::new(new.tenant.clone(), session);
                match self.find(&key) {
                    Err(Fault::Refused(StoreError::NotFound { .. })) => {}
                    Err(error) => return Err(error),
                    Ok(_) => return Err(StoreError::conflict("the session of this id").into()),
                }
                self.execute("INSERT OR IGNORE INTO tenant (name) VALUES (?)", [tenant])?;
                let sql = "INSERT INTO session (tenant, name, number, create_key, create_hash,
                    state, attributes)
                    SELECT id, ?, number + 1, ?, ?, 'new', ? FROM tenant WHERE name = ?";
                let (name, attributes) = (key.session.as_str(), new.attributes.as_ref());
                self.execute(sql, (name, new.key.as_str(), &hash, attributes, tenant))?;
                self.conn.last_insert_rowid()
            }
        };
        let row = self.load(&new.tenant, sid)?;
        Ok(Created { row, is_repeat })
    }

    pub(super) fn get(&self, key: &SessionKey) -> Result<SessionRow, Fault> {
        self.load(&key.tenant, self.find(key)?)
    }

    fn load(&self, tenant: &TenantId, sid: i64) -> Result<SessionRow, Fault> {
        let sql = format!("{ROW} WHERE s.id = ?");
        let row = self.row(&sql, [sid], |row| read_row(row, tenant))?;
        row.ok_or_else(|| StoreError::not_found("the session").into())
    }

    pub(super) fn list(
        &self,
        tenant: &TenantId,
        from: Option<&PageToken>,
        limit: usize,
    ) -> Result<SessionPage, Fault> {
        let sql = format!(
            "{ROW} WHERE s.tenant = (SELECT id FROM tenant WHERE name = ?) AND s.number > ?
            AND s.state <> 'erased' ORDER BY s.number LIMIT ?"
        );
        let params = (tenant.as_str(), PageToken::after(from)?, int(limit as u64));
        let rows = self.rows(&sql, params, |row| read_row(row, tenant))?;
        Ok(SessionPage::new(rows, limit))
    }

    pub(super) fn update(
        &self,
        key: &SessionKey,
        expected: Revision,
        patch: &SessionPatch,
    ) -> Result<Revision, Fault> {
        let sql = "UPDATE session SET revision = revision + 1,
            attributes = coalesce(?, attributes) WHERE id = ? AND revision = ?";
        let (sid, attributes) = (self.find(key)?, patch.attributes.as_deref());
        match self.execute(sql, (attributes, sid, int(expected.0)))? {
            0 => Err(StoreError::conflict("the session").into()),
            _ => Ok(Revision(expected.0 + 1)),
        }
    }

    pub(super) fn erase(&mut self, key: &SessionKey) -> Result<(), Fault> {
        let sid = match self.find(key) {
            Err(Fault::Refused(StoreError::Deleted)) => return Ok(()),
            found => found?,
        };
        self.execute("UPDATE head SET status = 2, bytes = 0 WHERE id = ?", [sid])?;
        self.notes.push(Note::Erased(sid, key.clone()));
        Ok(())
    }

    pub(super) fn claim(
        &mut self,
        key: &SessionKey,
        node: &NodeRef,
        reason: ClaimReason,
    ) -> Result<Claim, Fault> {
        let sid = self.find(key)?;
        // Rows that another program wrote. No reader sees them, but appends would find them.
        let sql = "DELETE FROM event WHERE sid = ?1 AND k > (SELECT last FROM head WHERE id = ?1)";
        let voids = self.execute(sql, [sid])?;
        if voids > 0 {
            tracing::error!(session = %key, voids, "removed events that were not appended");
        }
        let sql = "UPDATE session SET revision = revision + 1, state = 'awake', node = ?,
            incarnation = ?, reason = ? WHERE id = ?";
        let incarnation = node.incarnation.cast_signed();
        self.execute(sql, (node.node.as_str(), incarnation, reason.as_str(), sid))?;
        let sql = "UPDATE head SET epoch = epoch + 1, status = 1, voids = voids + ?2 WHERE id = ?1
            RETURNING epoch, last, applied, submitted";
        let mut statement = self.conn.prepare_cached(sql)?;
        let claim = statement.query_row((sid, voids), |row| {
            let (node, epoch) = (node.clone(), row.get(0)?);
            let (owner, position) = (Owner { node, epoch }, sid.cast_unsigned());
            let (last, applied, submitted) = (row.get(1)?, row.get(2)?, row.get(3)?);
            let key = key.clone();
            Ok(Claim::new(key, owner, last, applied, submitted, position))
        })?;
        let owner = claim.owner().clone();
        self.notes.push(Note::Moved(sid, key.clone(), owner));
        Ok(claim)
    }

    pub(super) fn release(&mut self, claim: &Claim, to: SessionState) -> Result<(), Fault> {
        match self.check(claim) {
            Err(Fault::Refused(StoreError::Fenced { .. })) => return Ok(()),
            checked => checked?,
        };
        let sid = sid(claim);
        self.execute("UPDATE head SET status = 0 WHERE id = ?", [sid])?;
        let sql = "UPDATE session SET revision = revision + 1, state = ?, node = NULL,
            incarnation = NULL, reason = NULL WHERE id = ?";
        self.execute(sql, (to.as_str(), sid))?;
        self.notes.push(Note::Inbox(sid));
        Ok(())
    }

    pub(super) fn put_node(
        &self,
        record: &NodeRecord,
        expected: Revision,
    ) -> Result<Revision, Fault> {
        let sql = match expected.0 {
            0 => "INSERT INTO node VALUES (?, ?, ?, ?, ?, ?6 + 1) ON CONFLICT DO NOTHING",
            _ => {
                "UPDATE node SET incarnation = ?2, counter = ?3, is_leaving = ?4, body = ?5,
                revision = ?6 + 1 WHERE name = ?1 AND revision = ?6"
            }
        };
        let params = rusqlite::params![
            record.node.node.as_str(),
            record.node.incarnation.cast_signed(),
            record.counter.cast_signed(),
            record.is_leaving,
            record.body.as_ref(),
            int(expected.0),
        ];
        match self.execute(sql, params)? {
            0 => Err(StoreError::conflict("the node").into()),
            _ => Ok(Revision(expected.0 + 1)),
        }
    }

    pub(super) fn nodes(&self) -> Result<Vec<NodeRecord>, Fault> {
        let sql = "SELECT name, incarnation, counter, is_leaving, body, revision FROM node
            ORDER BY name";
        Ok(self.rows(sql, [], |row| {
            Ok(NodeRecord {
                node: read_node(row, 0)?,
                counter: row.get::<_, i64>(2)?.cast_unsigned(),
                is_leaving: row.get(3)?,
                body: body(row, 4)?,
                revision: Revision(row.get(5)?),
            })
        })?)
    }

    pub(super) fn sessions_of(
        &self,
        node: &NodeId,
        below: u64,
    ) -> Result<Vec<(SessionKey, Owner)>, Fault> {
        let sql = "SELECT t.name, s.name, s.node, s.incarnation, h.epoch FROM session s
            JOIN head h ON h.id = s.id JOIN tenant t ON t.id = s.tenant
            WHERE s.node = ? AND s.incarnation < ?";
        let owned = self.rows(sql, (node.as_str(), int(below)), |row| {
            let key = read_key(row, 1, &name(row, 0, TenantId::new)?)?;
            Ok(read_owner(row, 2)?.map(|owner| (key, owner)))
        })?;
        Ok(owned.into_iter().flatten().collect())
    }
}

fn read_row(row: &Row<'_>, tenant: &TenantId) -> rusqlite::Result<SessionRow> {
    Ok(SessionRow {
        key: read_key(row, 0, tenant)?,
        number: row.get(1)?,
        revision: Revision(row.get(2)?),
        state: name(row, 3, |name| SessionState::from_name(name).ok_or(()))?,
        owner: read_owner(row, 4)?,
        epoch: row.get(6)?,
        last: row.get(7)?,
        attributes: body(row, 8)?,
    })
}
