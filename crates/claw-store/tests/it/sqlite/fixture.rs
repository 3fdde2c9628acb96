//! What most tests of SQLite do.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bytes::Bytes;
use claw_store::contract::numbered_body;
use claw_store::{
    Batch, Claim, ClaimReason, Directory as _, Event, IdempotencyKey, Log as _, NewSession, NodeId,
    NodeRef, ReadLimit, SessionId, SessionKey, SqliteOptions, SqliteStore, StoreError, TenantId,
};
use tempfile::TempDir;

pub(super) fn tenant(name: &str) -> TenantId {
    TenantId::new(name).unwrap()
}

/// A store in a folder of its own.
pub(super) struct Fixture {
    pub(super) dir: TempDir,
    pub(super) store: SqliteStore,
}

impl Fixture {
    pub(super) async fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let store = open(&dir.path().join("store.db")).await;
        Self { dir, store }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.dir.path().join("store.db")
    }
}

pub(super) async fn open(path: &Path) -> SqliteStore {
    let opened = SqliteStore::open(path, SqliteOptions::default()).await;
    opened.unwrap()
}

pub(super) async fn create(store: &SqliteStore, name: &str) -> Result<SessionKey, StoreError> {
    let session = SessionId::random();
    let new = NewSession {
        tenant: tenant(name),
        key: IdempotencyKey::new(session.as_str()).unwrap(),
        session: Some(session),
        attributes: Bytes::new(),
    };
    Ok(store.create(new).await?.row.key)
}

pub(super) async fn claim(store: &SqliteStore, key: &SessionKey) -> Claim {
    let node = NodeRef {
        node: NodeId::new("node").unwrap(),
        incarnation: 1,
    };
    store.claim(key, &node, ClaimReason::Open).await.unwrap()
}

/// Returns a new session that is claimed.
pub(super) async fn owned(store: &SqliteStore) -> (SessionKey, Claim) {
    let key = create(store, "tenant").await.unwrap();
    let claim = claim(store, &key).await;
    (key, claim)
}

/// Appends events with numbered bodies.
pub(super) async fn append(store: &SqliteStore, claim: &Claim, after: u64, count: u64) {
    let bodies = (after + 1..=after + count).map(numbered_body);
    let batch = Batch::from(bodies.collect::<Vec<_>>());
    store.append(claim, after, &batch).await.unwrap();
}

/// Reads a whole log and checks that it is dense.
pub(super) async fn read_all(store: &SqliteStore, key: &SessionKey) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    loop {
        let last = events.len() as u64;
        let page = store.read(key, last, ReadLimit::default()).await.unwrap();
        if page.is_empty() {
            return events;
        }
        for (event, sequence) in page.iter().zip(last + 1..) {
            assert_eq!(event.sequence, sequence);
        }
        events.extend(page);
    }
}

/// Waits until a condition holds.
pub(super) async fn wait_until(awaited: &str, mut is_met: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_met() {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "awaited: {awaited}"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
