//! The store for a cluster: NATS JetStream.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::Client;
use bytes::Bytes;
use tokio::sync::watch;

use crate::claim::{Claim, ClaimReason, Owner};
use crate::directory::{
    Created, NewSession, PageToken, Revision, SessionPage, SessionPatch, SessionRow, SessionState,
};
use crate::durability::Durability;
use crate::error::OpenError;
use crate::event::{Appended, Batch, BlobRef, Checkpoint, Event, Live, ReadLimit};
use crate::hub::Hub;
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
mod connection;
mod directory;
mod durability;
mod fold;
mod frame;
#[cfg(feature = "contract")]
mod hooks;
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

use cache::Cache;
use layout::{Layout, Names, Settings};
use live::LiveSource;
use wire::Wire;

/// How to reach and use the servers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct JetStreamConfig {
    /// The URLs of the servers. A URL may contain a user and a password, or a token.
    pub servers: Vec<String>,
    /// The URLs of the servers for a user of the system account, who can read the settings that
    /// decide what an append survives. Without them, the weakest settings are assumed.
    pub system_servers: Vec<String>,
    /// The beginning of all names of streams and subjects: letters, digits, `-` and `_`.
    pub namespace: String,
    /// The number of copies of new streams: 1, 3 or 5.
    pub replicas: usize,
    /// The number of partitions for new sessions. Existing sessions stay where they are.
    pub partitions: u32,
    /// The size at which a stream of a partition rejects writes.
    pub max_bytes: Option<u64>,
    /// How long a call is repeated before it returns `Unavailable`. An election takes up to 9 s.
    pub deadline: Duration,
}

impl JetStreamConfig {
    /// One replica and one partition.
    pub fn new(servers: Vec<String>) -> Self {
        Self {
            servers,
            system_servers: Vec::new(),
            namespace: "claw".to_owned(),
            replicas: 1,
            partitions: 1,
            max_bytes: None,
            deadline: Duration::from_secs(10),
        }
    }
}

/// A store on NATS JetStream. A clone is the same handle.
///
/// Needs nats-server 2.12.8 or newer; 2.15 and newer are supported. An acknowledged append survives
/// a power cut only if the servers have `sync_interval: always`.
#[derive(Clone)]
pub struct JetStreamStore {
    engine: Arc<Engine>,
}

/// The state of a handle.
struct Engine {
    wire: Wire,
    names: Names,
    layout: Layout,
    /// A connection to the system account.
    system: Option<Client>,
    hub: Arc<Hub>,
    cache: Cache,
    /// When the ends of logs are published.
    beacons: Mutex<HashMap<SessionKey, Instant>>,
    /// Changes when messages may have been lost.
    reconnects: watch::Receiver<u64>,
    /// Whether live messages are lost, in tests.
    is_silent: AtomicBool,
}

impl JetStreamStore {
    /// Connects to the servers and creates the streams that are missing.
    ///
    /// # Errors
    /// `Version` for servers that are too old, `Unreachable`, and `NewerSchema`.
    pub async fn open(config: JetStreamConfig) -> Result<Self, OpenError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if config.namespace.is_empty() || !config.namespace.bytes().all(is_plain) {
            return Err(layout::failed(
                "use letters, digits, - and _ in the namespace",
            ));
        }
        let (client, reconnects) = connection::connect(&config.servers, config.deadline).await?;
        durability::check_version(&client.server_info().version)?;
        let mut system = None;
        if !config.system_servers.is_empty() {
            let deadline = config.deadline;
            let connected = connection::connect(&config.system_servers, deadline).await;
            match connected {
                Ok((client, _)) => system = Some(client),
                Err(error) => tracing::warn!(%error, "no access to the system account"),
            }
        }
        let wire = Wire::new(client, config.deadline);
        let settings = Settings {
            namespace: config.namespace,
            replicas: config.replicas,
            partitions: config.partitions.max(1),
            max_bytes: config.max_bytes,
        };
        let engine = Arc::new(Engine {
            layout: Layout::open(&wire, &settings).await?,
            names: Names::new(&settings.namespace),
            wire,
            system,
            hub: Arc::default(),
            cache: Cache::default(),
            beacons: Mutex::default(),
            reconnects,
            is_silent: AtomicBool::new(false),
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

    /// Deletes the data of an erased session from the disks at once. Without this, it stays there,
    /// unreadable, until the start of the stream is deleted. All sessions of the partition wait
    /// meanwhile.
    ///
    /// # Errors
    /// `Conflict` if the session is not erased.
    pub async fn purge(&self, key: &SessionKey) -> Result<()> {
        self.engine.purge_erased(key).await
    }
}

impl std::fmt::Debug for JetStreamStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JetStreamStore").finish_non_exhaustive()
    }
}

impl Store for JetStreamStore {
    fn durability(&self) -> BoxFuture<'_, Durability> {
        Box::pin(self.engine.durability())
    }
}

