//! Many sessions that start at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use rusty_claw::{MessageStream, Options, Session, StartError, StartLimiter};

use crate::peer::Peer;

/// Duration of one start on a machine that can run one start at a time.
const ONE_START: Duration = Duration::from_secs(50);

fn options(limiter: impl Into<Option<StartLimiter>>) -> Options {
    let longer_than_one = Duration::from_secs(60);
    Options::new()
        .start_timeout(longer_than_one)
        .start_limiter(limiter)
}

/// Starts this many sessions at once on such a machine.
async fn start(
    count: usize,
    options: &Options,
) -> Vec<Result<(Session, MessageStream), StartError>> {
    let (transports, mut peers): (Vec<_>, Vec<_>) = (0..count).map(|_| Peer::pair()).unzip();
    let starts = transports
        .into_iter()
        .map(|transport| Session::start_on(transport, options.clone()));
    let machine = async {
        for peer in &mut peers {
            tokio::time::sleep(ONE_START).await;
            // A cancelled start has closed its end.
            if let Some(request) = peer.read_or_end().await {
                peer.succeed(&request, serde_json::json!({})).await;
            }
        }
    };
    tokio::join!(join_all(starts), machine).0
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_counts_from_the_real_start() {
    let started = start(10, &options(StartLimiter::new(1))).await;
    let failed: Vec<_> = started.iter().filter_map(|it| it.as_ref().err()).collect();
    assert!(failed.is_empty(), "{failed:?}");
}

#[tokio::test(start_paused = true)]
async fn without_a_limiter_all_start_at_once() {
    let (transports, mut peers): (Vec<_>, Vec<_>) = (0..100).map(|_| Peer::pair()).unzip();
    let options = options(None);
    let starts = transports
        .into_iter()
        .map(|transport| Session::start_on(transport, options.clone()));
    let answer = async {
        let mut requests = Vec::new();
        for peer in &mut peers {
            requests.push(peer.read().await);
        }
        for (peer, request) in peers.iter_mut().zip(&requests) {
            peer.succeed(request, serde_json::json!({})).await;
        }
    };
    let (started, ()) = tokio::join!(join_all(starts), answer);
    assert!(started.iter().all(Result::is_ok));
}

#[tokio::test(start_paused = true)]
async fn starts_are_served_in_order_and_a_dropped_one_leaves_the_queue() {
    let limiter = StartLimiter::new(1);
    let order = Arc::new(AtomicUsize::new(0));
    let mut waiting = Vec::new();
    for _ in 0..4 {
        let (transport, mut peer) = Peer::pair();
        let mut start = Session::start_on(transport, options(limiter.clone())).boxed();
        assert!((&mut start).now_or_never().is_none(), "nobody answers yet");
        let order = Arc::clone(&order);
        let answered = tokio::spawn(async move {
            let request = peer.read_or_end().await?;
            let place = order.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_secs(1)).await;
            peer.succeed(&request, serde_json::json!({})).await;
            Some((place, peer))
        });
        waiting.push((start, answered));
    }
    // One start that waits in the queue, and one that has begun.
    drop(waiting.remove(1));
    drop(waiting.remove(0));
    let (starts, answers): (Vec<_>, Vec<_>) = waiting.into_iter().unzip();
    let started = join_all(starts).await;
    assert!(started.iter().all(Result::is_ok));
    let places: Vec<usize> = join_all(answers)
        .await
        .into_iter()
        .map(|answer| answer.expect("played").expect("started").0)
        .collect();
    assert!(places[0] < places[1], "{places:?}");
}

#[test]
fn the_shared_limiter_is_the_default_and_never_zero() {
    assert!(StartLimiter::shared().at_once() >= 2);
    assert_eq!(StartLimiter::shared(), StartLimiter::shared());
    assert_eq!(StartLimiter::new(0).at_once(), 1);
}
