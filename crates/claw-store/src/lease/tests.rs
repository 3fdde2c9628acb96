use bytes::Bytes;
use futures_util::StreamExt as _;

use super::*;
use crate::claim::ClaimReason;
use crate::directory::NewSession;
use crate::id::{IdempotencyKey, NodeId, TenantId};
use crate::memory::MemoryStore;
use crate::store::{Directory as _, Nodes as _};

const TERM: Duration = Duration::from_secs(10);

fn info(name: &str) -> NodeRecord {
    NodeRecord {
        node: NodeRef {
            node: NodeId::new(name).unwrap(),
            incarnation: 1,
        },
        counter: 0,
        is_leaving: false,
        body: Bytes::new(),
        revision: Revision(0),
    }
}

async fn held(store: &MemoryStore, name: &str) -> NodeLease {
    hold(Arc::new(store.handle()), info(name), TERM)
        .await
        .unwrap()
}

async fn session(store: &MemoryStore, node: &NodeRef) -> SessionKey {
    let new = NewSession {
        tenant: TenantId::new("t").unwrap(),
        session: None,
        attributes: Bytes::new(),
        key: IdempotencyKey::new(&node.node.to_string()).unwrap(),
    };
    let key = store.create(new).await.unwrap().row.key;
    store.claim(&key, node, ClaimReason::Open).await.unwrap();
    key
}

async fn seconds(seconds: f64) {
    tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
}

async fn orphan(
    stream: &mut BoxStream<'static, (SessionKey, Owner)>,
    within: f64,
) -> Option<SessionKey> {
    let limit = Duration::from_secs_f64(within);
    tokio::time::timeout(limit, stream.next())
        .await
        .ok()
        .flatten()
        .map(|(key, _)| key)
}

#[tokio::test(start_paused = true)]
async fn outage_causes_doubt_and_then_death_and_no_orphans() {
    let store = MemoryStore::new();
    let (one, two) = (held(&store, "one").await, held(&store, "two").await);
    session(&store, one.node()).await;
    let mut orphans = two.orphans();
    assert_eq!(orphan(&mut orphans, 60.0).await, None);
    store.set_stopped(true);
    seconds(4.9).await;
    assert_eq!(one.state(), LeaseState::Live);
    seconds(2.2).await;
    assert_eq!(*one.watch().borrow(), LeaseState::Doubt);
    assert_eq!(orphan(&mut orphans, 20.0).await, None);
    store.set_stopped(false);
    seconds(0.6).await;
    assert_eq!(*one.watch().borrow(), LeaseState::Live);
    assert_eq!(orphan(&mut orphans, 60.0).await, None);
    store.set_stopped(true);
    seconds(31.0).await;
    store.set_stopped(false);
    seconds(1.0).await;
    assert_eq!(*one.watch().borrow(), LeaseState::Dead);
    assert_eq!(orphan(&mut orphans, 60.0).await, None);
}

#[tokio::test(start_paused = true)]
async fn sessions_of_a_dead_node_are_orphans_after_a_term_and_again() {
    let store = MemoryStore::new();
    let (one, two) = (held(&store, "one").await, held(&store, "two").await);
    let key = session(&store, one.node()).await;
    let mut orphans = two.orphans();
    assert_eq!(orphan(&mut orphans, 15.0).await, None);
    let death = Instant::now();
    drop(one);
    assert_eq!(orphan(&mut orphans, 60.0).await, Some(key.clone()));
    let waited = death.elapsed();
    assert!(
        waited > TERM - TERM / 5 && waited < TERM + Duration::from_secs(1),
        "{waited:?}"
    );
    assert_eq!(orphan(&mut orphans, 11.0).await, Some(key.clone()));
    store
        .claim(&key, two.node(), ClaimReason::Takeover)
        .await
        .unwrap();
    assert_eq!(orphan(&mut orphans, 300.0).await, None);
}

#[tokio::test(start_paused = true)]
async fn sessions_of_a_leaving_node_are_orphans_at_once() {
    let store = MemoryStore::new();
    let (one, two) = (held(&store, "one").await, held(&store, "two").await);
    let key = session(&store, one.node()).await;
    let mut orphans = two.orphans();
    assert_eq!(orphan(&mut orphans, 15.0).await, None);
    one.leave().await.unwrap();
    assert_eq!(orphan(&mut orphans, 1.0).await, Some(key));
}

#[tokio::test(start_paused = true)]
async fn new_life_ends_the_old_one_and_finds_its_sessions() {
    let store = MemoryStore::new();
    let old = held(&store, "one").await;
    let two = held(&store, "two").await;
    let key = session(&store, old.node()).await;
    let mut orphans = two.orphans();
    assert_eq!(orphan(&mut orphans, 15.0).await, None);
    let new = held(&store, "one").await;
    assert_eq!((old.node().incarnation, new.node().incarnation), (1, 2));
    assert_eq!(orphan(&mut orphans, 1.0).await, Some(key.clone()));
    assert_eq!(orphan(&mut new.orphans(), 1.0).await, Some(key));
    seconds(3.0).await;
    assert_eq!(*old.watch().borrow(), LeaseState::Dead);
    assert_eq!(new.state(), LeaseState::Live);
    assert_eq!(old.leave().await, Err(StoreError::Fenced { by: None }));
}

#[tokio::test(start_paused = true)]
async fn renewal_that_was_stored_without_an_acknowledgement_counts() {
    let store = MemoryStore::new();
    let lease = held(&store, "one").await;
    lease.task.abort();
    let mut renewer = lease.renewer.lock().await;
    // The acknowledgement of this write is lost.
    let sent = Instant::now();
    renewer.first_sent = Some(sent);
    renewer.record.counter += 1;
    store
        .put_node(renewer.record.clone(), renewer.revision)
        .await
        .unwrap();
    seconds(1.0).await;
    assert_eq!(renewer.try_write().await, Ok(sent));
    // And of this one, after which the node leaves.
    renewer.record.counter += 1;
    store
        .put_node(renewer.record.clone(), renewer.revision)
        .await
        .unwrap();
    renewer.record.is_leaving = true;
    renewer.write().await.unwrap();
    assert!(store.nodes().await.unwrap()[0].is_leaving);
}
