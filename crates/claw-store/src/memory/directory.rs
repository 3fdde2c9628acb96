//! Sessions and nodes in memory.

use std::ops::Bound;

use super::data::{Data, Session};
use crate::error::StoreError;
use crate::{
    Claim, ClaimReason, Created, NewSession, NodeId, NodeRecord, NodeRef, Owner, PageToken, Result,
    Revision, SessionId, SessionKey, SessionPage, SessionPatch, SessionRow, SessionState, TenantId,
};

impl Data {
    pub(super) fn create(&mut self, new: &NewSession) -> Result<Created> {
        let by_key = (new.tenant.clone(), new.key.clone());
        if let Some((earlier, key)) = self.created.get(&by_key) {
            if earlier != new {
                return Err(StoreError::conflict("the session of this key"));
            }
            let (key, is_repeat) = (key.clone(), true);
            let row = self.get(&key)?;
            return Ok(Created { row, is_repeat });
        }
        let id = new.session.clone().unwrap_or_else(SessionId::random);
        let key = SessionKey::new(new.tenant.clone(), id);
        match self.session(&key) {
            Err(StoreError::NotFound { .. }) => {}
            Err(error) => return Err(error),
            Ok(_) => return Err(StoreError::conflict("the session of this id")),
        }
        let number = self.last_numbers.entry(new.tenant.clone()).or_default();
        *number += 1;
        let row = SessionRow {
            key: key.clone(),
            number: *number,
            revision: Revision(1),
            state: SessionState::New,
            owner: None,
            epoch: 0,
            last: 0,
            attributes: new.attributes.clone(),
        };
        let by_number = (new.tenant.clone(), *number);
        self.numbers.insert(by_number, key.clone());
        let session = Session::new(row.clone());
        self.sessions.insert(key.clone(), Some(session));
        self.created.insert(by_key, (new.clone(), key));
        let is_repeat = false;
        Ok(Created { row, is_repeat })
    }

    pub(super) fn get(&mut self, key: &SessionKey) -> Result<SessionRow> {
        Ok(self.session(key)?.row.clone())
    }

    pub(super) fn list(
        &mut self,
        tenant: &TenantId,
        from: Option<&PageToken>,
        limit: usize,
    ) -> Result<SessionPage> {
        let after = PageToken::after(from)?;
        let start = Bound::Excluded((tenant.clone(), after));
        let end = Bound::Included((tenant.clone(), i64::MAX));
        let keys = self.numbers.range((start, end)).map(|(_, key)| key.clone());
        let keys: Vec<_> = keys.take(limit).collect();
        let rows = keys.iter().map(|key| self.get(key));
        Ok(SessionPage::new(rows.collect::<Result<_>>()?, limit))
    }

    pub(super) fn update(
        &mut self,
        key: &SessionKey,
        expected: Revision,
        patch: &SessionPatch,
    ) -> Result<Revision> {
        let row = &mut self.session(key)?.row;
        if row.revision != expected {
            return Err(StoreError::conflict("the session"));
        }
        if let Some(attributes) = &patch.attributes {
            row.attributes = attributes.clone();
        }
        row.revision.0 += 1;
        Ok(row.revision)
    }

    pub(super) fn erase(&mut self, key: &SessionKey) -> Result<()> {
        let session = self.sessions.get_mut(key);
        let session = session.ok_or_else(|| StoreError::not_found("the session"))?;
        if let Some(session) = session.take() {
            let number = (key.tenant.clone(), session.row.number);
            self.numbers.remove(&number);
            session.changed.notify_waiters();
            self.publish(|hub| hub.deleted(key));
        }
        Ok(())
    }

    pub(super) fn claim(
        &mut self,
        key: &SessionKey,
        node: &NodeRef,
        _: ClaimReason,
    ) -> Result<Claim> {
        let session = self.session(key)?;
        let (row, node) = (&mut session.row, node.clone());
        row.epoch += 1;
        row.revision.0 += 1;
        row.state = SessionState::Awake;
        let epoch = row.epoch;
        let owner = Owner { node, epoch };
        row.owner = Some(owner.clone());
        session.changed.notify_waiters();
        let submitted = session.keys.len() as u64;
        let claim = Claim::new(key.clone(), owner, row.last, session.applied, submitted, 0);
        self.publish(|hub| hub.moved(key, claim.owner().clone()));
        Ok(claim)
    }

    pub(super) fn release(&mut self, claim: &Claim, to: SessionState) -> Result<()> {
        match self.owned(claim) {
            Ok(session) => {
                session.row.owner = None;
                session.row.state = to;
                session.row.revision.0 += 1;
                session.changed.notify_waiters();
                Ok(())
            }
            Err(StoreError::Fenced { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    pub(super) fn put_node(&mut self, new: &NodeRecord, expected: Revision) -> Result<Revision> {
        let id = new.node.node.clone();
        let current = self.nodes.get(&id).map_or(0, |node| node.revision.0);
        if current != expected.0 {
            return Err(StoreError::conflict("the node"));
        }
        let revision = Revision(current + 1);
        let record = NodeRecord {
            revision,
            ..new.clone()
        };
        self.nodes.insert(id, record);
        Ok(revision)
    }

    pub(super) fn nodes(&mut self) -> Result<Vec<NodeRecord>> {
        Ok(self.nodes.values().cloned().collect())
    }

    pub(super) fn sessions_of(
        &mut self,
        node: &NodeId,
        below: u64,
    ) -> Result<Vec<(SessionKey, Owner)>> {
        let rows = self.sessions.values().flatten().map(|session| &session.row);
        let owned = rows.filter_map(|row| Some((row.key.clone(), row.owner.clone()?)));
        let is_listed = |owner: &NodeRef| owner.node == *node && owner.incarnation < below;
        Ok(owned.filter(|(_, owner)| is_listed(&owner.node)).collect())
    }
}
