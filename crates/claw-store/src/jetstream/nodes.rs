//! Nodes, the sessions that they own, and checkpoints.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::{Deserialize, Serialize};

use super::chunks::Chunks;
use super::directory::PARALLEL;
use super::engine::Engine;
use super::frame::encode_parts;
use super::records::{decode, encode};
use super::wire::Cas;
use crate::claim::{Claim, Owner};
use crate::directory::Revision;
use crate::error::StoreError;
use crate::event::{Checkpoint, check_size};
use crate::id::{NodeId, SessionId, SessionKey, TenantId};
use crate::node::{NodeRecord, NodeRef};
use crate::store::Result;

#[derive(Serialize, Deserialize)]
struct NodeMeta {
    node: String,
    incarnation: u64,
    counter: u64,
    is_leaving: bool,
}

#[derive(Serialize, Deserialize)]
struct CheckpointMeta {
    sequence: u64,
    epoch: u64,
}

impl Engine {
    pub(super) async fn put_node(
        &self,
        record: NodeRecord,
        expected: Revision,
    ) -> Result<Revision> {
        let meta = NodeMeta {
            node: record.node.node.to_string(),
            incarnation: record.node.incarnation,
            counter: record.counter,
            is_leaving: record.is_leaving,
        };
        let body = encode(&meta, [&record.body])?;
        let subject = self.names.node(Some(&record.node.node));
        match self.wire.cas(&subject, expected.0, body.clone()).await? {
            Cas::Stored(revision) => Ok(Revision(revision)),
            // An earlier call with the same arguments has written it.
            Cas::Refused(stored) if stored.body == body && stored.expected == Some(expected.0) => {
                Ok(Revision(stored.sequence))
            }
            Cas::Refused(_) => Err(StoreError::conflict("the node")),
        }
    }

    pub(super) async fn nodes(&self) -> Result<Vec<NodeRecord>> {
        let found = self
            .wire
            .scan(&self.names.node(None), 0, usize::MAX)
            .await?;
        // A record that is replaced during the scan is found twice.
        let mut nodes = BTreeMap::new();
        for stored in found {
            let (meta, [body]): (NodeMeta, _) = decode(&stored.subject, stored.body)?;
            let node = NodeId::new(&meta.node)
                .map_err(|error| StoreError::damaged(&stored.subject, error))?;
            let record = NodeRecord {
                node: NodeRef {
                    node: node.clone(),
                    incarnation: meta.incarnation,
                },
                counter: meta.counter,
                is_leaving: meta.is_leaving,
                body,
                revision: Revision(stored.sequence),
            };
            nodes.insert(node, record);
        }
        Ok(nodes.into_values().collect())
    }

    pub(super) async fn sessions_of(
        &self,
        node: &NodeId,
        below: u64,
    ) -> Result<Vec<(SessionKey, Owner)>> {
        let subject = self.names.all_owned(node);
        let marks = self.wire.scan(&subject, 0, usize::MAX).await?;
        let marks = marks.iter().filter_map(|mark| read_mark(&mark.subject));
        let earlier = marks.filter(|(incarnation, _)| *incarnation < below);
        let keys: BTreeSet<_> = earlier.map(|(_, key)| key).collect();
        // A mark does not prove ownership: the log does.
        let owners = keys.into_iter().map(|key| async {
            match self.get(&key).await {
                Ok(row) => Ok(row.owner.map(|owner| (key, owner))),
                Err(StoreError::Deleted | StoreError::NotFound { .. }) => Ok(None),
                Err(error @ StoreError::Damaged { .. }) => {
                    tracing::error!(%error, session = %key, "a session has no readable owner");
                    Ok(None)
                }
                Err(error) => Err(error),
            }
        });
        let owners = stream::iter(owners).buffered(PARALLEL);
        let is_listed = |owner: &NodeRef| owner.node == *node && owner.incarnation < below;
        let owned = owners.try_filter_map(async |owned| {
            Ok(owned.filter(|(_, owner): &(_, Owner)| is_listed(&owner.node)))
        });
        owned.try_collect().await
    }

    pub(super) async fn save_checkpoint(
        &self,
        claim: &Claim,
        checkpoint: &Checkpoint,
    ) -> Result<()> {
        check_size([&checkpoint.body])?;
        let (place, _) = self.guard(claim).await?;
        let subject = self.names.checkpoint(claim.key());
        let meta = CheckpointMeta {
            sequence: checkpoint.sequence,
            epoch: claim.epoch(),
        };
        let body = encode_parts([&checkpoint.body[..]]);
        let sealed = self.seal(&place, body, Chunks::Checkpoint).await?;
        let body = encode(&meta, [&sealed])?;
        loop {
            let (mut at, mut replaced) = (0, None);
            if let Some(stored) = self.wire.last(&subject).await? {
                let (earlier, [sealed]) = decode::<CheckpointMeta, 1>(&subject.name, stored.body)?;
                if earlier.epoch > claim.epoch() {
                    return Err(StoreError::Fenced { by: None });
                }
                (at, replaced) = (stored.sequence, Some(sealed));
            }
            if let Cas::Stored(_) = self.wire.cas(&subject, at, body.clone()).await? {
                if let Some(replaced) = replaced.filter(|replaced| *replaced != sealed) {
                    self.drop_chunks(&place, &replaced).await;
                }
                return Ok(());
            }
        }
    }

    pub(super) async fn checkpoint(&self, key: &SessionKey) -> Result<Option<Checkpoint>> {
        let place = self.alive(key).await?;
        let subject = self.names.checkpoint(key);
        while let Some(stored) = self.wire.last(&subject).await? {
            let (meta, [sealed]): (CheckpointMeta, _) = decode(&subject.name, stored.body)?;
            let parts = self.open_parts(&place, sealed).await;
            if parts.is_err() {
                // If it was replaced meanwhile, its parts are deleted.
                let next = self.wire.last(&subject).await?;
                if next.is_some_and(|next| next.sequence != stored.sequence) {
                    continue;
                }
            }
            let (sequence, body) = (meta.sequence, parts?.pop().unwrap_or_default());
            return Ok(Some(Checkpoint { sequence, body }));
        }
        Ok(None)
    }
}

/// Reads the incarnation and the session from the subject of a mark.
fn read_mark(subject: &str) -> Option<(u64, SessionKey)> {
    let mut tokens = subject.rsplit('.');
    let session = SessionId::new(tokens.next()?).ok()?;
    let tenant = TenantId::new(tokens.next()?).ok()?;
    let incarnation = tokens.next()?.parse().ok()?;
    Some((incarnation, SessionKey::new(tenant, session)))
}
