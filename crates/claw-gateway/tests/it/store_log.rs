//! The log of a controller, on every store.

use std::sync::Arc;
use std::time::Duration;

use claw_gateway::StoreLog;
use claw_server::event::{Fact, Lifecycle, LifecycleState};
use claw_server::{
    Checkpoint, EventLog as _, Fence, LogError, LogUpdate, PageLimit, SessionEvent, SessionId,
    TextDelta,
};
use claw_store::{
    ClaimReason, IdempotencyKey, MemoryStore, NewSession, NodeId, NodeRef, SqliteOptions,
    SqliteStore, Store, TenantId,
};
use futures_util::StreamExt as _;

fn tenant(name: &str) -> TenantId {
    TenantId::new(name).unwrap()
}

fn node(incarnation: u64) -> NodeRef {
    let node = NodeId::new("node-1").unwrap();
    NodeRef { node, incarnation }
}

fn event(sequence: u64, epoch: u64) -> Arc<SessionEvent> {
    let fact = Fact::Lifecycle(Lifecycle::new(LifecycleState::Ready));
    Arc::new(SessionEvent::new(sequence, epoch, 7, fact))
}

async fn create(store: &dyn Store, session: SessionId) {
    let new = NewSession {
        tenant: tenant("ada"),
        session: Some(claw_store::SessionId::new(&session.to_string()).unwrap()),
        attributes: bytes::Bytes::new(),
        key: IdempotencyKey::new(&session.to_string()).unwrap(),
    };
    store.create(new).await.unwrap();
}

async fn is_a_log(store: Arc<dyn Store>) {
    let session = SessionId::random();
    create(store.as_ref(), session).await;
    let log = StoreLog::new(Arc::clone(&store), tenant("ada"));
    let fence = |epoch, expected_last| Fence {
        epoch,
        expected_last,
    };
    // Without a claim, nothing is appended.
    let unclaimed = log.append(session, fence(1, 0), &[event(1, 1)]).await;
    assert_eq!(unclaimed, Err(LogError::Fenced));
    let epoch = log
        .claim(session, &node(1), ClaimReason::Open)
        .await
        .unwrap();
    let events: Vec<_> = (1..=100).map(|sequence| event(sequence, epoch)).collect();
    let mut updates = log.subscribe(session, 0).await.unwrap();
    log.append(session, fence(epoch, 0), &events[..60])
        .await
        .unwrap();
    // The same append again is stored once.
    log.append(session, fence(epoch, 0), &events[..60])
        .await
        .unwrap();
    log.append(session, fence(epoch, 60), &events[60..])
        .await
        .unwrap();
    let latest = log.latest(session).await.unwrap();
    assert_eq!((latest.sequence, latest.epoch), (100, epoch));
    for (after, limit, from, to) in [
        (0, PageLimit::ALL, 0, 100),
        (30, PageLimit::events(7), 30, 37),
    ] {
        assert_eq!(
            log.read(session, after, limit).await.unwrap(),
            events[from..to]
        );
    }
    let delta = Arc::new(TextDelta::new(1, "msg_1", 0, 0, "Hi"));
    for wanted in &events {
        let update = tokio::time::timeout(Duration::from_secs(30), updates.next());
        let Some(Ok(LogUpdate::Event(event))) = update.await.unwrap() else {
            panic!("an event is next")
        };
        assert_eq!(event, *wanted);
    }
    log.live(session, &delta);
    let update = tokio::time::timeout(Duration::from_secs(30), updates.next());
    let Some(Ok(LogUpdate::Delta(received))) = update.await.unwrap() else {
        panic!("a delta is next")
    };
    assert_eq!(received, delta);

    let checkpoint = Checkpoint {
        sequence: 100,
        state: r#"{"version":1}"#.to_owned(),
    };
    log.save_checkpoint(session, epoch, checkpoint.clone())
        .await
        .unwrap();
    assert_eq!(
        log.checkpoint(session).await.unwrap(),
        Some(checkpoint.clone())
    );
    let listed = log.list("ada", None, 10).await.unwrap();
    assert!(listed.sessions.contains(&session));

    // Another process takes over.
    let other = StoreLog::new(Arc::clone(&store), tenant("ada"));
    let next = other
        .claim(session, &node(2), ClaimReason::Takeover)
        .await
        .unwrap();
    assert!(next > epoch);
    let stale = log
        .append(session, fence(epoch, 100), &[event(101, epoch)])
        .await;
    assert_eq!(stale, Err(LogError::Fenced));
    let stale = log.save_checkpoint(session, epoch, checkpoint).await;
    assert_eq!(stale, Err(LogError::Fenced));
    other
        .append(session, fence(next, 100), &[event(101, next)])
        .await
        .unwrap();

    // For another tenant, the session does not exist.
    let eve = StoreLog::new(Arc::clone(&store), tenant("eve"));
    assert!(
        eve.read(session, 0, PageLimit::ALL)
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(eve.latest(session).await.unwrap().sequence, 0);
    assert!(eve.list("ada", None, 10).await.unwrap().sessions.is_empty());
    assert!(eve.subscribe(session, 0).await.is_err());
    assert!(
        eve.claim(session, &node(3), ClaimReason::Open)
            .await
            .is_err()
    );

    store
        .erase(log.claimed(session).unwrap().key())
        .await
        .unwrap();
    let late = other
        .append(session, fence(next, 101), &[event(102, next)])
        .await;
    assert_eq!(late, Err(LogError::Deleted));
}

#[tokio::test]
async fn a_store_in_memory_is_a_log() {
    is_a_log(Arc::new(MemoryStore::default())).await;
}

#[tokio::test]
async fn a_store_in_sqlite_is_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = SqliteStore::open(&path, SqliteOptions::default());
    is_a_log(Arc::new(store.await.unwrap())).await;
}
