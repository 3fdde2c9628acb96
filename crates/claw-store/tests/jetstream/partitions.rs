//! The number of partitions changes while sessions exist.

use bytes::Bytes;
use claw_store::{
    Batch, ClaimReason, Directory as _, JetStreamConfig, JetStreamStore, Log as _, ReadLimit,
};
use claw_testkit::nats::{NatsOptions, NatsServers};

use crate::lost_acks::{create, node};

#[tokio::test(flavor = "multi_thread")]
async fn sessions_stay_where_they_are_and_a_reader_changes_nothing() {
    let servers = NatsServers::start(&NatsOptions::new(1)).unwrap();
    let open = async |partitions| {
        let mut config = JetStreamConfig::new(servers.urls());
        config.partitions = partitions;
        JetStreamStore::open(config).await.unwrap()
    };
    let streams = async || {
        let client = async_nats::connect(&servers.urls()[0]).await.unwrap();
        let names = async_nats::jetstream::new(client).stream_names();
        let mut names: Vec<String> = futures_util::TryStreamExt::try_collect(names)
            .await
            .unwrap();
        names.retain(|name| name.contains("_L_"));
        names.sort();
        names
    };
    let first = open(Some(2)).await;
    let key = create(&first).await;
    let claim = first.claim(&key, &node(), ClaimReason::Open).await.unwrap();
    let batch = Batch::from(vec![Bytes::from_static(b"one")]);
    first.append(&claim, 0, &batch).await.unwrap();
    assert_eq!(streams().await, ["claw_L_0_0", "claw_L_0_1"]);

    open(None).await;
    assert_eq!(streams().await.len(), 2);
    let more = open(Some(3)).await;
    assert_eq!(streams().await.len(), 5);
    open(None).await;
    assert_eq!(streams().await.len(), 5);
    for store in [&first, &more] {
        let events = store.read(&key, 0, ReadLimit::default()).await.unwrap();
        assert_eq!(events.len(), 1);
    }
}
