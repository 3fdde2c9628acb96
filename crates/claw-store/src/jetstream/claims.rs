//! Ownership: claims, releases and erasure.

use bytes::Bytes;

use super::directory::StoredRow;
use super::engine::Engine;
use super::fold::{Fence, Fold, Phase};
use super::frame::{Frame, Kind};
use super::layout::Place;
use crate::claim::{Claim, ClaimReason, Owner};
use crate::directory::SessionState;
use crate::error::StoreError;
use crate::id::SessionKey;
use crate::node::NodeRef;
use crate::store::Result;

impl Engine {
    pub(super) async fn claim(
        &self,
        key: &SessionKey,
        node: &NodeRef,
        reason: ClaimReason,
    ) -> Result<Claim> {
        let place = self.alive(key).await?;
        // Written first, so that a search for the sessions of a dead node finds this one.
        let mark = self.names.owned(node, key);
        let mark = self.wire.put(&mark, Bytes::new()).await?;
        let fence = Fence {
            node: node.node.to_string(),
            incarnation: node.incarnation,
            reason: reason.as_str().to_owned(),
            nonce: getrandom::u64().map_err(StoreError::unavailable)?,
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
        // If this fails after the row names the owner, no other process would take the session over.
        let Fold { last, applied, .. } = before;
        let waiting = self.waiting(&place).await?;
        let submitted = waiting.last().map_or(applied, |(position, _)| *position);
        // The row may already have a later owner.
        let earlier = self.change_row(key, |row| {
            let is_later = row.record.epoch < owner.epoch;
            if is_later {
                row.record.state = SessionState::Awake.as_str().to_owned();
                row.record.owner = Some((node.node.to_string(), node.incarnation, mark));
                row.record.epoch = owner.epoch;
            }
            is_later
        });
        self.unmark(key, earlier.await?).await;
        let (key, at) = (key.clone(), after.at);
        Ok(Claim::new(key, owner, last, applied, submitted, at))
    }

    /// Removes the mark of an earlier owner. A later one of the same node stays.
    /// A mark without an owner is harmless.
    async fn unmark(&self, key: &SessionKey, row: Option<StoredRow>) {
        let owned = row.and_then(|row| Some((row.owner()?, row.record.owner?.2)));
        let Some((owner, mark)) = owned else {
            return;
        };
        let subject = self.names.owned(&owner.node, key);
        self.wire.purge(&subject, Some(mark + 1)).await;
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
        let released = self.change_row(key, |row| {
            let is_owner = row.record.epoch == claim.epoch() && row.record.owner.is_some();
            if is_owner {
                row.record.state = to.as_str().to_owned();
                row.record.owner = None;
            }
            is_owner
        });
        self.unmark(key, released.await?).await;
        Ok(())
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
        let row = self.bury(key).await?;
        self.unmark(key, row).await;
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
            if let Some(after) = self.write_frame(place, head.at, &frame).await? {
                // Notifies the inbox of the earlier owner.
                self.wire.notify(place.live("in.moved"), Bytes::new());
                return Ok((head, after));
            }
        }
    }
}
