//! Sessions.
//!
//! A session is created by a record under its idempotency key, whose sequence in the stream is the
//! number of the session. The row of the session is derived from this record; a caller that finds
//! it missing writes it. The log determines the owner of a session; the row repeats it for lists.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::{Deserialize, Serialize};

use super::chunks::INLINE;
use super::engine::Engine;
use super::fold::{Fold, Phase, owner_of};
use super::frame::{Frame, Kind};
use super::layout::Place;
use super::records::{decode, encode};
use super::wire::{Cas, Stored, Subject};
use crate::claim::Owner;
use crate::directory::{
    Created, NewSession, PageToken, Revision, SessionPage, SessionPatch, SessionRow, SessionState,
};
use crate::error::StoreError;
use crate::id::{NodeId, SessionId, SessionKey, TenantId};
use crate::node::NodeRef;
use crate::store::Result;

/// How many sessions are read at the same time.
pub(super) const PARALLEL: usize = 16;

/// The record of a creation.
#[derive(Debug, Serialize, Deserialize)]
struct Creation {
    session: String,
    /// Whether the caller chose the id.
    is_chosen: bool,
    partition: (u32, u32),
}

/// The row of a session, besides its attributes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct RowRecord {
    number: u64,
    /// The subject of its creation.
    creation: String,
    partition: (u32, u32),
    /// The revision that the last update replaced.
    replaced: u64,
    pub(super) state: String,
    /// The node, its incarnation and the sequence of its mark in the stream of owners.
    pub(super) owner: Option<(String, u64, u64)>,
    pub(super) epoch: u64,
    is_deleted: bool,
}

/// A row with its attributes and its revision.
#[derive(Debug, Clone)]
pub(super) struct StoredRow {
    pub(super) record: RowRecord,
    attributes: Bytes,
    revision: u64,
}

impl StoredRow {
    pub(super) fn owner(&self) -> Option<Owner> {
        let (node, incarnation, _) = self.record.owner.as_ref()?;
        let node = NodeId::new(node).ok()?;
        let incarnation = *incarnation;
        Some(Owner {
            node: NodeRef { node, incarnation },
            epoch: self.record.epoch,
        })
    }
}

impl Engine {
    /// Returns the location of a session, also if it is erased.
    pub(super) async fn place(&self, key: &SessionKey) -> Result<Arc<Place>> {
        match self.cache.place(key) {
            Some(place) => Ok(place),
            None => self.alive(key).await,
        }
    }

    /// Looks up the location of a session in the directory.
    pub(super) async fn alive(&self, key: &SessionKey) -> Result<Arc<Place>> {
        let row = self.stored_row(key).await?;
        let place = self.names.place(key, row.record.partition);
        Ok(self.cache.put_place(place))
    }

    pub(super) async fn stored_row(&self, key: &SessionKey) -> Result<StoredRow> {
        // Looked up first, because the row may be written while it is read.
        let known = self.cache.place(key);
        let Some(stored) = self.wire.last(&self.names.row(key)).await? else {
            return Err(match known {
                // Rows are never deleted.
                Some(_) => StoreError::unavailable("a server has not recovered the directory"),
                None => StoreError::not_found("the session"),
            });
        };
        let (record, [attributes]): (RowRecord, _) = decode(&stored.subject, stored.body)?;
        if record.is_deleted {
            return Err(StoreError::Deleted);
        }
        Ok(StoredRow {
            record,
            attributes,
            revision: stored.sequence,
        })
    }

    async fn put_row(&self, key: &SessionKey, row: &StoredRow) -> Result<Cas> {
        let body = encode(&row.record, [&row.attributes])?;
        let subject = self.names.row(key);
        self.wire.cas(&subject, row.revision, body).await
    }

