//! The store for a cluster: NATS JetStream.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use bytes::Bytes;

use crate::claim::{Claim, ClaimReason, Owner};
use crate::directory::{
    Created, NewSession, PageToken, Revision, SessionPage, SessionPatch, SessionRow, SessionState,
};
use crate::durability::Durability;
use crate::error::OpenError;
use crate::event::{Appended, Batch, BlobRef, Checkpoint, Event, Live, ReadLimit};
use crate::id::{InteractionId, NodeId, SessionKey, TenantId};
use crate::inbox::{Command, NewCommand, Submitted};
use crate::interaction::{
    Closing, Interaction, InteractionAnswer, InteractionFilter, NewInteraction, Verdict,
};
use crate::node::{NodeRecord, NodeRef};
use crate::store::{
    Blobs, BoxFuture, BoxStream, Directory, Inbox, Interactions, Log, Mirror, Nodes, Result, Store,
};

mod cache;
mod chunks;
mod claims;
mod config;
mod connection;
mod directory;
mod durability;
mod engine;
mod fold;
mod frame;
mod inbox;
mod interactions;
mod layout;
mod live;
mod log;
mod mirror;
mod nodes;
mod reads;
mod records;
mod wire;

pub use config::JetStreamConfig;
pub use engine::JetStreamStore;

use cache::Cache;
use engine::Engine;
use layout::{Layout, Names};
use live::LiveSource;
use wire::Wire;

impl JetStreamStore {
    /// Connects to the servers and creates the streams that are missing.
    ///
    /// # Errors
    /// `Version` for servers that are too old, `Unreachable`, and `NewerSchema`.
    pub async fn open(config: JetStreamConfig) -> Result<Self, OpenError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if config.namespace.is_empty() || !config.namespace.bytes().all(is_plain) {
            let reason = "use letters, digits, - and _ in the namespace";
            return Err(config::failed(reason));
        }
        let (client, reconnects) = connection::connect(&config.servers, config.deadline).await?;
        durability::check_version(&client.server_info().version)?;
        let mut system = None;
        if !config.system_servers.is_empty() {
            match connection::connect(&config.system_servers, config.deadline).await {
                Ok((client, _)) => system = Some(client),
                Err(error) => tracing::warn!(%error, "no access to the system account"),
            }
        }
        let wire = Wire::new(client, config.deadline);
        let names = Names::new(&config.namespace);
        let engine = Arc::new(Engine {
            layout: Layout::open(&wire, &names, &config).await?,
            names,
            wire,
            system,
            hub: Arc::default(),
            cache: Cache::default(),
            beacons: Mutex::default(),
            reconnects,
        });
        tokio::spawn(live::run_beacons(Arc::downgrade(&engine)));
        Ok(Self { engine })
    }

    /// Returns how many messages of a session's log do not count: they were written behind the
    /// store, or by an old owner on a server that did not refuse them. Reads the whole log.
    ///
    /// # Errors
    /// `NotFound`, `Deleted`, `Unavailable`.
    pub async fn void_frames(&self, key: &SessionKey) -> Result<u64> {
        self.engine.void_frames(key).await
    }
}

/// Defines methods that call the method of the engine with the same name.
macro_rules! calls {
    ($life:lifetime $($name:ident($($arg:ident: $type:ty),*) -> $result:ty;)*) => {$(
        fn $name<$life>(&$life self, $($arg: $type),*) -> BoxFuture<$life, Result<$result>> {
            Box::pin(self.engine.$name($($arg),*))
        }
    )*};
}

impl Store for JetStreamStore {
    fn durability(&self) -> BoxFuture<'_, Durability> {
        Box::pin(self.engine.durability())
    }
}

impl Directory for JetStreamStore {
    calls! {'a
        create(new: NewSession) -> Created;
        list(tenant: &'a TenantId, from: Option<PageToken>, limit: usize) -> SessionPage;
        update(key: &'a SessionKey, expected: Revision, patch: SessionPatch) -> Revision;
        erase(key: &'a SessionKey) -> ();
        claim(key: &'a SessionKey, node: &'a NodeRef, reason: ClaimReason) -> Claim;
        release(claim: &'a Claim, to: SessionState) -> ();
        get(key: &'a SessionKey) -> SessionRow;
    }
}

impl Log for JetStreamStore {
    calls! {'a
        append(claim: &'a Claim, expected_last: u64, batch: &'a Batch) -> Appended;
        read(key: &'a SessionKey, after: u64, limit: ReadLimit) -> Vec<Event>;
        save_checkpoint(claim: &'a Claim, checkpoint: &'a Checkpoint) -> ();
        checkpoint(key: &'a SessionKey) -> Option<Checkpoint>;
    }

    fn follow<'a>(
        &'a self,
        key: &'a SessionKey,
        after: u64,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Result<Live>>>> {
        let source = Arc::new(LiveSource(self.engine.clone()));
        Box::pin(self.engine.hub.follow(source, key, after))
    }

    fn publish_delta(&self, claim: &Claim, body: Bytes) {
        self.engine.publish_delta(claim, &body);
    }
}

impl Inbox for JetStreamStore {
    calls! {'a
        submit(key: &'a SessionKey, command: NewCommand) -> Submitted;
        find_command(key: &'a SessionKey, command: NewCommand) -> Option<Submitted>;
        inbox(claim: &'a Claim) -> BoxStream<'static, Result<Command>>;
    }
}

impl Interactions for JetStreamStore {
    calls! {'a
        open_interaction(claim: &'a Claim, new: NewInteraction) -> ();
        answer(key: &'a SessionKey, id: &'a InteractionId, answer: InteractionAnswer) -> Verdict;
        close_interaction(claim: &'a Claim, id: &'a InteractionId, closing: Closing) -> Interaction;
        interaction(key: &'a SessionKey, id: &'a InteractionId) -> Interaction;
        interactions(filter: &'a InteractionFilter) -> Vec<Interaction>;
    }
}

impl Nodes for JetStreamStore {
    calls! {'a
        put_node(record: NodeRecord, expected: Revision) -> Revision;
        nodes() -> Vec<NodeRecord>;
        sessions_of(node: &'a NodeId, below: u64) -> Vec<(SessionKey, Owner)>;
    }
}

impl Blobs for JetStreamStore {
    calls! {'a
        put_blob(claim: &'a Claim, body: Bytes) -> BlobRef;
        get_blob(key: &'a SessionKey, hash: &'a str, range: Range<u64>) -> Bytes;
    }
}

impl Mirror for JetStreamStore {
    calls! {'a
        mirror(claim: &'a Claim, file: &'a str, expected_last: u64, lines: &'a [Bytes]) -> u64;
        mirrored_files(key: &'a SessionKey) -> Vec<(String, u64)>;
        mirrored(key: &'a SessionKey, file: &'a str, after: u64, limit: ReadLimit) -> Vec<Bytes>;
    }
}
