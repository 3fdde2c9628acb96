//! A store whose calls fail or hang when a test says so.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use claw_store::{
    Appended, Batch, BlobRef, Blobs, BoxFuture, BoxStream, Checkpoint, Claim, ClaimReason, Closing,
    Command, Created, Directory, Durability, Event, Inbox, Interaction, InteractionAnswer,
    InteractionFilter, InteractionId, Interactions, Live, Log, Mirror, NewCommand, NewInteraction,
    NewSession, NodeId, NodeRecord, NodeRef, Nodes, Owner, PageToken, ReadLimit, Result, Revision,
    SessionKey, SessionPage, SessionPatch, SessionRow, SessionState, Store, StoreError, Submitted,
    TenantId, Verdict,
};

/// What happens to the calls of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// So many calls fail without effect.
    Unavailable(u32),
    /// So many calls succeed, and so many after them fail without effect.
    UnavailableAfter(u32, u32),
    /// So many calls are refused, as on a full disk.
    Full(u32),
    /// The next call takes effect, and never returns: the process is killed there.
    HangsAfter,
}

pub(crate) struct Faulty {
    inner: Arc<dyn Store>,
    faults: Mutex<HashMap<&'static str, Fault>>,
    /// Notified when a call hangs.
    pub(crate) hangs: tokio::sync::Notify,
}

impl Faulty {
    pub(crate) fn new(inner: Arc<dyn Store>) -> Arc<Self> {
        Arc::new(Self {
            inner,
            faults: Mutex::default(),
            hangs: tokio::sync::Notify::new(),
        })
    }

    pub(crate) fn set(&self, call: &'static str, fault: Fault) {
        self.faults.lock().unwrap().insert(call, fault);
    }

    fn before(&self, call: &str) -> Result<()> {
        let mut faults = self.faults.lock().unwrap();
        match faults.get_mut(call) {
            Some(Fault::Unavailable(left)) if *left > 0 => {
                *left -= 1;
                let reason = "the test says so".to_owned();
                Err(StoreError::Unavailable { reason })
            }
            Some(Fault::UnavailableAfter(0, left)) if *left > 0 => {
                *left -= 1;
                let reason = "the test says so".to_owned();
                Err(StoreError::Unavailable { reason })
            }
            Some(Fault::UnavailableAfter(skipped, _)) if *skipped > 0 => {
                *skipped -= 1;
                Ok(())
            }
            Some(Fault::Full(left)) if *left > 0 => {
                *left -= 1;
                let (what, advice) = ("the store".to_owned(), "wait".to_owned());
                Err(StoreError::Full { what, advice })
            }
            _ => Ok(()),
        }
    }

    async fn after(&self, call: &str) {
        let fault = self.faults.lock().unwrap().get(call).copied();
        if fault == Some(Fault::HangsAfter) {
            self.hangs.notify_one();
            std::future::pending::<()>().await;
        }
    }
}

/// Defines methods that call the inner store.
macro_rules! delegate {
    ($life:lifetime $($name:ident($($arg:ident: $type:ty),*) -> $result:ty;)*) => {$(
        fn $name<$life>(&$life self, $($arg: $type),*) -> BoxFuture<$life, Result<$result>> {
            Box::pin(async move {
                self.before(stringify!($name))?;
                let result = self.inner.$name($($arg),*).await;
                self.after(stringify!($name)).await;
                result
            })
        }
    )*};
}

impl Store for Faulty {
    fn durability(&self) -> BoxFuture<'_, Durability> {
        self.inner.durability()
    }
}

impl Directory for Faulty {
    delegate! {'a
        create(new: NewSession) -> Created;
        get(key: &'a SessionKey) -> SessionRow;
        list(tenant: &'a TenantId, from: Option<PageToken>, limit: usize) -> SessionPage;
        update(key: &'a SessionKey, expected: Revision, patch: SessionPatch) -> Revision;
        erase(key: &'a SessionKey) -> ();
        claim(key: &'a SessionKey, node: &'a NodeRef, reason: ClaimReason) -> Claim;
        release(claim: &'a Claim, to: SessionState) -> ();
    }
}

impl Log for Faulty {
    delegate! {'a
        append(claim: &'a Claim, expected_last: u64, batch: &'a Batch) -> Appended;
        read(key: &'a SessionKey, after: u64, limit: ReadLimit) -> Vec<Event>;
        follow(key: &'a SessionKey, after: u64) -> BoxStream<'static, Result<Live>>;
        save_checkpoint(claim: &'a Claim, checkpoint: &'a Checkpoint) -> ();
        checkpoint(key: &'a SessionKey) -> Option<Checkpoint>;
    }

    fn publish_delta(&self, claim: &Claim, body: Bytes) {
        self.inner.publish_delta(claim, body);
    }
}

impl Inbox for Faulty {
    delegate! {'a
        submit(key: &'a SessionKey, command: NewCommand) -> Submitted;
        find_command(key: &'a SessionKey, command: NewCommand) -> Option<Submitted>;
        inbox(claim: &'a Claim) -> BoxStream<'static, Result<Command>>;
    }
}

impl Interactions for Faulty {
    delegate! {'a
        open_interaction(claim: &'a Claim, new: NewInteraction) -> ();
        answer(key: &'a SessionKey, id: &'a InteractionId, answer: InteractionAnswer) -> Verdict;
        close_interaction(claim: &'a Claim, id: &'a InteractionId, closing: Closing) -> Interaction;
        interaction(key: &'a SessionKey, id: &'a InteractionId) -> Interaction;
        interactions(filter: &'a InteractionFilter) -> Vec<Interaction>;
    }
}

impl Nodes for Faulty {
    delegate! {'a
        put_node(record: NodeRecord, expected: Revision) -> Revision;
        nodes() -> Vec<NodeRecord>;
        sessions_of(node: &'a NodeId, below: u64) -> Vec<(SessionKey, Owner)>;
    }
}

impl Blobs for Faulty {
    delegate! {'a
        put_blob(claim: &'a Claim, body: Bytes) -> BlobRef;
        get_blob(key: &'a SessionKey, hash: &'a str, range: Range<u64>) -> Bytes;
    }
}

impl Mirror for Faulty {
    delegate! {'a
        mirror(claim: &'a Claim, file: &'a str, expected_last: u64, lines: &'a [Bytes]) -> u64;
        mirrored_files(key: &'a SessionKey) -> Vec<(String, u64)>;
        mirrored(key: &'a SessionKey, file: &'a str, after: u64, limit: ReadLimit) -> Vec<Bytes>;
    }
}