    /// Changes a row, unless `change` returns false. Returns the row before the change, with the
    /// revision after it.
    pub(super) async fn change_row(
        &self,
        key: &SessionKey,
        mut change: impl FnMut(&mut StoredRow) -> bool,
    ) -> Result<Option<StoredRow>> {
        loop {
            let before = self.stored_row(key).await?;
            let mut row = before.clone();
            if !change(&mut row) {
                return Ok(None);
            }
            if let Cas::Stored(revision) = self.put_row(key, &row).await? {
                return Ok(Some(StoredRow { revision, ..before }));
            }
        }
    }

    pub(super) async fn create(&self, new: NewSession) -> Result<Created> {
        let (size, limit) = (new.attributes.len() as u64, INLINE as u64);
        if size > limit {
            return Err(StoreError::TooLarge { size, limit });
        }
        let id = new.session.clone().unwrap_or_else(SessionId::random);
        let creation = Creation {
            session: id.to_string(),
            is_chosen: new.session.is_some(),
            partition: self.layout.assign(&id),
        };
        let body = encode(&creation, [&new.attributes])?;
        let subject = self.names.creation(&new.tenant, Some(new.key.as_str()));
        let (stored, is_repeat) = match self.wire.cas(&subject, 0, body.clone()).await? {
            Cas::Refused(stored) => (stored, true),
            Cas::Stored(sequence) => {
                let stored = Stored {
                    sequence,
                    subject: subject.name,
                    expected: Some(0),
                    body,
                };
                (stored, false)
            }
        };
        let row = self.complete(&new.tenant, &stored).await?;
        let row = row.ok_or_else(|| StoreError::conflict("the session of this id"))?;
        let (earlier, [attributes]): (Creation, _) = decode(&stored.subject, stored.body)?;
        let is_same = attributes == new.attributes
            && earlier.is_chosen == new.session.is_some()
            && new.session.is_none_or(|id| id.as_str() == earlier.session);
        match is_same {
            true => Ok(Created { row, is_repeat }),
            false => Err(StoreError::conflict("the session of this key")),
        }
    }

    /// Returns the row of a creation, and writes it if it is missing. Returns `None` if another
    /// creation has used the id.
    async fn complete(&self, tenant: &TenantId, stored: &Stored) -> Result<Option<SessionRow>> {
        let (creation, [attributes]): (Creation, _) = decode(&stored.subject, stored.body.clone())?;
        let session = SessionId::new(&creation.session);
        let session = session.map_err(|error| StoreError::damaged(&stored.subject, error))?;
        let key = SessionKey::new(tenant.clone(), session);
        loop {
            match self.get(&key).await {
                Err(StoreError::NotFound { .. }) => {}
                Ok(row) if row.number != to_number(stored.sequence) => return Ok(None),
                row => return row.map(Some),
            }
            let row = StoredRow {
                record: RowRecord {
                    number: stored.sequence,
                    creation: stored.subject.clone(),
                    partition: creation.partition,
                    state: SessionState::New.as_str().to_owned(),
                    ..RowRecord::default()
                },
                attributes: attributes.clone(),
                revision: 0,
            };
            self.put_row(&key, &row).await?;
        }
    }

    /// Returns a session with the state of its log.
    pub(super) async fn get(&self, key: &SessionKey) -> Result<SessionRow> {
        let stored = self.stored_row(key).await?;
        let place = self.names.place(key, stored.record.partition);
        let place = self.cache.put_place(place);
        let head = self.head(&place).await?;
        let mut owner = stored.owner();
        let mut state = SessionState::from_name(&stored.record.state).unwrap_or(SessionState::New);
        match head.phase {
            Phase::Start => {}
            Phase::Deleted => return Err(StoreError::Deleted),
            Phase::Released(released) => (owner, state) = (None, released),
            Phase::Owned => {
                state = SessionState::Awake;
                // The owner has not written the row yet, or died before.
                if owner.as_ref().is_none_or(|owner| owner.epoch < head.epoch) {
                    owner = self.fence_of(&place, head).await?;
                }
            }
        }
        Ok(SessionRow {
            key: key.clone(),
            number: to_number(stored.record.number),
            revision: Revision(stored.revision),
            state,
            owner,
            epoch: head.epoch.max(stored.record.epoch),
            last: head.last,
            attributes: stored.attributes,
        })
    }

