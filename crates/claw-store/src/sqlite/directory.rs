//! Sessions and nodes in SQLite.

use rusqlite::{Connection, Row};
use sha2::{Digest as _, Sha256};

use super::SqliteStore;
use super::live::Note;
use super::tx::{Fault, Held, Tx, find, int, name, read_node, read_owner, row, rows};
use crate::claim::{Claim, ClaimReason, Owner};
use crate::directory::{
    Created, NewSession, PageToken, Revision, SessionPage, SessionPatch, SessionRow, SessionState,
};
use crate::error::StoreError;
use crate::id::{NodeId, SessionId, SessionKey, TenantId};
use crate::node::{NodeRecord, NodeRef};
use crate::store::{BoxFuture, Directory, Nodes, Result};

/// Selects what [`read_row`] reads.
const ROW: &str = "SELECT s.name, s.number, s.revision, s.state, s.node, s.incarnation, h.epoch,
    h.last, s.attributes FROM session s JOIN head h ON h.id = s.id";

impl Directory for SqliteStore {
    fn create(&self, new: NewSession) -> BoxFuture<'_, Result<Created>> {
        self.write(move |tx| create(tx, &new))
    }

    fn get<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<SessionRow>> {
        let key = key.clone();
        self.query(move |conn| load(conn, &key.tenant, find(conn, &key)?))
    }

    fn list<'a>(
        &'a self,
        tenant: &'a TenantId,
        from: Option<PageToken>,
        limit: usize,
    ) -> BoxFuture<'a, Result<SessionPage>> {
        let tenant = tenant.clone();
        self.query(move |conn| {
            let after = from.map_or(Ok(0), |token| token.0.parse::<i64>());
            let after = after.map_err(|_| StoreError::not_found("the page"))?;
            let limit = limit.max(1);
            let sql = format!(
                "{ROW} WHERE s.tenant = (SELECT id FROM tenant WHERE name = ?) AND s.number > ?
                AND s.state <> 'erased' ORDER BY s.number LIMIT ?"
            );
            let params = (tenant.as_str(), after, int(limit as u64));
            let rows = rows(conn, &sql, params, |row| read_row(row, &tenant))?;
            let last = rows.last().filter(|_| rows.len() == limit);
            let next = last.map(|row| PageToken(row.number.to_string()));
            Ok(SessionPage { rows, next })
        })
    }

    fn update<'a>(
        &'a self,
        key: &'a SessionKey,
        expected: Revision,
        patch: SessionPatch,
    ) -> BoxFuture<'a, Result<Revision>> {
        let key = key.clone();
        self.write(move |tx| {
            let sid = find(tx.conn, &key)?;
            let sql = "UPDATE session SET revision = revision + 1,
                attributes = coalesce(?, attributes) WHERE id = ? AND revision = ?";
            let attributes = patch.attributes.as_deref();
            match tx.execute(sql, (attributes, sid, int(expected.0)))? {
                0 => Err(StoreError::conflict("the session").into()),
                _ => Ok(Revision(expected.0 + 1)),
            }
        })
    }

    fn erase<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<()>> {
        let key = key.clone();
        self.write(move |tx| {
            let sid = match find(tx.conn, &key) {
                Err(Fault::Refused(StoreError::Deleted)) => return Ok(()),
                found => found?,
            };
            tx.execute("UPDATE head SET status = 2, bytes = 0 WHERE id = ?", [sid])?;
            tx.notes.push(Note::Erased(sid, key.clone()));
            Ok(())
        })
    }

    fn claim<'a>(
        &'a self,
        key: &'a SessionKey,
        node: &'a NodeRef,
        reason: ClaimReason,
    ) -> BoxFuture<'a, Result<Claim>> {
        let (key, node) = (key.clone(), node.clone());
        self.write(move |tx| claim(tx, &key, &node, reason))
    }

    fn release<'a>(&'a self, claim: &'a Claim, to: SessionState) -> BoxFuture<'a, Result<()>> {
        let held = Held::new(claim);
        self.write(move |tx| {
            match held.check(tx.conn) {
                Err(Fault::Refused(StoreError::Fenced { .. })) => return Ok(()),
                checked => checked?,
            };
            tx.execute("UPDATE head SET status = 0 WHERE id = ?", [held.sid])?;
            let sql = "UPDATE session SET revision = revision + 1, state = ?, node = NULL,
                incarnation = NULL, reason = NULL WHERE id = ?";
            tx.execute(sql, (to.as_str(), held.sid))?;
            tx.notes.push(Note::Inbox(held.sid));
            Ok(())
        })
    }
}

