//! A store with a bug.
//!
//! Also without a bug, some calls fail as those of a real engine do: with and without effect.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use claw_store::*;
use futures_util::{StreamExt as _, future};
use tokio::sync::broadcast;

use super::streams;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bug {
    None,
    LostAppend,
    AcknowledgedBeforeStored,
    PartOfBatch,
    ReorderedBatch,
    RetryStoresTwice,
    ReusedNumber,
    StaleWriter,
    RefusedIsStored,
    ReadIsTruncated,
    ReadIsOld,
    DoubleDelivery,
    GapAtTheSeam,
    ReorderedDelivery,
    LostWakeUp,
    TappedIngest,
    TwoWinners,
    LostAnswer,
    LostCommand,
    CommandStoredTwice,
    CommandAppliedTwice,
    CommandSkipped,
    WrongTenant,
    LeaseByTtl,
}

/// The time after which a record expires in a store that has leases by TTL.
pub(crate) const TTL: Duration = Duration::from_secs(2);

pub(crate) struct Planted {
    inner: Arc<dyn Store>,
    bug: Bug,
    calls: AtomicU64,
    /// All appends, before they are accepted.
    ingest: broadcast::Sender<(SessionKey, Event)>,
    renewals: Mutex<HashMap<NodeId, Instant>>,
    /// Nodes whose writes fail, as during an election.
    cut_off: Mutex<Vec<NodeId>>,
}

impl Planted {
    pub(crate) fn new(inner: Arc<dyn Store>, bug: Bug) -> Self {
        Self {
            inner,
            bug,
            calls: AtomicU64::new(0),
            ingest: broadcast::channel(1024).0,
            renewals: Mutex::default(),
            cut_off: Mutex::default(),
        }
    }

    pub(crate) fn cut_off(&self, nodes: Vec<NodeId>) {
        *self.cut_off.lock().unwrap() = nodes;
    }

    /// Returns whether the store has a bug, and whether it shows in this call.
    fn strikes(&self, bug: Bug, every: u64) -> bool {
        self.bug == bug && self.is_turn(every)
    }

    fn is_turn(&self, every: u64) -> bool {
        self.calls.fetch_add(1, Ordering::Relaxed) % every == every - 1
    }

    async fn append_once(&self, claim: &Claim, last: u64, batch: &Batch) -> Result<Appended> {
        let mut batch = batch.clone();
        let count = batch.events.len() as u64;
        if self.strikes(Bug::LostAppend, 10) && self.inner.get(claim.key()).await?.last == last {
            return Ok(Appended { last: last + count });
        }
        if self.strikes(Bug::PartOfBatch, 5) {
            batch.events.truncate(1);
        }
        if self.strikes(Bug::ReorderedBatch, 5) {
            batch.events.reverse();
        }
        if self.strikes(Bug::CommandAppliedTwice, 2) {
            batch.applied = None;
        }
        if self.bug == Bug::TappedIngest {
            for (body, sequence) in batch.events.iter().cloned().zip(last + 1..) {
                let epoch = claim.epoch();
                let event = Event {
                    sequence,
                    epoch,
                    body,
                };
                // There may be no followers.
                let _ = self.ingest.send((claim.key().clone(), event));
            }
        }
        let stored = self.inner.get(claim.key()).await?.last;
        if self.bug == Bug::RetryStoresTwice && stored > last {
            return self.inner.append(claim, stored, &batch).await;
        }
        if self.strikes(Bug::AcknowledgedBeforeStored, 5) && stored == last {
            let (inner, key) = (self.inner.clone(), claim.key().clone());
            let (node, batch) = (claim.owner().node.clone(), batch.clone());
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                let claim = inner.claim(&key, &node, ClaimReason::Open).await.unwrap();
                let _ = inner.append(&claim, claim.last(), &batch).await;
            });
            return Ok(Appended { last: last + count });
        }
        let result = self.inner.append(claim, last, &batch).await;
        let is_fenced = matches!(result, Err(StoreError::Fenced { .. }));
        if is_fenced && [Bug::StaleWriter, Bug::RefusedIsStored].contains(&self.bug) {
            let node = &claim.owner().node;
            let claim = self
                .inner
                .claim(claim.key(), node, ClaimReason::Open)
                .await?;
            let appended = self.inner.append(&claim, claim.last(), &batch).await;
            return if self.bug == Bug::StaleWriter {
                appended
            } else {
                result
            };
        }
        if self.bug == Bug::PartOfBatch {
            return result.map(|_| Appended { last: last + count });
        }
        result
    }
}