    /// Finds the owner of the current epoch in the log: near its end, because an owner writes the
    /// row before it appends.
    async fn fence_of(&self, place: &Place, head: Fold) -> Result<Option<Owner>> {
        let mut from = head.at;
        loop {
            let messages = self.wire.scan(&place.events, from, usize::MAX).await?;
            let frames = messages.iter().rev();
            let mut frames = frames.filter_map(|message| Frame::decode(&message.body).ok());
            let fence = frames.find(|frame| frame.kind == Kind::FENCE && frame.epoch == head.epoch);
            if fence.is_some() || from == 0 {
                return Ok(fence.as_ref().and_then(owner_of));
            }
            from = from.saturating_sub(16 * (head.at - from).max(16));
        }
    }

    pub(super) async fn list(
        &self,
        tenant: &TenantId,
        from: Option<PageToken>,
        limit: usize,
    ) -> Result<SessionPage> {
        let token = from.map_or(Ok(0), |token| token.0.parse::<u64>());
        let mut after = token.map_err(|_| StoreError::not_found("the page"))?;
        let limit = limit.max(1);
        let subject = self.names.creation(tenant, None);
        let mut rows = Vec::new();
        loop {
            let wanted = limit - rows.len();
            let found = self.wire.scan(&subject, after + 1, wanted).await?;
            let is_end = found.len() < wanted;
            after = found.last().map_or(after, |stored| stored.sequence);
            let found = found.into_iter().map(|stored| async move {
                match self.complete(tenant, &stored).await {
                    // The session was erased.
                    Err(StoreError::Deleted) => Ok(None),
                    row => row,
                }
            });
            let mut found = stream::iter(found).buffered(PARALLEL);
            while let Some(row) = found.try_next().await? {
                rows.extend(row);
            }
            if is_end || rows.len() >= limit {
                let next = (!is_end).then(|| PageToken(after.to_string()));
                return Ok(SessionPage { rows, next });
            }
        }
    }

    pub(super) async fn update(
        &self,
        key: &SessionKey,
        expected: Revision,
        patch: SessionPatch,
    ) -> Result<Revision> {
        let mut repeated = None;
        let updated = self.change_row(key, |row| {
            let attributes = patch.attributes.clone();
            let attributes = attributes.unwrap_or_else(|| row.attributes.clone());
            if row.record.replaced == expected.0 && row.attributes == attributes {
                // An earlier attempt or call with the same arguments has written it.
                repeated = Some(Revision(row.revision));
            }
            row.attributes = attributes;
            row.record.replaced = expected.0;
            row.revision == expected.0
        });
        match updated.await? {
            Some(row) => Ok(Revision(row.revision)),
            None => repeated.ok_or_else(|| StoreError::conflict("the session")),
        }
    }

    /// Marks the row of an erased session, which stays for ever, and removes its attributes. Returns
    /// the row before.
    pub(super) async fn bury(&self, key: &SessionKey) -> Result<Option<StoredRow>> {
        let row = match self.stored_row(key).await {
            Err(StoreError::Deleted) => return Ok(None),
            row => row?,
        };
        let creation = Subject {
            name: row.record.creation,
            ..self.names.row(key)
        };
        if let Some(stored) = self.wire.last(&creation).await? {
            let (record, _): (Creation, [_; 1]) = decode(&stored.subject, stored.body)?;
            let body = encode(&record, [&[]])?;
            self.wire.cas(&creation, stored.sequence, body).await?;
        }
        let buried = self.change_row(key, |row| {
            row.attributes = Bytes::new();
            row.record.is_deleted = true;
            true
        });
        match buried.await {
            Err(StoreError::Deleted) => Ok(None),
            row => row,
        }
    }
}

fn to_number(sequence: u64) -> i64 {
    i64::try_from(sequence).unwrap_or(i64::MAX)
}
