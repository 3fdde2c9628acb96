//! Which servers are accepted, and what they report.

use std::time::{Duration, Instant};

use bytes::Bytes;
use claw_store::{
    Checkpoint, ClaimReason, Closing, Directory as _, DurabilityLevel, InteractionId,
    Interactions as _, JetStreamConfig, JetStreamStore, Log as _, NewInteraction, NodeId, NodeRef,
    Nodes as _, OpenError, SessionState, Store as _, StoreError,
};
use claw_testkit::nats::{NatsOptions, NatsServers, server_binary, variables};

use crate::faults::Faults;
use crate::lost_acks::{create, create_as, node};

/// Longer than all purges of a test together.
const DEADLINE: Duration = Duration::from_secs(30);

async fn open(servers: &NatsServers) -> Result<JetStreamStore, OpenError> {
    let mut config = JetStreamConfig::new(servers.urls());
    config.system_servers = servers.system_urls();
    config.replicas = servers.count();
    JetStreamStore::open(config).await
}

#[tokio::test(flavor = "multi_thread")]
async fn old_server_is_refused_with_the_reason() {
    let mut options = NatsOptions::new(1);
    options.binary = server_binary(variables::SERVER_REFUSED);
    // This release has no such setting.
    options.is_synced = false;
    let servers = NatsServers::start(&options).unwrap();
    let error = open(&servers).await.unwrap_err();
    let OpenError::Version {
        version, reason, ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(version, "2.9.10");
    assert!(reason.contains("use 2.15"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tolerated_server_works() {
    let mut options = NatsOptions::new(1);
    options.binary = server_binary(variables::SERVER_TOLERATED);
    let servers = NatsServers::start(&options).unwrap();
    let durability = open(&servers).await.unwrap().durability().await;
    assert_eq!(
        durability.level,
        DurabilityLevel::PowerLoss,
        "{durability:?}"
    );
    let evidence = durability.evidence.join("\n");
    assert!(evidence.contains("2.12.8"), "{evidence}");
}

#[tokio::test(flavor = "multi_thread")]
async fn three_synced_servers_survive_a_power_cut_and_a_loss() {
    let servers = NatsServers::start(&NatsOptions::new(3)).unwrap();
    let store = open(&servers).await.unwrap();
    let durability = store.durability().await;
    assert_eq!(
        durability.level,
        DurabilityLevel::PowerLossReplicated,
        "{durability:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn server_that_does_not_respond_downgrades_the_others() {
    let mut servers = NatsServers::start(&NatsOptions::new(3)).unwrap();
    let store = open(&servers).await.unwrap();
    servers.kill(2);
    let durability = store.durability().await;
    assert_eq!(
        durability.level,
        DurabilityLevel::ProcessCrash,
        "{durability:?}"
    );
    let evidence = durability.evidence.join("\n");
    assert!(
        evidence.contains("1 of 3 servers do not respond"),
        "{evidence}"
    );
}

/// Servers were seen that do not respond to purges after a power cut.
#[tokio::test(flavor = "multi_thread")]
async fn calls_do_not_need_the_response_to_a_purge() {
    let mut options = NatsOptions::new(1);
    // The server drops the requests.
    options.settings = r#"accounts {
  SYS { users: [{ user: system, password: system }] }
  APP { jetstream: enabled, users: [{ user: app, password: app, permissions: {
    publish: { deny: ["$JS.API.STREAM.PURGE.>"] } } }] }
}"#
    .to_owned();
    let servers = NatsServers::start(&options).unwrap();
    let mut config = JetStreamConfig::new(servers.urls());
    config.deadline = DEADLINE;
    let store = JetStreamStore::open(config).await.unwrap();
    let key = create(&store).await;
    for node in ["one", "two"] {
        let node = NodeRef {
            node: NodeId::new(node).unwrap(),
            incarnation: 1,
        };
        let start = Instant::now();
        let claim = store.claim(&key, &node, ClaimReason::Takeover).await;
        let claim = claim.unwrap();
        let id = InteractionId::new(node.node.as_str()).unwrap();
        let (request, expires_at_ms) = (Bytes::new(), None);
        let new = NewInteraction {
            id: id.clone(),
            request,
            expires_at_ms,
        };
        store.open_interaction(&claim, new).await.unwrap();
        let closing = Closing::Withdrawn;
        store.close_interaction(&claim, &id, closing).await.unwrap();
        for sequence in 1..=2 {
            let body = Bytes::from(vec![u8::try_from(sequence).unwrap(); 1 << 20]);
            let checkpoint = Checkpoint { sequence, body };
            store.save_checkpoint(&claim, &checkpoint).await.unwrap();
        }
        store.release(&claim, SessionState::Asleep).await.unwrap();
        // Of at most five purges, each waits for a second.
        let time = start.elapsed();
        assert!(time < DEADLINE, "{time:?}");
        // The mark that stays does not count.
        assert_eq!(store.sessions_of(&node.node, 2).await.unwrap(), []);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_session_does_not_hide_the_others_of_its_node() {
    let servers = NatsServers::start(&NatsOptions::new(1)).unwrap();
    let store = open(&servers).await.unwrap();
    let mut keys = Vec::new();
    for name in ["damaged", "intact"] {
        let key = create_as(&store, name).await;
        store.claim(&key, &node(), ClaimReason::Open).await.unwrap();
        keys.push(key);
    }
    let faults = Faults::new(servers.urls()).await.unwrap();
    faults.damage(&keys[0]).await.unwrap();
    let error = store.get(&keys[0]).await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    let owned = store.sessions_of(&node().node, u64::MAX).await.unwrap();
    assert_eq!(owned.len(), 1);
    assert_eq!(owned[0].0, keys[1]);
}
