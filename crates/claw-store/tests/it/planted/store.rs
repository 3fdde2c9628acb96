//! A store with a bug.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use claw_store::*;
use futures_util::StreamExt as _;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bug {
    None,
    /// A stale owner takes the session back.
    NoFence,
    RetryStoresTwice,
    ReorderedBatch,
    SilentTruncation,
    /// The first event after the history is lost, or arrives twice.
    LostLive,
    DoubleLive,
    NoIdempotency,
    AppliedIsLost,
    TwoWinners,
    NoCompareAndSet,
    EraseDoesNothing,
    WrongTenant,
    ClaimedDurability,
}

pub(super) struct Planted {
    pub(super) inner: Arc<dyn Store>,
    pub(super) bug: Bug,
}

/// Defines methods that call the inner store.
macro_rules! delegate {
    ($life:lifetime $($name:ident($($arg:ident: $type:ty),*) -> $result:ty;)*) => {$(
        fn $name<$life>(&$life self, $($arg: $type),*) -> BoxFuture<$life, Result<$result>> {
            self.inner.$name($($arg),*)
        }
    )*};
}

impl Store for Planted {
    fn durability(&self) -> BoxFuture<'_, Durability> {
        Box::pin(async {
            let mut durability = self.inner.durability().await;
            if self.bug == Bug::ClaimedDurability {
                durability.level = DurabilityLevel::PowerLoss;
            }
            durability
        })
    }
}

impl Directory for Planted {
    delegate! {'a
        create(new: NewSession) -> Created;
        get(key: &'a SessionKey) -> SessionRow;
        list(tenant: &'a TenantId, from: Option<PageToken>, limit: usize) -> SessionPage;
        claim(key: &'a SessionKey, node: &'a NodeRef, reason: ClaimReason) -> Claim;
        release(claim: &'a Claim, to: SessionState) -> ();
    }

    fn update<'a>(
        &'a self,
        key: &'a SessionKey,
        mut expected: Revision,
        patch: SessionPatch,
    ) -> BoxFuture<'a, Result<Revision>> {
        Box::pin(async move {
            if self.bug == Bug::NoCompareAndSet {
                expected = self.inner.get(key).await?.revision;
            }
            self.inner.update(key, expected, patch).await
        })
    }

    fn erase<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<()>> {
        match self.bug {
            Bug::EraseDoesNothing => Box::pin(async { Ok(()) }),
            _ => self.inner.erase(key),
        }
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
            let mut batch = batch.clone();
            match self.bug {
                Bug::ReorderedBatch => batch.events.reverse(),
                Bug::AppliedIsLost => batch.applied = None,
                _ => {}
            }
            let last = self.inner.get(claim.key()).await.map_or(0, |row| row.last);
            if self.bug == Bug::RetryStoresTwice && last > expected_last {
                return self.inner.append(claim, last, &batch).await;
            }
            let result = self.inner.append(claim, expected_last, &batch).await;
            if self.bug == Bug::NoFence && matches!(result, Err(StoreError::Fenced { .. })) {
                let (key, owner) = (claim.key(), claim.owner());
                let claim = self
                    .inner
                    .claim(key, &owner.node, ClaimReason::Open)
                    .await?;
                return self.inner.append(&claim, claim.last(), &batch).await;
            }
            result
        })
    }

    fn read<'a>(
        &'a self,
        key: &'a SessionKey,
        after: u64,
        limit: ReadLimit,
    ) -> BoxFuture<'a, Result<Vec<Event>>> {
        Box::pin(async move {
            match self.inner.read(key, after, limit).await {
                Err(StoreError::Truncated { first }) if self.bug == Bug::SilentTruncation => {
                    self.inner.read(key, first - 1, limit).await
                }
                Err(StoreError::NotFound { .. }) if self.bug == Bug::WrongTenant => {
                    let tenant = TenantId::new("tenant").unwrap();
                    let key = SessionKey::new(tenant, key.session.clone());
                    self.inner.read(&key, after, limit).await
                }
                result => result,
            }
        })
    }

    fn follow<'a>(
        &'a self,
        key: &'a SessionKey,
        after: u64,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Result<Live>>>> {
        let times = match self.bug {
            Bug::LostLive => 0,
            Bug::DoubleLive => 2,
            _ => 1,
        };
        Box::pin(async move {
            let stream = self.inner.follow(key, after).await?;
            let mut is_seam = false;
            let items = stream.flat_map(move |item| {
                let count = if is_seam { times } else { 1 };
                is_seam = matches!(item, Ok(Live::Head { .. }));
                futures_util::stream::iter(vec![item; count])
            });
            Ok(Box::pin(items) as BoxStream<'static, _>)
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
        if self.bug == Bug::NoIdempotency {
            command.key = IdempotencyKey::new(SessionId::random().as_str()).unwrap();
        }
        self.inner.submit(key, command)
    }

    delegate! {'a
        find_command(key: &'a SessionKey, command: NewCommand) -> Option<Submitted>;
        inbox(claim: &'a Claim) -> BoxStream<'static, Result<Command>>;
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
            let verdict = self.inner.answer(key, id, answer).await?;
            Ok(match self.bug {
                Bug::TwoWinners => Verdict::Won,
                _ => verdict,
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
    delegate! {'a
        put_node(record: NodeRecord, expected: Revision) -> Revision;
        nodes() -> Vec<NodeRecord>;
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