impl Directory for JetStreamStore {
    fn create(&self, new: NewSession) -> BoxFuture<'_, Result<Created>> {
        Box::pin(self.engine.create(new))
    }

    fn get<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<SessionRow>> {
        Box::pin(self.engine.row(key))
    }

    fn list<'a>(
        &'a self,
        tenant: &'a TenantId,
        from: Option<PageToken>,
        limit: usize,
    ) -> BoxFuture<'a, Result<SessionPage>> {
        Box::pin(self.engine.list(tenant, from, limit))
    }

    fn update<'a>(
        &'a self,
        key: &'a SessionKey,
        expected: Revision,
        patch: SessionPatch,
    ) -> BoxFuture<'a, Result<Revision>> {
        Box::pin(self.engine.update(key, expected, patch))
    }

    fn erase<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.engine.erase(key))
    }

    fn claim<'a>(
        &'a self,
        key: &'a SessionKey,
        node: &'a NodeRef,
        reason: ClaimReason,
    ) -> BoxFuture<'a, Result<Claim>> {
        Box::pin(self.engine.claim(key, node, reason))
    }

    fn release<'a>(&'a self, claim: &'a Claim, to: SessionState) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.engine.release(claim, to))
    }
}

impl Log for JetStreamStore {
    fn append<'a>(
        &'a self,
        claim: &'a Claim,
        expected_last: u64,
        batch: &'a Batch,
    ) -> BoxFuture<'a, Result<Appended>> {
        Box::pin(self.engine.append(claim, expected_last, batch))
    }

    fn read<'a>(
        &'a self,
        key: &'a SessionKey,
        after: u64,
        limit: ReadLimit,
    ) -> BoxFuture<'a, Result<Vec<Event>>> {
        Box::pin(self.engine.read(key, after, limit))
    }

    fn follow<'a>(
        &'a self,
        key: &'a SessionKey,
        after: u64,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Result<Live>>>> {
        let source = Arc::new(LiveSource(self.engine.clone()));
        Box::pin(async move { self.engine.hub.follow(source, key, after).await })
    }

    fn publish_delta(&self, claim: &Claim, body: Bytes) {
        self.engine.publish_delta(claim, &body);
    }

    fn save_checkpoint<'a>(
        &'a self,
        claim: &'a Claim,
        checkpoint: &'a Checkpoint,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.engine.save_checkpoint(claim, checkpoint))
    }

    fn checkpoint<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Option<Checkpoint>>> {
        Box::pin(self.engine.checkpoint(key))
    }
}

impl Inbox for JetStreamStore {
    fn submit<'a>(
        &'a self,
        key: &'a SessionKey,
        command: NewCommand,
    ) -> BoxFuture<'a, Result<Submitted>> {
        Box::pin(self.engine.submit(key, command))
    }

    fn inbox<'a>(
        &'a self,
        claim: &'a Claim,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Result<Command>>>> {
        Box::pin(self.engine.inbox(claim))
    }
}

impl Interactions for JetStreamStore {
    fn open_interaction<'a>(
        &'a self,
        claim: &'a Claim,
        new: NewInteraction,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.engine.open_interaction(claim, new))
    }

    fn answer<'a>(
        &'a self,
        key: &'a SessionKey,
        id: &'a InteractionId,
        answer: InteractionAnswer,
    ) -> BoxFuture<'a, Result<Verdict>> {
        Box::pin(self.engine.answer(key, id, answer))
    }

    fn close_interaction<'a>(
        &'a self,
        claim: &'a Claim,
        id: &'a InteractionId,
        closing: Closing,
    ) -> BoxFuture<'a, Result<Interaction>> {
        Box::pin(self.engine.close_interaction(claim, id, closing))
    }

    fn interactions<'a>(
        &'a self,
        filter: &'a InteractionFilter,
    ) -> BoxFuture<'a, Result<Vec<Interaction>>> {
        Box::pin(self.engine.interactions(filter))
    }
}

impl Nodes for JetStreamStore {
    fn put_node(&self, record: NodeRecord, expected: Revision) -> BoxFuture<'_, Result<Revision>> {
        Box::pin(self.engine.put_node(record, expected))
    }

    fn nodes(&self) -> BoxFuture<'_, Result<Vec<NodeRecord>>> {
        Box::pin(self.engine.nodes())
    }

    fn sessions_of<'a>(
        &'a self,
        node: &'a NodeId,
    ) -> BoxFuture<'a, Result<Vec<(SessionKey, Owner)>>> {
        Box::pin(self.engine.sessions_of(node))
    }
}

impl Blobs for JetStreamStore {
    fn put_blob<'a>(&'a self, claim: &'a Claim, body: Bytes) -> BoxFuture<'a, Result<BlobRef>> {
        Box::pin(self.engine.put_blob(claim, body))
    }

    fn get_blob<'a>(
        &'a self,
        key: &'a SessionKey,
        hash: &'a str,
        range: Range<u64>,
    ) -> BoxFuture<'a, Result<Bytes>> {
        Box::pin(self.engine.get_blob(key, hash, range))
    }
}

impl Mirror for JetStreamStore {
    fn mirror<'a>(
        &'a self,
        claim: &'a Claim,
        file: &'a str,
        expected_last: u64,
        lines: &'a [Bytes],
    ) -> BoxFuture<'a, Result<u64>> {
        Box::pin(self.engine.mirror(claim, file, expected_last, lines))
    }

    fn mirrored_files<'a>(
        &'a self,
        key: &'a SessionKey,
    ) -> BoxFuture<'a, Result<Vec<(String, u64)>>> {
        Box::pin(self.engine.mirrored_files(key))
    }

    fn mirrored<'a>(
        &'a self,
        key: &'a SessionKey,
        file: &'a str,
        after: u64,
        limit: ReadLimit,
    ) -> BoxFuture<'a, Result<Vec<Bytes>>> {
        Box::pin(self.engine.mirrored(key, file, after, limit))
    }
}
