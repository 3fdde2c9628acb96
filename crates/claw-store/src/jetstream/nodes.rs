//! Nodes, the sessions that they own, and checkpoints.

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::{Deserialize, Serialize};

use super::Engine;
use super::chunks::Chunks;
use super::frame::encode_parts;
use super::records::{damaged, decode, encode};
use super::wire::Cas;
use crate::claim::{Claim, Owner};
use crate::directory::Revision;
use crate::error::StoreError;
use crate::event::{Checkpoint, check_size};
use crate::id::{NodeId, SessionId, SessionKey, TenantId};
use crate::node::{NodeRecord, NodeRef};
use crate::store::Result;

const PARALLEL: usize = 16;

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
        let body = encode(&meta, &record.body)?;
        let (stream, subject) = (
            self.names.stream("NODE"),
            self.names.node(Some(&record.node.node)),
        );
        match self
            .wire
            .cas(&stream, &subject, expected.0, body.clone())
            .await?
        {
            Cas::Stored(revision) => Ok(Revision(revision)),
            // An earlier call with the same arguments has written it.
            Cas::Refused(Some(stored))
                if stored.body == body && stored.expected == Some(expected.0) =>
            {
                Ok(Revision(stored.sequence))
            }
            Cas::Refused(_) => Err(StoreError::conflict("the node")),
        }
    }

    pub(super) async fn nodes(&self) -> Result<Vec<NodeRecord>> {
        let (stream, subject) = (self.names.stream("NODE"), self.names.node(None));
        let found = self.wire.scan(&stream, &subject, 0, usize::MAX).await?;
        // A record that is replaced during the scan is found twice.
        let mut nodes = std::collections::BTreeMap::new();
        for stored in found {
            let (meta, body): (NodeMeta, _) = decode(&stored)?;
            let node = NodeId::new(&meta.node).map_err(|error| damaged(&stored, error))?;
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

    pub(super) async fn sessions_of(&self, node: &NodeId) -> Result<Vec<(SessionKey, Owner)>> {
        let (stream, subject) = (self.names.stream("OWN"), self.names.all_owned(node));
        let marks = self.wire.scan(&stream, &subject, 0, usize::MAX).await?;
        let mut keys: Vec<_> = marks
            .iter()
            .filter_map(|mark| session_of(&mark.subject))
            .collect();
        keys.sort();
        keys.dedup();
        // A mark does not prove ownership: the log does.
        let owners = keys.into_iter().map(|key| async {
            match self.row(&key).await {
                Ok(row) => Ok(row.owner.map(|owner| (key, owner))),
                Err(StoreError::Deleted | StoreError::NotFound { .. }) => Ok(None),
                Err(error) => Err(error),
            }
        });
        let owners: Vec<_> = stream::iter(owners)
            .buffered(PARALLEL)
            .try_collect()
            .await?;
        let owned = owners.into_iter().flatten();
        Ok(owned
            .filter(|(_, owner)| owner.node.node == *node)
            .collect())
    }

    pub(super) async fn save_checkpoint(
        &self,
        claim: &Claim,
        checkpoint: &Checkpoint,
    ) -> Result<()> {
        check_size([&checkpoint.body])?;
        let (place, _) = self.guard(claim).await?;
        let (stream, subject) = (self.names.stream("CP"), self.names.checkpoint(claim.key()));
        let meta = CheckpointMeta {
            sequence: checkpoint.sequence,
            epoch: claim.epoch(),
        };
        let body = encode_parts([&checkpoint.body[..]]);
        let sealed = self.seal(&place, body, Chunks::Checkpoint).await?;
        let body = encode(&meta, &sealed)?;
        loop {
            let earlier = self.wire.last(&stream, &subject).await?;
            let mut at = 0;
            if let Some(stored) = &earlier {
                at = stored.sequence;
                if decode::<CheckpointMeta>(stored)?.0.epoch > claim.epoch() {
                    return Err(StoreError::Fenced { by: None });
                }
            }
            if let Cas::Stored(_) = self.wire.cas(&stream, &subject, at, body.clone()).await? {
                if let Some(stored) = &earlier {
                    let (_, replaced) = decode::<CheckpointMeta>(stored)?;
                    if replaced != sealed {
                        self.drop_chunks(&place, &replaced).await?;
                    }
                }
                return Ok(());
            }
        }
    }

    pub(super) async fn checkpoint(&self, key: &SessionKey) -> Result<Option<Checkpoint>> {
        let place = self.alive(key).await?;
        let (stream, subject) = (self.names.stream("CP"), self.names.checkpoint(key));
        let Some(stored) = self.wire.last(&stream, &subject).await? else {
            return Ok(None);
        };
        let (meta, sealed) = decode::<CheckpointMeta>(&stored)?;
        let parts = self.open_parts(&place, sealed).await?;
        let body = parts.into_iter().next().unwrap_or_default();
        let sequence = meta.sequence;
        Ok(Some(Checkpoint { sequence, body }))
    }
}

/// Reads the session from the subject of a mark.
fn session_of(subject: &str) -> Option<SessionKey> {
    let mut tokens = subject.rsplit('.');
    let session = SessionId::new(tokens.next()?).ok()?;
    Some(SessionKey::new(
        TenantId::new(tokens.next()?).ok()?,
        session,
    ))
}
