//! The store in memory.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use crate::hub::{Hub, lock};
use crate::{
    Appended, Batch, BlobRef, Blobs, BoxFuture, BoxStream, Checkpoint, Claim, ClaimReason, Closing,
    Command, Created, Directory, Durability, DurabilityLevel, Event, Inbox, Interaction,
    InteractionAnswer, InteractionFilter, InteractionId, Interactions, Live, Log, Mirror,
    NewCommand, NewInteraction, NewSession, NodeId, NodeRecord, NodeRef, Nodes, Owner, PageToken,
    ReadLimit, Result, Revision, SessionKey, SessionPage, SessionPatch, SessionRow, SessionState,
    Store, Submitted, TenantId, Verdict,
};

mod data;
mod directory;
#[cfg(any(test, feature = "contract"))]
#[cfg_attr(
    not(feature = "contract"),
    allow(dead_code, reason = "unit tests use a part")
)]
mod hooks;
mod inbox;
mod log;
mod records;
mod shared;

use shared::Shared;

/// A store that keeps everything in memory, for tests and for programs that keep nothing.
///
/// A clone is the same handle. [`MemoryStore::handle`] returns another one on the same data, as
/// another process would open it.
#[derive(Clone)]
pub struct MemoryStore {
    shared: Arc<Shared>,
    hub: Arc<Hub>,
}

impl MemoryStore {
    /// Returns an empty store.
    pub fn new() -> Self {
        Self::open(Arc::default())
    }

    /// Returns another handle on the same data.
    #[must_use]
    pub fn handle(&self) -> Self {
        Self::open(self.shared.clone())
    }

    fn open(shared: Arc<Shared>) -> Self {
        let hub = Arc::<Hub>::default();
        lock(&shared.data).hubs.push(Arc::downgrade(&hub));
        Self { shared, hub }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

/// Defines methods that call the method of the data with the same name.
macro_rules! calls {
    ($life:lifetime $($kind:ident $name:ident($($arg:ident: $type:ty),*) -> $result:ty;)*) => {$(
        fn $name<$life>(&$life self, $($arg: $type),*) -> BoxFuture<$life, Result<$result>> {
            Box::pin(self.shared.$kind(move |data| data.$name($($arg),*)))
        }
    )*};
}

impl Store for MemoryStore {
    fn durability(&self) -> BoxFuture<'_, Durability> {
        let evidence = vec!["the data is in the memory of this process".to_owned()];
        let level = DurabilityLevel::Memory;
        Box::pin(async move { Durability { level, evidence } })
    }
}

impl Directory for MemoryStore {
    calls! {'a
        write create(new: NewSession) -> Created;
        read get(key: &'a SessionKey) -> SessionRow;
        read list(tenant: &'a TenantId, from: Option<PageToken>, limit: usize) -> SessionPage;
        write update(key: &'a SessionKey, expected: Revision, patch: SessionPatch) -> Revision;
        read erase(key: &'a SessionKey) -> ();
        write claim(key: &'a SessionKey, node: &'a NodeRef, reason: ClaimReason) -> Claim;
        read release(claim: &'a Claim, to: SessionState) -> ();
    }
}

impl Log for MemoryStore {
    calls! {'a
        write append(claim: &'a Claim, expected_last: u64, batch: &'a Batch) -> Appended;
        read read(key: &'a SessionKey, after: u64, limit: ReadLimit) -> Vec<Event>;
        write save_checkpoint(claim: &'a Claim, checkpoint: &'a Checkpoint) -> ();
        read checkpoint(key: &'a SessionKey) -> Option<Checkpoint>;
    }

    fn follow<'a>(
        &'a self,
        key: &'a SessionKey,
        after: u64,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Result<Live>>>> {
        Box::pin(self.hub.follow(self.shared.clone(), key, after))
    }

    fn publish_delta(&self, claim: &Claim, body: Bytes) {
        lock(&self.shared.data).publish_delta(claim, body);
    }
}

impl Inbox for MemoryStore {
    calls! {'a
        write submit(key: &'a SessionKey, command: NewCommand) -> Submitted;
    }

    fn inbox<'a>(
        &'a self,
        claim: &'a Claim,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Result<Command>>>> {
        Box::pin(inbox::receive(self.shared.clone(), claim))
    }
}

impl Interactions for MemoryStore {
    calls! {'a
        write open_interaction(claim: &'a Claim, new: NewInteraction) -> ();
        write answer(key: &'a SessionKey, id: &'a InteractionId, answer: InteractionAnswer) -> Verdict;
        write close_interaction(claim: &'a Claim, id: &'a InteractionId, closing: Closing) -> Interaction;
        read interactions(filter: &'a InteractionFilter) -> Vec<Interaction>;
    }
}

impl Nodes for MemoryStore {
    calls! {'a
        write put_node(record: NodeRecord, expected: Revision) -> Revision;
        read nodes() -> Vec<NodeRecord>;
        read sessions_of(node: &'a NodeId) -> Vec<(SessionKey, Owner)>;
    }
}

impl Blobs for MemoryStore {
    calls! {'a
        write put_blob(claim: &'a Claim, body: Bytes) -> BlobRef;
        read get_blob(key: &'a SessionKey, hash: &'a str, range: Range<u64>) -> Bytes;
    }
}

impl Mirror for MemoryStore {
    calls! {'a
        write mirror(claim: &'a Claim, file: &'a str, expected_last: u64, lines: &'a [Bytes]) -> u64;
        read mirrored_files(key: &'a SessionKey) -> Vec<(String, u64)>;
        read mirrored(key: &'a SessionKey, file: &'a str, after: u64, limit: ReadLimit) -> Vec<Bytes>;
    }
}
