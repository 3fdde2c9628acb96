//! Interactions in SQLite.

use rusqlite::{Connection, Row};

use super::SqliteStore;
use super::tx::{Fault, Held, find, name, row, rows};
use crate::claim::Claim;
use crate::error::StoreError;
use crate::event::check_size;
use crate::id::{IdempotencyKey, InteractionId, SessionId, SessionKey, TenantId};
use crate::interaction::{
    Closing, Interaction, InteractionAnswer, InteractionFilter, InteractionState, NewInteraction,
    Verdict,
};
use crate::store::{BoxFuture, Interactions, Result};

/// Selects what [`read_row`] reads.
const ROW: &str = "SELECT s.name, i.name, i.body, i.expires, i.state, i.answer_key, i.answer
    FROM interaction i JOIN session s ON s.id = i.sid";

impl Interactions for SqliteStore {
    fn open_interaction<'a>(
        &'a self,
        claim: &'a Claim,
        new: NewInteraction,
    ) -> BoxFuture<'a, Result<()>> {
        let (held, tenant) = (Held::new(claim), claim.key().tenant.clone());
        self.write(move |tx| {
            check_size([&new.request])?;
            held.check(tx.conn)?;
            match load(tx.conn, &tenant, held.sid, &new.id) {
                Ok(old)
                    if (&old.request, old.expires_at_ms) == (&new.request, new.expires_at_ms) =>
                {
                    return Ok(());
                }
                Ok(_) => return Err(StoreError::conflict("the interaction of this id").into()),
                Err(Fault::Refused(_)) => {}
                Err(error) => return Err(error),
            }
            tx.grow(held.sid, new.request.len() as u64)?;
            let sql = "INSERT INTO interaction (sid, tenant, name, body, expires)
                SELECT id, tenant, ?, ?, ? FROM head WHERE id = ?";
            let (name, request) = (new.id.as_str(), new.request.as_ref());
            tx.execute(sql, (name, request, new.expires_at_ms, held.sid))?;
            Ok(())
        })
    }

    fn answer<'a>(
        &'a self,
        key: &'a SessionKey,
        id: &'a InteractionId,
        answer: InteractionAnswer,
    ) -> BoxFuture<'a, Result<Verdict>> {
        let (key, id) = (key.clone(), id.clone());
        self.write(move |tx| {
            check_size([&answer.body])?;
            let sid = find(tx.conn, &key)?;
            let sql = "UPDATE interaction SET state = 1, answer_key = ?, answer = ?
                WHERE sid = ? AND name = ? AND state = 0";
            let (name, body) = (answer.key.as_str(), answer.body.as_ref());
            tx.execute(sql, (name, body, sid, id.as_str()))?;
            Ok(match load(tx.conn, &key.tenant, sid, &id)?.state {
                InteractionState::Answered(winner) if winner.key != answer.key => {
                    Verdict::Lost(winner)
                }
                InteractionState::Closed(closing) => Verdict::Closed(closing),
                InteractionState::Answered(_) | InteractionState::Pending => Verdict::Won,
            })
        })
    }

    fn close_interaction<'a>(
        &'a self,
        claim: &'a Claim,
        id: &'a InteractionId,
        closing: Closing,
    ) -> BoxFuture<'a, Result<Interaction>> {
        let (held, key, id) = (Held::new(claim), claim.key().clone(), id.clone());
        self.write(move |tx| {
            held.check(tx.conn)?;
            let state = match closing {
                Closing::Expired => 2,
                Closing::Withdrawn => 3,
            };
            let sql = "UPDATE interaction SET state = ? WHERE sid = ? AND name = ? AND state = 0";
            tx.execute(sql, (state, held.sid, id.as_str()))?;
            load(tx.conn, &key.tenant, held.sid, &id)
        })
    }

    fn interactions<'a>(
        &'a self,
        filter: &'a InteractionFilter,
    ) -> BoxFuture<'a, Result<Vec<Interaction>>> {
        let filter = filter.clone();
        self.query(move |conn| {
            let tenant = &filter.tenant;
            let key = filter.session.map(|id| SessionKey::new(tenant.clone(), id));
            let sid = key.map(|key| find(conn, &key)).transpose()?;
            // Conditions are added, not switched by parameters, so that SQLite uses the indexes.
            let of_session = sid.map_or("?3 IS NULL", |_| "i.sid = ?3");
            let of_state = if filter.pending {
                "i.state = 0"
            } else {
                "TRUE"
            };
            let sql = format!(
                "{ROW} WHERE i.tenant = (SELECT id FROM tenant WHERE name = ?1)
                AND (?2 IS NULL OR i.expires <= ?2) AND s.state <> 'erased' AND {of_session}
                AND {of_state} ORDER BY i.id"
            );
            let params = (tenant.as_str(), filter.expired_at_ms, sid);
            Ok(rows(conn, &sql, params, |row| read_row(row, tenant))?)
        })
    }
}

fn load(
    conn: &Connection,
    tenant: &TenantId,
    sid: i64,
    id: &InteractionId,
) -> Result<Interaction, Fault> {
    let sql = format!("{ROW} WHERE i.sid = ? AND i.name = ?");
    let found = row(conn, &sql, (sid, id.as_str()), |row| read_row(row, tenant))?;
    found.ok_or_else(|| StoreError::not_found("the interaction").into())
}

fn read_row(row: &Row<'_>, tenant: &TenantId) -> rusqlite::Result<Interaction> {
    let session = name(row, 0, SessionId::new)?;
    Ok(Interaction {
        session: SessionKey::new(tenant.clone(), session),
        id: name(row, 1, InteractionId::new)?,
        request: row.get::<_, Vec<u8>>(2)?.into(),
        expires_at_ms: row.get(3)?,
        state: match row.get(4)? {
            0 => InteractionState::Pending,
            1 => InteractionState::Answered(InteractionAnswer {
                key: name(row, 5, IdempotencyKey::new)?,
                body: row.get::<_, Vec<u8>>(6)?.into(),
            }),
            2 => InteractionState::Closed(Closing::Expired),
            _ => InteractionState::Closed(Closing::Withdrawn),
        },
    })
}
