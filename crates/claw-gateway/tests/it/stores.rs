//! The stores that the laws are checked on.

use std::sync::{Arc, Mutex};

use claw_gateway::StoreLog;
use claw_server::SessionId;
use claw_store::{
    ClaimReason, IdempotencyKey, JetStreamConfig, JetStreamStore, MemoryStore, NewSession, NodeId,
    NodeRef, SqliteOptions, SqliteStore, Store, TenantId,
};

use claw_testkit::nats::{NatsOptions, NatsServers};

use crate::is_proof;

pub(crate) const TENANT: &str = "ada";

/// A store, as two processes see it.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) store: Arc<dyn Store>,
    /// Another handle, without anything in memory that it shares with the first one.
    pub(crate) elsewhere: Arc<dyn Store>,
    /// Files and servers that are removed at the end.
    _kept: Box<dyn Send + Sync>,
}

/// Every kind of store, empty. A plain test has no servers.
pub(crate) async fn all() -> Vec<Row> {
    let mut rows = vec![memory(), sqlite().await];
    if is_proof() {
        rows.push(jetstream().await);
    }
    rows
}

fn memory() -> Row {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    Row {
        name: "memory",
        elsewhere: Arc::clone(&store),
        store,
        _kept: Box::new(()),
    }
}

async fn sqlite() -> Row {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let open = async || {
        let store = SqliteStore::open(&path, SqliteOptions::default()).await;
        Arc::new(store.unwrap()) as Arc<dyn Store>
    };
    Row {
        name: "SQLite",
        store: open().await,
        elsewhere: open().await,
        _kept: Box::new(folder),
    }
}

async fn jetstream() -> Row {
    let start = || NatsServers::start(&NatsOptions::new(1)).unwrap();
    let servers = tokio::task::spawn_blocking(start).await.unwrap();
    let open = async || {
        let mut config = JetStreamConfig::new(servers.urls());
        config.system_servers = servers.system_urls();
        Arc::new(JetStreamStore::open(config).await.unwrap()) as Arc<dyn Store>
    };
    Row {
        name: "JetStream",
        store: open().await,
        elsewhere: open().await,
        _kept: Box::new(Mutex::new(servers)),
    }
}

impl Row {
    /// The log of a process.
    pub(crate) fn log(&self) -> StoreLog {
        StoreLog::new(Arc::clone(&self.store), tenant())
    }

    /// The log of another process.
    pub(crate) fn log_elsewhere(&self) -> StoreLog {
        StoreLog::new(Arc::clone(&self.elsewhere), tenant())
    }
}

pub(crate) fn tenant() -> TenantId {
    TenantId::new(TENANT).unwrap()
}

pub(crate) fn node(incarnation: u64) -> NodeRef {
    let node = NodeId::new("node-1").unwrap();
    NodeRef { node, incarnation }
}

/// Creates a session without an owner.
pub(crate) async fn create(store: &dyn Store) -> SessionId {
    let session = SessionId::random();
    let new = NewSession {
        tenant: tenant(),
        session: Some(claw_store::SessionId::new(&session.to_string()).unwrap()),
        attributes: bytes::Bytes::new(),
        key: IdempotencyKey::new(&session.to_string()).unwrap(),
    };
    store.create(new).await.unwrap();
    session
}

/// Takes ownership of a session. Returns the epoch.
pub(crate) async fn claim(log: &StoreLog, session: SessionId, reason: ClaimReason) -> u64 {
    log.claim(session, &node(1), reason).await.unwrap()
}