fn create(tx: &mut Tx<'_>, new: &NewSession) -> Result<Created, Fault> {
    let (conn, tenant) = (tx.conn, new.tenant.as_str());
    let id = new.session.as_ref().map_or("", SessionId::as_str);
    let content = Sha256::new().chain_update(id).chain_update([0]);
    let hash = content.chain_update(&new.attributes).finalize().to_vec();
    let sql = "SELECT s.id, s.create_hash = ?3, s.state = 'erased' FROM session s
        JOIN tenant t ON t.id = s.tenant WHERE t.name = ?1 AND s.create_key = ?2";
    let params = (tenant, new.key.as_str(), &hash);
    let earlier = row(conn, sql, params, |row| {
        Ok((row.get(0)?, row.get::<_, bool>(1)?, row.get::<_, bool>(2)?))
    })?;
    let is_repeat = earlier.is_some();
    let sid = match earlier {
        Some((_, false, _)) => return Err(StoreError::conflict("the session of this key").into()),
        Some((_, true, true)) => return Err(StoreError::Deleted.into()),
        Some((sid, ..)) => sid,
        None => {
            let session = new.session.clone().unwrap_or_else(SessionId::random);
            let key = SessionKey::new(new.tenant.clone(), session);
            match find(conn, &key) {
                Err(Fault::Refused(StoreError::NotFound { .. })) => {}
                Err(error) => return Err(error),
                Ok(_) => return Err(StoreError::conflict("the session of this id").into()),
            }
            tx.execute("INSERT OR IGNORE INTO tenant (name) VALUES (?)", [tenant])?;
            let sql = "INSERT INTO session (tenant, name, number, create_key, create_hash, state,
                attributes) SELECT id, ?, number + 1, ?, ?, 'new', ? FROM tenant WHERE name = ?";
            let (name, attributes) = (key.session.as_str(), new.attributes.as_ref());
            tx.execute(sql, (name, new.key.as_str(), &hash, attributes, tenant))?;
            conn.last_insert_rowid()
        }
    };
    let row = load(conn, &new.tenant, sid)?;
    Ok(Created { row, is_repeat })
}

fn claim(
    tx: &mut Tx<'_>,
    key: &SessionKey,
    node: &NodeRef,
    reason: ClaimReason,
) -> Result<Claim, Fault> {
    let sid = find(tx.conn, key)?;
    // Rows that another program wrote. No reader sees them, but appends would find them.
    let sql = "DELETE FROM event WHERE sid = ?1 AND k > (SELECT last FROM head WHERE id = ?1)";
    let voids = tx.execute(sql, [sid])?;
    if voids > 0 {
        tracing::error!(session = %key, voids, "removed events that were not appended");
    }
    let sql = "UPDATE session SET revision = revision + 1, state = 'awake', node = ?,
        incarnation = ?, reason = ? WHERE id = ?";
    let incarnation = node.incarnation.cast_signed();
    tx.execute(sql, (node.node.as_str(), incarnation, reason.as_str(), sid))?;
    let sql = "UPDATE head SET epoch = epoch + 1, status = 1, voids = voids + ?2 WHERE id = ?1
        RETURNING epoch, last, applied";
    let mut statement = tx.conn.prepare_cached(sql)?;
    let claim = statement.query_row((sid, voids), |row| {
        let (node, epoch) = (node.clone(), row.get(0)?);
        let (key, owner) = (key.clone(), Owner { node, epoch });
        Ok(Claim::new(
            key,
            owner,
            row.get(1)?,
            row.get(2)?,
            sid.cast_unsigned(),
        ))
    })?;
    let owner = claim.owner().clone();
    tx.notes.push(Note::Moved(sid, key.clone(), owner));
    Ok(claim)
}

