//! Sessions.
//!
//! A session is created by a record under its idempotency key, whose sequence in the stream is the
//! number of the session. The row of the session follows from this record: whoever finds that it is
//! missing writes it. The log decides who owns a session; the row repeats it for lists.

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use super::Engine;
use super::chunks::INLINE;
use super::fold::{Fold, Phase};
use super::frame::{Frame, Kind};
use super::layout::Place;
use super::records::{damaged, decode, encode};
use super::wire::{Cas, Stored};
use crate::claim::Owner;
use crate::directory::{
    Created, NewSession, PageToken, Revision, SessionPage, SessionPatch, SessionRow, SessionState,
};
use crate::error::StoreError;
use crate::id::{NodeId, SessionId, SessionKey, TenantId};
use crate::node::NodeRef;
use crate::store::Result;

/// How many sessions are read at the same time.
const PARALLEL: usize = 16;

/// The record of a creation.
#[derive(Debug, Serialize, Deserialize)]
struct Creation {
    session: String,
    /// Whether the caller chose the id.
    is_chosen: bool,
    generation: u32,
    partition: u32,
    is_deleted: bool,
}

/// The row of a session, besides its attributes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct RowRecord {
    number: u64,
    /// The subject of its creation.
    creation: String,
    pub(super) generation: u32,
    pub(super) partition: u32,
    /// The revision that an update replaced.
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
    pub(super) revision: u64,
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
    /// Returns where a session is, also if it is erased: its log reports that.
    pub(super) async fn place(&self, key: &SessionKey) -> Result<Arc<Place>> {
        match self.cache.place(key) {
            Some(place) => Ok(place),
            None => self.alive(key).await,
        }
    }

    /// Returns where a session is, after a look into the directory.
    pub(super) async fn alive(&self, key: &SessionKey) -> Result<Arc<Place>> {
        let RowRecord {
            generation,
            partition,
            ..
        } = self.stored_row(key).await?.record;
        Ok(self
            .cache
            .put_place(self.names.place(key, generation, partition)))
    }

    pub(super) async fn stored_row(&self, key: &SessionKey) -> Result<StoredRow> {
        match self.any_row(key).await? {
            row if row.record.is_deleted => Err(StoreError::Deleted),
            row => Ok(row),
        }
    }

    /// Returns where an erased session was.
    pub(super) async fn erased(&self, key: &SessionKey) -> Result<Place> {
        match self.any_row(key).await?.record {
            RowRecord {
                generation,
                partition,
                is_deleted: true,
                ..
            } => Ok(self.names.place(key, generation, partition)),
            _ => Err(StoreError::conflict("the session")),
        }
    }

    async fn any_row(&self, key: &SessionKey) -> Result<StoredRow> {
        let stored = self
            .wire
            .last(&self.names.stream("DIR"), &self.names.row(key))
            .await?;
        let stored = stored.ok_or_else(|| StoreError::not_found("the session"))?;
        let (record, attributes) = decode(&stored)?;
        Ok(StoredRow {
            record,
            attributes,
            revision: stored.sequence,
        })
    }

    /// Writes a changed row. Returns its revision, or `None` if another change was first.
    pub(super) async fn put_row(
        &self,
        key: &SessionKey,
        row: &StoredRow,
        change: impl FnOnce(&mut RowRecord),
    ) -> Result<Option<u64>> {
        let mut record = row.record.clone();
        record.replaced = 0;
        change(&mut record);
        let body = encode(&record, &row.attributes)?;
        let (stream, subject) = (self.names.stream("DIR"), self.names.row(key));
        match self.wire.cas(&stream, &subject, row.revision, body).await? {
            Cas::Stored(revision) => Ok(Some(revision)),
            Cas::Refused(_) => Ok(None),
        }
    }

    pub(super) async fn create(&self, new: NewSession) -> Result<Created> {
        let limit = INLINE as u64;
        if new.attributes.len() > INLINE {
            let size = new.attributes.len() as u64;
            return Err(StoreError::TooLarge { size, limit });
        }
        let id = new.session.clone().unwrap_or_else(SessionId::random);
        let (generation, partition) = self.layout.assign(&id);
        let creation = Creation {
            session: id.to_string(),
            is_chosen: new.session.is_some(),
            generation,
            partition,
            is_deleted: false,
        };
        let body = encode(&creation, &new.attributes)?;
        let subject = self.names.creation(&new.tenant, Some(new.key.as_str()));
        let dir = self.names.stream("DIR");
        let (stored, is_repeat) = match self.wire.cas(&dir, &subject, 0, body.clone()).await? {
            Cas::Stored(sequence) => {
                let expected = Some(0);
                let stored = Stored {
                    sequence,
                    subject,
                    expected,
                    body,
                };
                (stored, false)
            }
            Cas::Refused(Some(stored)) => (stored, true),
            Cas::Refused(None) => return Err(StoreError::conflict("the session of this key")),
        };
        let (earlier, attributes): (Creation, _) = decode(&stored)?;
        let is_same = attributes == new.attributes
            && earlier.is_chosen == new.session.is_some()
            && new.session.is_none_or(|id| id.as_str() == earlier.session);
        if earlier.is_deleted {
            return Err(StoreError::Deleted);
        }
        if !is_same {
            return Err(StoreError::conflict("the session of this key"));
        }
        match self.complete(&new.tenant, &stored).await? {
            Some(row) => Ok(Created { row, is_repeat }),
            None => Err(StoreError::conflict("the session of this id")),
        }
    }

    /// Returns the row of a creation, and writes it if it is missing. Returns `None` if another
    /// creation has used the id.
    async fn complete(&self, tenant: &TenantId, stored: &Stored) -> Result<Option<SessionRow>> {
        let (creation, attributes): (Creation, _) = decode(stored)?;
        let session = SessionId::new(&creation.session).map_err(|error| damaged(stored, error))?;
        let key = SessionKey::new(tenant.clone(), session);
        loop {
            match self.row(&key).await {
                Err(StoreError::NotFound { .. }) => {}
                Ok(row) if row.number != to_number(stored.sequence) => return Ok(None),
                row => return row.map(Some),
            }
            let Creation {
                generation,
                partition,
                ..
            } = creation;
            let row = StoredRow {
                record: RowRecord {
                    number: stored.sequence,
                    creation: stored.subject.clone(),
                    generation,
                    partition,
                    state: SessionState::New.as_str().to_owned(),
                    ..RowRecord::default()
                },
                attributes: attributes.clone(),
                revision: 0,
            };
            self.put_row(&key, &row, |_| {}).await?;
        }
    }

    /// Returns a session with the state of its log.
    pub(super) async fn row(&self, key: &SessionKey) -> Result<SessionRow> {
        let stored = self.stored_row(key).await?;
        let RowRecord {
            generation,
            partition,
            ..
        } = stored.record;
        let place = self
            .cache
            .put_place(self.names.place(key, generation, partition));
        let head = self.head(&place).await?;
        let mut owner = stored.owner();
        let mut state = SessionState::from_name(&stored.record.state).unwrap_or(SessionState::New);
        match head.phase {
            Phase::Start => {}
            Phase::Deleted => return Err(StoreError::Deleted),
            Phase::Released(released) => (owner, state) = (None, released),
            Phase::Owned => {
                state = SessionState::Awake;
                // The owner has not written it here yet, or died before.
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

    /// Finds the owner of the current epoch in the log.
    async fn fence_of(&self, place: &Place, head: Fold) -> Result<Option<Owner>> {
        let messages = self
            .wire
            .scan(&place.log, &place.events, 0, usize::MAX)
            .await?;
        let frames = messages
            .iter()
            .rev()
            .filter_map(|m| Frame::decode(&m.body).ok());
        let mut fences = frames.filter(|f| f.kind == Kind::FENCE && f.epoch == head.epoch);
        Ok(fences
            .next()
            .and_then(|frame| super::claims::owner_of(&frame)))
    }

    pub(super) async fn list(
        &self,
        tenant: &TenantId,
        from: Option<PageToken>,
        limit: usize,
    ) -> Result<SessionPage> {
        let mut after: u64 = match from {
            Some(token) => token
                .0
                .parse()
                .map_err(|_| StoreError::not_found("the page"))?,
            None => 0,
        };
        let limit = limit.max(1);
        let (stream, subject) = (self.names.stream("DIR"), self.names.creation(tenant, None));
        let mut rows = Vec::new();
        loop {
            let wanted = limit - rows.len();
            let found = self.wire.scan(&stream, &subject, after + 1, wanted).await?;
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
        let mut row = self.stored_row(key).await?;
        let attributes = patch.attributes.unwrap_or_else(|| row.attributes.clone());
        if row.record.replaced == expected.0 && row.attributes == attributes {
            // An earlier call with the same arguments has written it.
            return Ok(Revision(row.revision));
        }
        row.attributes = attributes;
        let revision = match row.revision == expected.0 {
            true => {
                let change = |record: &mut RowRecord| record.replaced = expected.0;
                self.put_row(key, &row, change).await?
            }
            false => None,
        };
        let revision = revision.ok_or_else(|| StoreError::conflict("the session"))?;
        Ok(Revision(revision))
    }

    /// Marks the row of an erased session, which stays for ever, and removes its attributes.
    pub(super) async fn bury(&self, key: &SessionKey) -> Result<()> {
        loop {
            let mut row = match self.stored_row(key).await {
                Err(StoreError::Deleted) => return Ok(()),
                row => row?,
            };
            row.attributes = Bytes::new();
            let subject = row.record.creation.clone();
            let dir = self.names.stream("DIR");
            if let Some(stored) = self.wire.last(&dir, &subject).await? {
                let (mut creation, _): (Creation, _) = decode(&stored)?;
                creation.is_deleted = true;
                let body = encode(&creation, &Bytes::new())?;
                self.wire.cas(&dir, &subject, stored.sequence, body).await?;
            }
            if self
                .put_row(key, &row, |record| record.is_deleted = true)
                .await?
                .is_some()
            {
                return Ok(());
            }
        }
    }
}

fn to_number(sequence: u64) -> i64 {
    i64::try_from(sequence).unwrap_or(i64::MAX)
}
