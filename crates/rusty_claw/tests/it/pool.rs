//! The pool of sessions that are started ahead.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rusty_claw::{Options, Pool, StartError};

use crate::peer::Peer;

const LONG: Duration = Duration::from_secs(600);

/// A pool whose sessions have their other ends here.
fn pool(size: usize, max_age: Duration) -> (Pool, Arc<Mutex<Vec<Peer>>>) {
    let peers = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&peers);
    let pool = Pool::with_start(size, max_age, move || {
        let kept = Arc::clone(&kept);
        Box::pin(async move {
            let (session, messages, peer) = Peer::session(Options::new()).await;
            kept.lock().expect("not poisoned").push(peer);
            Ok((session, messages))
        })
    });
    (pool, peers)
}

async fn until(what: &str, is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(10), waiting).await;
    assert!(waited.is_ok(), "never: {what}");
}

#[tokio::test]
async fn sessions_are_ready_and_replaced() {
    let (pool, peers) = pool(2, LONG);
    let started = || peers.lock().expect("not poisoned").len();
    until("two are ready", || pool.ready() == 2).await;
    let (first, _messages) = pool.take().await.expect("ready");
    let (second, _messages) = pool.take().await.expect("ready");
    until("both are replaced", || pool.ready() == 2).await;
    assert_eq!(started(), 4, "as many as were needed");
    // They are different ones: the end of one is not the end of the other.
    let peer = peers.lock().expect("not poisoned").remove(0);
    drop(peer);
    first.ended().await;
    second.send("Hi").await.expect("the second one lives");
    pool.close().await;
    second.send("Hi").await.expect("what was taken lives on");
}

#[tokio::test]
async fn none_ready_means_one_is_started() {
    let (pool, _peers) = pool(0, LONG);
    let (session, _messages) = pool.take().await.expect("started now");
    session.send("Hi").await.expect("usable");
}

#[tokio::test]
async fn spares_that_end_or_get_old_are_replaced() {
    let (dying, peers) = pool(1, LONG);
    until("one is ready", || dying.ready() == 1).await;
    let peer = peers.lock().expect("not poisoned").remove(0);
    drop(peer);
    until("another was started", || {
        peers.lock().expect("not poisoned").len() == 1 && dying.ready() == 1
    })
    .await;
    let (session, _messages) = dying.take().await.expect("ready");
    session.send("Hi").await.expect("a living one");
    let (ageing, peers) = pool(1, Duration::from_millis(50));
    until("several were started", || {
        peers.lock().expect("not poisoned").len() >= 3
    })
    .await;
    assert!(ageing.ready() <= 1);
}

#[tokio::test]
async fn a_start_that_fails_is_told_to_who_takes_and_not_repeated_at_once() {
    let tried = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&tried);
    let pool = Pool::with_start(1, LONG, move || {
        counted.fetch_add(1, Ordering::SeqCst);
        Box::pin(async {
            Err(StartError::CliNotFound {
                searched: Vec::new(),
            })
        })
    });
    until("it tried", || tried.load(Ordering::SeqCst) > 0).await;
    let refused = pool.take().await;
    assert!(matches!(refused, Err(StartError::CliNotFound { .. })));
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(tried.load(Ordering::SeqCst), 2, "one by itself, one for us");
}