fn load(conn: &Connection, tenant: &TenantId, sid: i64) -> Result<SessionRow, Fault> {
    let sql = format!("{ROW} WHERE s.id = ?");
    let row = row(conn, &sql, [sid], |row| read_row(row, tenant))?;
    row.ok_or_else(|| StoreError::not_found("the session").into())
}

fn read_row(row: &Row<'_>, tenant: &TenantId) -> rusqlite::Result<SessionRow> {
    let session = name(row, 0, SessionId::new)?;
    Ok(SessionRow {
        key: SessionKey::new(tenant.clone(), session),
        number: row.get(1)?,
        revision: Revision(row.get(2)?),
        state: name(row, 3, |name| SessionState::from_name(name).ok_or(()))?,
        owner: read_owner(row, 4)?,
        epoch: row.get(6)?,
        last: row.get(7)?,
        attributes: row.get::<_, Vec<u8>>(8)?.into(),
    })
}

impl Nodes for SqliteStore {
    fn put_node(&self, record: NodeRecord, expected: Revision) -> BoxFuture<'_, Result<Revision>> {
        self.write(move |tx| {
            let sql = match expected.0 {
                0 => "INSERT INTO node VALUES (?, ?, ?, ?, ?, ?6 + 1) ON CONFLICT DO NOTHING",
                _ => {
                    "UPDATE node SET incarnation = ?2, counter = ?3, is_leaving = ?4, body = ?5,
                    revision = ?6 + 1 WHERE name = ?1 AND revision = ?6"
                }
            };
            let NodeRef { node, incarnation } = &record.node;
            let numbers = (incarnation.cast_signed(), record.counter.cast_signed());
            let (leaving, body) = (record.is_leaving, record.body.as_ref());
            let params = (
                node.as_str(),
                numbers.0,
                numbers.1,
                leaving,
                body,
                int(expected.0),
            );
            match tx.execute(sql, params)? {
                0 => Err(StoreError::conflict("the node").into()),
                _ => Ok(Revision(expected.0 + 1)),
            }
        })
    }

    fn nodes(&self) -> BoxFuture<'_, Result<Vec<NodeRecord>>> {
        self.query(|conn| {
            let sql = "SELECT name, incarnation, counter, is_leaving, body, revision FROM node
                ORDER BY name";
            Ok(rows(conn, sql, [], |row| {
                Ok(NodeRecord {
                    node: read_node(row, 0)?,
                    counter: row.get::<_, i64>(2)?.cast_unsigned(),
                    is_leaving: row.get(3)?,
                    body: row.get::<_, Vec<u8>>(4)?.into(),
                    revision: Revision(row.get(5)?),
                })
            })?)
        })
    }

    fn sessions_of<'a>(
        &'a self,
        node: &'a NodeId,
    ) -> BoxFuture<'a, Result<Vec<(SessionKey, Owner)>>> {
        let node = node.clone();
        self.query(move |conn| {
            let sql = "SELECT t.name, s.name, s.node, s.incarnation, h.epoch FROM session s
                JOIN head h ON h.id = s.id JOIN tenant t ON t.id = s.tenant WHERE s.node = ?";
            let owned = rows(conn, sql, [node.as_str()], |row| {
                let (tenant, session) =
                    (name(row, 0, TenantId::new)?, name(row, 1, SessionId::new)?);
                let owner = read_owner(row, 2)?;
                Ok(owner.map(|owner| (SessionKey::new(tenant, session), owner)))
            })?;
            Ok(owned.into_iter().flatten().collect())
        })
    }
}
