//! Interactions in SQLite.

use rusqlite::Row;

use super::tx::{Fault, Tx, body, name, read_key};
use crate::event::check_size;
use crate::{
    Claim, Closing, IdempotencyKey, Interaction, InteractionAnswer, InteractionFilter,
    InteractionId, InteractionState, NewInteraction, Result, SessionKey, StoreError, TenantId,
    Verdict,
};

/// Selects what [`read_row`] reads.
const ROW: &str = "SELECT s.name, i.name, i.body, i.expires, i.state, i.answer_key, i.answer
    FROM interaction i JOIN session s ON s.id = i.sid";

impl Tx<'_> {
    pub(super) fn open_interaction(
        &mut self,
        claim: &Claim,
        new: &NewInteraction,
    ) -> Result<(), Fault> {
        check_size([&new.request])?;
        let (sid, _) = self.check(claim)?;
        match self.find_interaction(&claim.key().tenant, sid, &new.id) {
            Ok(earlier) => return Ok(earlier.check_repeat(new)?),
            Err(Fault::Refused(_)) => {}
            Err(error) => return Err(error),
        }
        self.grow(sid, new.request.len())?;
        let sql = "INSERT INTO interaction (sid, tenant, name, body, expires)
            SELECT id, tenant, ?, ?, ? FROM head WHERE id = ?";
        let (name, request) = (new.id.as_str(), new.request.as_ref());
        self.execute(sql, (name, request, new.expires_at_ms, sid))?;
        Ok(())
    }

    pub(super) fn answer(
        &self,
        key: &SessionKey,
        id: &InteractionId,
        answer: &InteractionAnswer,
    ) -> Result<Verdict, Fault> {
        check_size([&answer.body])?;
        let sid = self.find(key)?;
        let sql = "UPDATE interaction SET state = 1, answer_key = ?, answer = ?
            WHERE sid = ? AND name = ? AND state = 0";
        let (name, body) = (answer.key.as_str(), answer.body.as_ref());
        self.execute(sql, (name, body, sid, id.as_str()))?;
        let answered = self.find_interaction(&key.tenant, sid, id)?;
        Ok(answered.verdict(answer))
    }

    pub(super) fn close_interaction(
        &self,
        claim: &Claim,
        id: &InteractionId,
        closing: Closing,
    ) -> Result<Interaction, Fault> {
        let (sid, _) = self.check(claim)?;
        let state = match closing {
            Closing::Expired => 2,
            Closing::Withdrawn => 3,
        };
        let sql = "UPDATE interaction SET state = ? WHERE sid = ? AND name = ? AND state = 0";
        self.execute(sql, (state, sid, id.as_str()))?;
        self.find_interaction(&claim.key().tenant, sid, id)
    }

    pub(super) fn interaction(
        &self,
        key: &SessionKey,
        id: &InteractionId,
    ) -> Result<Interaction, Fault> {
        self.find_interaction(&key.tenant, self.find(key)?, id)
    }

    pub(super) fn interactions(
        &self,
        filter: &InteractionFilter,
    ) -> Result<Vec<Interaction>, Fault> {
        let sid = filter.key().map(|key| self.find(&key)).transpose()?;
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
        let params = (filter.tenant.as_str(), filter.expired_at_ms, sid);
        Ok(self.rows(&sql, params, |row| read_row(row, &filter.tenant))?)
    }

    fn find_interaction(
        &self,
        tenant: &TenantId,
        sid: i64,
        id: &InteractionId,
    ) -> Result<Interaction, Fault> {
        let sql = format!("{ROW} WHERE i.sid = ? AND i.name = ?");
        let found = self.row(&sql, (sid, id.as_str()), |row| read_row(row, tenant))?;
        found.ok_or_else(|| StoreError::not_found("the interaction").into())
    }
}

fn read_row(row: &Row<'_>, tenant: &TenantId) -> rusqlite::Result<Interaction> {
    Ok(Interaction {
        session: read_key(row, 0, tenant)?,
        id: name(row, 1, InteractionId::new)?,
        request: body(row, 2)?,
        expires_at_ms: row.get(3)?,
        state: match row.get(4)? {
            0 => InteractionState::Pending,
            1 => InteractionState::Answered(InteractionAnswer {
                key: name(row, 5, IdempotencyKey::new)?,
                body: body(row, 6)?,
            }),
            2 => InteractionState::Closed(Closing::Expired),
            _ => InteractionState::Closed(Closing::Withdrawn),
        },
    })
}
