//! Ownership: claims, releases and erasure.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Engine;
use super::fold::{Fold, Phase};
use super::frame::{Frame, Kind};
use super::layout::Place;
use crate::claim::{Claim, ClaimReason, Owner};
use crate::directory::SessionState;
use crate::error::StoreError;
use crate::id::{NodeId, SessionKey};
use crate::node::NodeRef;
use crate::store::Result;

/// The body of a fence.
#[derive(Serialize, Deserialize)]
struct Fence {
    node: String,
    incarnation: u64,
    reason: String,
    /// Tells apart two claims of one node.
    nonce: u64,
}

/// Returns the owner that a fence names.
pub(super) fn owner_of(frame: &Frame) -> Option<Owner> {
    let fence: Fence = serde_json::from_slice(&frame.body).ok()?;
    Some(Owner {
        node: NodeRef {
            node: NodeId::new(&fence.node).ok()?,
            incarnation: fence.incarnation,
        },
        epoch: frame.epoch,
    })
}

impl Engine {
    pub(super) async fn claim(
        &self,
        key: &SessionKey,
        node: &NodeRef,
        reason: ClaimReason,
    ) -> Result<Claim> {
        let place = self.alive(key).await?;
        // Written first: whoever looks for the sessions of a dead node finds this one.
        let mark = self
            .wire
            .put(&self.names.owned(node, key), Bytes::new())
            .await?;
        let fence = Fence {
            node: node.node.to_string(),
            incarnation: node.incarnation,
            reason: reason.as_str().to_owned(),
            nonce: random()?,
        };
        let fence = Bytes::from(serde_json::to_vec(&fence).map_err(StoreError::unavailable)?);
        let (before, after) = self
            .change_phase(&place, |head| match head.phase {
                Phase::Deleted => Err(StoreError::Deleted),
                _ => Ok(Some((Kind::FENCE, head.epoch + 1, fence.clone()))),
            })
            .await?;
        let owner = Owner {
            node: node.clone(),
            epoch: after.epoch,
        };
        self.fence_transcripts(&place, Kind::FENCE, after.epoch)
            .await?;
        self.record_owner(key, &owner, mark).await?;
        Ok(Claim::new(
            key.clone(),
            owner,
            before.last,
            before.applied,
            after.at,
        ))
    }

    /// Writes the owner to the directory, unless a later one is there.
    async fn record_owner(&self, key: &SessionKey, owner: &Owner, mark: u64) -> Result<()> {
        loop {
            let row = self.stored_row(key).await?;
            if row.record.epoch >= owner.epoch {
                return Ok(());
            }
            let change = self.put_row(key, &row, |record| {
                record.state = SessionState::Awake.as_str().to_owned();
                let NodeRef { node, incarnation } = &owner.node;
                record.owner = Some((node.to_string(), *incarnation, mark));
                record.epoch = owner.epoch;
            });
            if change.await?.is_some() {
                return self.unmark(key, row.owner(), row.record.owner).await;
            }
        }
    }

    /// Removes the mark of an earlier owner. A later one of the same node stays.
    async fn unmark(
        &self,
        key: &SessionKey,
        owner: Option<Owner>,
        record: Option<(String, u64, u64)>,
    ) -> Result<()> {
        if let (Some(owner), Some((_, _, mark))) = (owner, record) {
            let subject = self.names.owned(&owner.node, key);
            self.purge(&self.names.stream("OWN"), &subject, Some(mark + 1))
                .await?;
        }
        Ok(())
    }

    pub(super) async fn release(&self, claim: &Claim, to: SessionState) -> Result<()> {
        let key = claim.key();
        let place = self.place(key).await?;
        let body = Bytes::from_static(to.as_str().as_bytes());
        let (_, after) = self
            .change_phase(&place, |head| match head.phase {
                Phase::Deleted => Err(StoreError::Deleted),
                _ if head.is_owned_by(claim.epoch()) => {
                    Ok(Some((Kind::RELEASED, head.epoch, body.clone())))
                }
                _ => Ok(None),
            })
            .await?;
        if after.epoch != claim.epoch() {
            return Ok(());
        }
        self.fence_transcripts(&place, Kind::RELEASED, claim.epoch())
            .await?;
        loop {
            let row = self.stored_row(key).await?;
            if row.record.epoch != claim.epoch() || row.record.owner.is_none() {
                return Ok(());
            }
            let change = self.put_row(key, &row, |record| {
                record.state = to.as_str().to_owned();
                record.owner = None;
            });
            if change.await?.is_some() {
                return self.unmark(key, row.owner(), row.record.owner).await;
            }
        }
    }

    pub(super) async fn erase(&self, key: &SessionKey) -> Result<()> {
        let place = match self.alive(key).await {
            Err(StoreError::Deleted) => return Ok(()),
            place => place?,
        };
        self.change_phase(&place, |head| match head.phase {
            Phase::Deleted => Ok(None),
            _ => Ok(Some((Kind::DELETED, u64::MAX, Bytes::new()))),
        })
        .await?;
        self.fence_transcripts(&place, Kind::DELETED, u64::MAX)
            .await?;
        let row = self.stored_row(key).await;
        self.bury(key).await?;
        if let Ok(row) = row {
            self.unmark(key, row.owner(), row.record.owner).await?;
        }
        self.cache.forget(key);
        Ok(())
    }

    /// Appends a frame that changes the phase of a session, unless `next` returns none. Returns the
    /// states before and after it.
    async fn change_phase(
        &self,
        place: &Place,
        next: impl Fn(&Fold) -> Result<Option<(Kind, u64, Bytes)>>,
    ) -> Result<(Fold, Fold)> {
        loop {
            let head = self.head(place).await?;
            let Some((kind, epoch, body)) = next(&head)? else {
                return Ok((head, head));
            };
            let frame = Frame {
                kind,
                epoch,
                first: head.last + 1,
                count: 0,
                applied: head.applied,
                body,
            };
            if let Some(at) = self.write_frame(place, head.at, &frame).await? {
                let after = Fold::after(at, &frame);
                self.cache.put_fold(&place.key, after);
                // Wakes the inbox of the earlier owner.
                self.wire.notify(place.live("in.moved"), Bytes::new());
                return Ok((head, after));
            }
        }
    }

    pub(super) async fn purge_erased(&self, key: &SessionKey) -> Result<()> {
        let place = self.erased(key).await?;
        for (stream, subject) in place.all(&self.names) {
            // The frame that marks the erasure stays: it rejects late appends.
            let before = match stream == place.log {
                true => self
                    .wire
                    .last(&stream, &place.events)
                    .await?
                    .map(|last| last.sequence),
                false => None,
            };
            self.purge(&stream, &subject, before).await?;
        }
        Ok(())
    }

    /// Deletes the messages of a subject, all or those before a sequence.
    pub(super) async fn purge(
        &self,
        stream: &str,
        subject: &str,
        before: Option<u64>,
    ) -> Result<()> {
        let mut request = json!({ "filter": subject });
        if let Some(before) = before {
            request["seq"] = json!(before);
        }
        let subject = format!("STREAM.PURGE.{stream}");
        let done = self.wire.api::<Value>(&subject, &request).await?;
        done.map(|_| ()).map_err(StoreError::from)
    }
}

fn random() -> Result<u64> {
    getrandom::u64().map_err(StoreError::unavailable)
}
