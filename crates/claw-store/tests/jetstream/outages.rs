//! Reads that an outage or a write interrupts.

use std::time::Duration;

use bytes::Bytes;
use claw_store::{
    Checkpoint, ClaimReason, Directory as _, IdempotencyKey, Inbox as _, JetStreamConfig,
    JetStreamStore, Log as _, NewCommand,
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
        let new = NewCommand {
            key,
            body,
            is_urgent: false,
        };
        store.submit(claim.key(), new).await.unwrap();
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

/// The parts of a checkpoint are deleted when it is replaced.
#[tokio::test(flavor = "multi_thread")]
async fn checkpoint_is_read_while_it_is_replaced() {
    let servers = NatsServers::start(&NatsOptions::new(1)).unwrap();
    let store = JetStreamStore::open(JetStreamConfig::new(servers.urls())).await;
    let store = store.unwrap();
    let key = create(&store).await;
    let claim = store.claim(&key, &node(), ClaimReason::Open).await.unwrap();
    let (reader, session) = (store.clone(), key.clone());
    let (done, mut is_done) = tokio::sync::oneshot::channel();
    let read = tokio::spawn(async move {
        let mut read = Vec::new();
        while is_done.try_recv().is_err() {
            read.extend(reader.checkpoint(&session).await.unwrap());
        }
        read
    });
    for sequence in 1..=40 {
        let body = Bytes::from(vec![u8::try_from(sequence).unwrap(); 2 << 20]);
        let checkpoint = Checkpoint { sequence, body };
        store.save_checkpoint(&claim, &checkpoint).await.unwrap();
    }
    done.send(()).unwrap();
    let read = read.await.unwrap();
    assert!(!read.is_empty());
    for Checkpoint { sequence, body } in read {
        assert!(body.iter().all(|byte| u64::from(*byte) == sequence));
    }
}
