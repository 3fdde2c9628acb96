//! Where sessions are stored, as a process opens it.

use std::path::PathBuf;
use std::sync::Arc;

use claw_gateway::StoreLog;
use claw_server::SessionId;
use claw_store::{
    ClaimReason, IdempotencyKey, JetStreamConfig, JetStreamStore, NewSession, NodeId, NodeRef,
    SqliteOptions, SqliteStore, Store, TenantId,
};
use claw_testkit::nats::{NatsOptions, NatsServers};
use serde::{Deserialize, Serialize};

pub(crate) const TENANT: &str = "ada";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Place {
    Sqlite(PathBuf),
    /// The URLs of the servers, and those for the system account.
    JetStream(Vec<String>, Vec<String>),
}

impl Place {
    /// An empty file, and its folder.
    pub(crate) fn sqlite() -> (Self, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        (Self::Sqlite(folder.path().join("store.db")), folder)
    }

    /// An empty server.
    pub(crate) async fn jetstream() -> (Self, NatsServers) {
        let start = || NatsServers::start(&NatsOptions::new(1)).unwrap();
        let servers = tokio::task::spawn_blocking(start).await.unwrap();
        let place = Self::JetStream(servers.urls(), servers.system_urls());
        (place, servers)
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "SQLite",
            Self::JetStream(..) => "JetStream",
        }
    }

    pub(crate) async fn open(&self) -> Arc<dyn Store> {
        match self {
            Self::Sqlite(path) => {
                let store = SqliteStore::open(path, SqliteOptions::default()).await;
                Arc::new(store.unwrap())
            }
            Self::JetStream(servers, system_servers) => {
                let mut config = JetStreamConfig::new(servers.clone());
                config.system_servers.clone_from(system_servers);
                Arc::new(JetStreamStore::open(config).await.unwrap())
            }
        }
    }

    pub(crate) async fn log(&self) -> StoreLog {
        StoreLog::new(self.open().await, tenant())
    }
}

pub(crate) fn tenant() -> TenantId {
    TenantId::new(TENANT).unwrap()
}

fn node(incarnation: u64) -> NodeRef {
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