/// Defines methods that call the inner store.
macro_rules! delegate {
    ($life:lifetime $($name:ident($($arg:ident: $type:ty),*) -> $result:ty;)*) => {$(
        fn $name<$life>(&$life self, $($arg: $type),*) -> BoxFuture<$life, Result<$result>> {
            self.inner.$name($($arg),*)
        }
    )*};
}

fn unavailable<T>() -> Result<T> {
    let reason = "the engine does not respond".to_owned();
    Err(StoreError::Unavailable { reason })
}

impl Store for Planted {
    fn durability(&self) -> BoxFuture<'_, Durability> {
        self.inner.durability()
    }
}

impl Directory for Planted {
    delegate! {'a
        create(new: NewSession) -> Created;
        get(key: &'a SessionKey) -> SessionRow;
        list(tenant: &'a TenantId, from: Option<PageToken>, limit: usize) -> SessionPage;
        update(key: &'a SessionKey, expected: Revision, patch: SessionPatch) -> Revision;
        erase(key: &'a SessionKey) -> ();
        release(claim: &'a Claim, to: SessionState) -> ();
    }

    fn claim<'a>(
        &'a self,
        key: &'a SessionKey,
        node: &'a NodeRef,
        reason: ClaimReason,
    ) -> BoxFuture<'a, Result<Claim>> {
        Box::pin(async move {
            if self.is_turn(12) {
                return unavailable();
            }
            let claim = self.inner.claim(key, node, reason).await?;
            match self.is_turn(12) {
                true => unavailable(),
                false => Ok(claim),
            }
        })
    }
}

impl Log for Planted {
    fn append<'a>(
        &'a self,
        claim: &'a Claim,
        expected_last: u64,
        batch: &'a Batch,
    ) -> BoxFuture<'a, Result<Appended>> {
        Box::pin(async move {
            if self.is_turn(20) {
                return unavailable();
            }
            let appended = self.append_once(claim, expected_last, batch).await?;
            match self.is_turn(20) {
                true => unavailable(),
                false => Ok(appended),
            }
        })
    }

    fn read<'a>(
        &'a self,
        key: &'a SessionKey,
        after: u64,
        limit: ReadLimit,
    ) -> BoxFuture<'a, Result<Vec<Event>>> {
        Box::pin(async move {
            if self.bug == Bug::WrongTenant {
                let (side, run) = key.tenant.as_str().split_once('-').unwrap();
                let side = if side == "even" { "odd" } else { "even" };
                let other = TenantId::new(&format!("{side}-{run}")).unwrap();
                let other = SessionKey::new(other, key.session.clone());
                if let Ok(events) = self.inner.read(&other, after, limit).await {
                    return Ok(events);
                }
            }
            let mut events = self.inner.read(key, after, limit).await?;
            if self.strikes(Bug::ReadIsTruncated, 3) && events.len() > 2 {
                events.remove(events.len() / 2);
            }
            if self.strikes(Bug::ReadIsOld, 3) && after > 0 {
                events.clear();
            }
            if self.bug == Bug::ReusedNumber {
                streams::renumber(&mut events);
            }
            Ok(events)
        })
    }

    fn follow<'a>(
        &'a self,
        key: &'a SessionKey,
        after: u64,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Result<Live>>>> {
        Box::pin(async move {
            let taps = self.ingest.subscribe();
            let events = self.inner.follow(key, after).await?;
            Ok(streams::plant(self.bug, events, taps, key))
        })
    }

    fn publish_delta(&self, claim: &Claim, body: Bytes) {
        self.inner.publish_delta(claim, body);
    }

    delegate! {'a
        save_checkpoint(claim: &'a Claim, checkpoint: &'a Checkpoint) -> ();
        checkpoint(key: &'a SessionKey) -> Option<Checkpoint>;
    }
}

