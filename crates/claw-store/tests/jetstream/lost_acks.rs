//! Writes whose acknowledgements are late, lost or wrong.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use claw_store::{
    Batch, ClaimReason, Directory as _, IdempotencyKey, JetStreamConfig, JetStreamStore, Log as _,
    NewSession, NodeId, NodeRef, ReadLimit, SessionKey, StoreError, TenantId,
};
use claw_testkit::nats::{NatsOptions, NatsServers};
use futures_util::StreamExt as _;

use crate::slow_proxy::{SlowProxy, Slowness};

pub(crate) async fn create(store: &JetStreamStore) -> SessionKey {
    create_as(store, "key").await
}

pub(crate) async fn create_as(store: &JetStreamStore, key: &str) -> SessionKey {
    let new = NewSession {
        tenant: TenantId::new("tenant").unwrap(),
        session: None,
        attributes: Bytes::new(),
        key: IdempotencyKey::new(key).unwrap(),
    };
    store.create(new).await.unwrap().row.key
}

pub(crate) fn node() -> NodeRef {
    NodeRef {
        node: NodeId::new("node").unwrap(),
        incarnation: 1,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn append_that_was_stored_before_a_claim_is_not_refused() {
    let servers = NatsServers::start(&NatsOptions::new(1)).unwrap();
    let url = servers.urls().remove(0);
    let target = url.trim_start_matches("nats://").parse().unwrap();
    let proxy = SlowProxy::start(target, Slowness::default(), 1).await;
    let proxy = proxy.unwrap();
    let mut config = JetStreamConfig::new(vec![format!("nats://{}", proxy.address())]);
    config.deadline = Duration::from_secs(60);
    let slow = Arc::new(JetStreamStore::open(config).await.unwrap());
    let fast = JetStreamStore::open(JetStreamConfig::new(vec![url])).await;
    let fast = fast.unwrap();

    let key = create(&fast).await;
    let claim = slow.claim(&key, &node(), ClaimReason::Open).await.unwrap();
    let batch = Batch::from(vec![Bytes::from_static(b"one")]);
    slow.append(&claim, 0, &batch).await.unwrap();

    // Longer than the client waits for an acknowledgement.
    proxy.set(Slowness {
        delay: Duration::from_secs(3),
        ..Slowness::default()
    });
    let append = tokio::spawn({
        let slow = slow.clone();
        let batch = Batch::from(vec![Bytes::from_static(b"two")]);
        async move { (slow.append(&claim, 1, &batch).await, claim) }
    });
    let stored = async {
        while fast
            .read(&key, 1, ReadLimit::default())
            .await
            .unwrap()
            .is_empty()
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let limit = Duration::from_secs(30);
    tokio::time::timeout(limit, stored)
        .await
        .expect("the event is stored");
    let next = fast
        .claim(&key, &node(), ClaimReason::Takeover)
        .await
        .unwrap();
    assert_eq!(next.last(), 2);
    proxy.set(Slowness::default());

    let append = tokio::time::timeout(limit, append).await;
    let (appended, claim) = append.expect("the append ends").unwrap();
    assert_eq!(appended.map(|appended| appended.last), Ok(2));
    let batch = Batch::from(vec![Bytes::from_static(b"three")]);
    let fenced = slow.append(&claim, 2, &batch).await;
    assert!(
        matches!(fenced, Err(StoreError::Fenced { .. })),
        "{fenced:?}"
    );
}

/// Refuses all messages of the log, faster than the leader stores them.
async fn refuse_all(url: &str) -> tokio::task::JoinHandle<()> {
    const REFUSAL: &str = r#"{"error":{"code":400,"err_code":10071,"description":"wrong"}}"#;
    let client = async_nats::connect(url).await.unwrap();
    let mut messages = client.subscribe("claw.l.>").await.unwrap();
    client.flush().await.unwrap();
    tokio::spawn(async move {
        while let Some(message) = messages.next().await {
            if let Some(reply) = message.reply {
                client.publish(reply, REFUSAL.into()).await.unwrap();
            }
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn refusal_of_a_server_that_is_not_the_leader_does_not_count() {
    let servers = NatsServers::start(&NatsOptions::new(1)).unwrap();
    let url = servers.urls().remove(0);
    let store = JetStreamStore::open(JetStreamConfig::new(vec![url.clone()])).await;
    let store = store.unwrap();
    let key = create(&store).await;
    let impostor = refuse_all(&url).await;
    let mut last = 0;
    for epoch in 1..=10 {
        let claim = store.claim(&key, &node(), ClaimReason::Open).await.unwrap();
        assert_eq!((claim.epoch(), claim.last()), (epoch, last));
        for _ in 0..5 {
            let batch = Batch::from(vec![Bytes::from_static(b"event")]);
            last = store.append(&claim, last, &batch).await.unwrap().last;
        }
    }
    impostor.abort();
    let events = store.read(&key, 0, ReadLimit::default()).await.unwrap();
    assert_eq!((events.len() as u64, last), (50, 50));
}
