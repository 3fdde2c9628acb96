//! Reads that an outage interrupts.

use std::time::Duration;

use bytes::Bytes;
use claw_store::{
    ClaimReason, Directory as _, IdempotencyKey, Inbox as _, JetStreamConfig, JetStreamStore,
    NewCommand,
};
use claw_testkit::nats::{NatsOptions, NatsServers};
use futures_util::StreamExt as _;

use crate::lost_acks::{create, node};

#[tokio::test(flavor = "multi_thread")]
async fn command_is_not_skipped_if_its_parts_cannot_be_read() {
    let servers = NatsServers::start(&NatsOptions::new(1)).unwrap();
    let mut config = JetStreamConfig::new(servers.urls());
    config.deadline = Duration::from_secs(1);
    let store = JetStreamStore::open(config).await.unwrap();
    let key = create(&store).await;
    let claim = store.claim(&key, &node(), ClaimReason::Open).await.unwrap();
    // The second one is stored in parts.
    let sizes = [1, 600 * 1024, 2];
    for size in sizes {
        let body = Bytes::from(vec![b'x'; size]);
        let key = IdempotencyKey::new(&size.to_string()).unwrap();
        store
            .submit(claim.key(), NewCommand { key, body })
            .await
            .unwrap();
    }
    let mut inbox = store.inbox(&claim).await.unwrap();
    let mut received = vec![inbox.next().await.unwrap().unwrap().body.len()];
    servers.pause(0).unwrap();
    let rest = tokio::spawn(inbox.take(2).collect::<Vec<_>>());
    // Longer than a request and the deadline.
    tokio::time::sleep(Duration::from_secs(5)).await;
    servers.resume(0).unwrap();
    let rest = tokio::time::timeout(Duration::from_secs(30), rest).await;
    for command in rest.expect("the commands arrive").unwrap() {
        received.push(command.unwrap().body.len());
    }
    assert_eq!(received, sizes);
}