impl Inbox for Planted {
    fn submit<'a>(
        &'a self,
        key: &'a SessionKey,
        mut command: NewCommand,
    ) -> BoxFuture<'a, Result<Submitted>> {
        Box::pin(async move {
            if self.strikes(Bug::LostCommand, 5) {
                let position = self.calls.load(Ordering::Relaxed) + 1_000_000;
                let is_repeat = false;
                return Ok(Submitted {
                    position,
                    is_repeat,
                });
            }
            if self.bug == Bug::CommandStoredTwice {
                let name = format!("{}-{}", command.key, self.calls.load(Ordering::Relaxed) % 4);
                command.key = IdempotencyKey::new(&name).unwrap();
            }
            let submitted = self.inner.submit(key, command).await?;
            match self.is_turn(10) {
                true => unavailable(),
                false => Ok(submitted),
            }
        })
    }

    delegate! {'a
        find_command(key: &'a SessionKey, command: NewCommand) -> Option<Submitted>;
    }

    fn inbox<'a>(
        &'a self,
        claim: &'a Claim,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Result<Command>>>> {
        Box::pin(async move {
            let (bug, mut number) = (self.bug, 0);
            let commands = self.inner.inbox(claim).await?.map(move |command| {
                command.map(|mut command| {
                    if bug == Bug::CommandStoredTwice {
                        let name = command.key.as_str().split('-').next().unwrap();
                        command.key = IdempotencyKey::new(name).unwrap();
                    }
                    command
                })
            });
            let commands = commands.filter(move |_| {
                number += 1;
                future::ready(bug != Bug::CommandSkipped || number % 4 != 3)
            });
            Ok(Box::pin(commands) as BoxStream<'static, _>)
        })
    }
}

impl Interactions for Planted {
    fn answer<'a>(
        &'a self,
        key: &'a SessionKey,
        id: &'a InteractionId,
        answer: InteractionAnswer,
    ) -> BoxFuture<'a, Result<Verdict>> {
        Box::pin(async move {
            if self.strikes(Bug::LostAnswer, 4) {
                return Ok(Verdict::Won);
            }
            let verdict = self.inner.answer(key, id, answer).await?;
            Ok(match (self.bug, verdict) {
                (Bug::TwoWinners, Verdict::Lost(_)) => Verdict::Won,
                (_, verdict) => verdict,
            })
        })
    }

    delegate! {'a
        open_interaction(claim: &'a Claim, new: NewInteraction) -> ();
        close_interaction(claim: &'a Claim, id: &'a InteractionId, closing: Closing) -> Interaction;
        interaction(key: &'a SessionKey, id: &'a InteractionId) -> Interaction;
        interactions(filter: &'a InteractionFilter) -> Vec<Interaction>;
    }
}

impl Nodes for Planted {
    fn put_node(&self, record: NodeRecord, expected: Revision) -> BoxFuture<'_, Result<Revision>> {
        Box::pin(async move {
            let node = record.node.node.clone();
            if self.cut_off.lock().unwrap().contains(&node) {
                return unavailable();
            }
            let revision = self.inner.put_node(record, expected).await?;
            self.renewals.lock().unwrap().insert(node, Instant::now());
            Ok(revision)
        })
    }

    fn nodes(&self) -> BoxFuture<'_, Result<Vec<NodeRecord>>> {
        Box::pin(async {
            let mut nodes = self.inner.nodes().await?;
            let renewals = self.renewals.lock().unwrap();
            for record in &mut nodes {
                let renewal = renewals.get(&record.node.node);
                let is_late = renewal.is_some_and(|renewal| renewal.elapsed() > TTL);
                record.is_leaving |= self.bug == Bug::LeaseByTtl && is_late;
            }
            Ok(nodes)
        })
    }

    delegate! {'a
        sessions_of(node: &'a NodeId, below: u64) -> Vec<(SessionKey, Owner)>;
    }
}

impl Blobs for Planted {
    delegate! {'a
        put_blob(claim: &'a Claim, body: Bytes) -> BlobRef;
        get_blob(key: &'a SessionKey, hash: &'a str, range: Range<u64>) -> Bytes;
    }
}

impl Mirror for Planted {
    delegate! {'a
        mirror(claim: &'a Claim, file: &'a str, last: u64, lines: &'a [Bytes]) -> u64;
        mirrored_files(key: &'a SessionKey) -> Vec<(String, u64)>;
        mirrored(key: &'a SessionKey, file: &'a str, after: u64, limit: ReadLimit) -> Vec<Bytes>;
    }
}
