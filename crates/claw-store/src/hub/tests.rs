use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{FutureExt as _, StreamExt as _};
use proptest::prelude::*;

use super::*;
use crate::event::ReadLimit;
use crate::id::{NodeId, SessionId, TenantId};
use crate::owner::NodeRef;
use crate::store::BoxFuture;

/// A log whose live messages are delivered by the test.
#[derive(Default)]
struct FakeSource {
    events: Mutex<Vec<Event>>,
    /// How many of the next reads fail.
    outages: AtomicUsize,
    attached: Arc<()>,
    attaches: AtomicUsize,
    reads: AtomicUsize,
    /// How many events are stored and delivered before and after an attachment reads the last one.
    race: Mutex<Option<(Arc<Hub>, usize)>>,
}

impl Source for FakeSource {
    fn attach<'a>(&'a self, _: &'a SessionKey) -> BoxFuture<'a, Result<Attached>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            self.attaches.fetch_add(1, Ordering::SeqCst);
            let race = lock(&self.race).take();
            let store = || {
                if let Some((hub, count)) = &race {
                    hub.events(&key(), &self.store(*count)[..1]);
                }
            };
            store();
            let last = lock(&self.events).len() as u64;
            store();
            let guard = Box::new(self.attached.clone());
            Ok(Attached { last, guard })
        })
    }

    fn read<'a>(
        &'a self,
        _: &'a SessionKey,
        after: u64,
        limit: ReadLimit,
    ) -> BoxFuture<'a, Result<Vec<Event>>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            self.reads.fetch_add(1, Ordering::SeqCst);
            let fail = |left: usize| left.checked_sub(1);
            let order = Ordering::SeqCst;
            if self.outages.fetch_update(order, order, fail).is_ok() {
                return Err(StoreError::unavailable("outage"));
            }
            let events = lock(&self.events);
            let page = events.iter().skip(after as usize).take(limit.events.min(5));
            Ok(page.cloned().collect())
        })
    }
}

impl FakeSource {
    fn store(&self, count: usize) -> Vec<Event> {
        let mut events = lock(&self.events);
        let start = events.len();
        for sequence in (start as u64 + 1)..=(start + count) as u64 {
            let body = Bytes::from(sequence.to_string());
            let epoch = 1;
            events.push(Event {
                sequence,
                epoch,
                body,
            });
        }
        events[start..].to_vec()
    }
}

fn key() -> SessionKey {
    SessionKey::new(TenantId::new("t").unwrap(), SessionId::new("s").unwrap())
}

fn setup() -> (Arc<Hub>, Arc<FakeSource>) {
    (Arc::default(), Arc::default())
}

async fn follow(
    hub: &Arc<Hub>,
    source: &Arc<FakeSource>,
    after: u64,
) -> BoxStream<'static, Result<Live>> {
    hub.follow(source.clone(), &key(), after).await.unwrap()
}

/// Receives what arrives within a minute of (paused) time.
async fn drain(stream: &mut BoxStream<'static, Result<Live>>) -> Vec<Live> {
    let mut all = Vec::new();
    while let Ok(Some(live)) = tokio::time::timeout(Duration::from_secs(60), stream.next()).await {
        all.push(live.unwrap());
    }
    all
}

fn sequences(all: &[Live]) -> Vec<u64> {
    let sequence = |live: &Live| match live {
        Live::Event(event) => Some(event.sequence),
        _ => None,
    };
    all.iter().filter_map(sequence).collect()
}

fn owner(epoch: u64) -> Owner {
    let node = NodeId::new("n").unwrap();
    let node = NodeRef {
        node,
        incarnation: 1,
    };
    Owner { node, epoch }
}

fn delta(number: u64) -> Delta {
    let body = Bytes::from_static(b"delta");
    Delta {
        epoch: 1,
        number,
        body,
    }
}

#[tokio::test(start_paused = true)]
async fn history_head_and_live_events_arrive_once() {
    let (hub, source) = setup();
    source.store(12);
    let mut stream = follow(&hub, &source, 3).await;
    hub.events(&key(), &source.store(2));
    hub.delta(&key(), delta(1));
    let all = drain(&mut stream).await;
    assert_eq!(sequences(&all), (4..=14).collect::<Vec<_>>());
    assert_eq!(all[10], Live::Head { last: 13 });
    assert_eq!(all.last(), Some(&Live::Delta(delta(1))));
}

#[tokio::test(start_paused = true)]
async fn up_to_date_follower_reads_nothing() {
    let (hub, source) = setup();
    source.store(12);
    let mut stream = follow(&hub, &source, 12).await;
    hub.events(&key(), &source.store(1));
    assert_eq!(sequences(&drain(&mut stream).await), [13]);
    assert_eq!(source.reads.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn followers_share_one_attachment_and_one_repair() {
    let (hub, source) = setup();
    let mut streams = Vec::new();
    for _ in 0..1000 {
        streams.push(follow(&hub, &source, 0).await);
    }
    assert_eq!(source.attaches.load(Ordering::SeqCst), 1);
    assert_eq!(lock(&hub.topics).len(), 1);
    // The first message is lost.
    hub.events(&key(), &source.store(2)[1..]);
    for stream in &mut streams {
        assert_eq!(sequences(&drain(stream).await), [1, 2]);
    }
    assert_eq!(source.reads.load(Ordering::SeqCst), 1);
    assert_eq!(Arc::strong_count(&source.attached), 2);
    drop(streams);
    assert_eq!(Arc::strong_count(&source.attached), 1);
    assert!(lock(&hub.topics).is_empty());
}

#[tokio::test(start_paused = true)]
async fn quiet_loss_is_repaired_by_the_head_and_survives_an_outage() {
    let (hub, source) = setup();
    let mut stream = follow(&hub, &source, 0).await;
    source.store(3);
    source.outages.store(4, Ordering::SeqCst);
    hub.head(&key(), 3);
    assert_eq!(sequences(&drain(&mut stream).await), [1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn slow_follower_receives_behind_once_and_every_event() {
    let (hub, source) = setup();
    let mut stream = follow(&hub, &source, 0).await;
    assert_eq!(stream.next().await, Some(Ok(Live::Head { last: 0 })));
    for _ in 0..300 {
        hub.events(&key(), &source.store(1));
    }
    let all = drain(&mut stream).await;
    assert_eq!(all[0], Live::Behind);
    assert_eq!(sequences(&all[1..]), (1..=300).collect::<Vec<_>>());
    assert_eq!(all.len(), 301);
}

#[tokio::test(start_paused = true)]
async fn large_batch_does_not_put_followers_behind() {
    let (hub, source) = setup();
    let mut stream = follow(&hub, &source, 0).await;
    assert_eq!(stream.next().await, Some(Ok(Live::Head { last: 0 })));
    hub.events(&key(), &source.store(1000));
    let all = drain(&mut stream).await;
    assert_eq!(sequences(&all), (1..=1000).collect::<Vec<_>>());
    assert!(!all.contains(&Live::Behind));
}

#[tokio::test(start_paused = true)]
async fn follower_that_is_not_polled_does_not_delay_others() {
    let (hub, source) = setup();
    let mut idle = follow(&hub, &source, 0).await;
    let mut busy = follow(&hub, &source, 0).await;
    assert_eq!(idle.next().await, Some(Ok(Live::Head { last: 0 })));
    source.store(1);
    hub.head(&key(), 1);
    // It starts the repair and is not polled again.
    assert!(idle.next().now_or_never().is_none());
    assert_eq!(sequences(&drain(&mut busy).await), [1]);
}

#[tokio::test(start_paused = true)]
async fn cursor_beyond_the_head_disturbs_nobody() {
    let (hub, source) = setup();
    source.store(2);
    let mut beyond = follow(&hub, &source, u64::MAX).await;
    let mut normal = follow(&hub, &source, 0).await;
    hub.events(&key(), &source.store(2));
    assert_eq!(sequences(&drain(&mut normal).await), [1, 2, 3, 4]);
    assert!(sequences(&drain(&mut beyond).await).is_empty());
}

#[tokio::test(start_paused = true)]
async fn new_owner_is_announced_once_between_the_events_of_the_owners() {
    let (hub, source) = setup();
    let mut stream = follow(&hub, &source, 0).await;
    let mut events = source.store(2);
    events[1].epoch = 2;
    hub.moved(&key(), owner(2));
    hub.moved(&key(), owner(1));
    hub.events(&key(), &events);
    let all = drain(&mut stream).await;
    let [first, second] = [events[0].clone(), events[1].clone()].map(Live::Event);
    let head = Live::Head { last: 0 };
    assert_eq!(all, [head, first, Live::Moved(owner(2)), second]);
}

#[tokio::test(start_paused = true)]
async fn streams_end_when_the_session_is_erased_and_fail_with_the_error() {
    let (hub, source) = setup();
    let mut stream = follow(&hub, &source, 0).await;
    hub.events(&key(), &source.store(1));
    hub.deleted(&key());
    assert_eq!(stream.next().await, None);
    // A topic that has ended is replaced.
    let mut stream = follow(&hub, &source, 1).await;
    let error = StoreError::Truncated { first: 9 };
    hub.failed(&key(), error.clone());
    assert_eq!(stream.next().await, Some(Err(error)));
    assert_eq!(stream.next().await, None);
}

#[derive(Debug, Clone)]
enum Action {
    /// Stores events; their messages wait.
    Store(usize),
    /// Delivers a waiting message, or one again, or loses it.
    Deliver(prop::sample::Index),
    Repeat(prop::sample::Index),
    Lose(prop::sample::Index),
    Head,
    Delta,
    Outage(usize),
    Follow(prop::sample::Index),
    /// Follows while events are stored.
    Race(usize),
    /// Drops a follower.
    Leave(prop::sample::Index),
    /// Polls the followers a few times.
    Poll(usize),
}

fn action() -> impl Strategy<Value = Action> {
    let index = || any::<prop::sample::Index>();
    prop_oneof![
        4 => (1..4usize).prop_map(Action::Store),
        1 => (100..300usize).prop_map(Action::Store),
        6 => index().prop_map(Action::Deliver),
        2 => index().prop_map(Action::Repeat),
        2 => index().prop_map(Action::Lose),
        1 => Just(Action::Head),
        1 => Just(Action::Delta),
        1 => (1..3usize).prop_map(Action::Outage),
        2 => index().prop_map(Action::Follow),
        1 => (1..4usize).prop_map(Action::Race),
        1 => index().prop_map(Action::Leave),
        4 => (1..8usize).prop_map(Action::Poll),
    ]
}

async fn run(actions: Vec<Action>) {
    let (hub, source) = setup();
    let mut waiting: Vec<Vec<Event>> = Vec::new();
    let mut delivered: Vec<Vec<Event>> = Vec::new();
    let mut followers = Vec::new();
    for action in actions {
        match action {
            Action::Store(count) => waiting.push(source.store(count)),
            Action::Deliver(index) if !waiting.is_empty() => {
                let message = waiting.remove(index.index(waiting.len()));
                hub.events(&key(), &message);
                delivered.push(message);
            }
            Action::Repeat(index) if !delivered.is_empty() => {
                hub.events(&key(), &delivered[index.index(delivered.len())]);
            }
            Action::Lose(index) if !waiting.is_empty() => {
                waiting.remove(index.index(waiting.len()));
            }
            Action::Head => hub.head(&key(), lock(&source.events).len() as u64),
            Action::Delta => hub.delta(&key(), delta(1)),
            Action::Outage(reads) => source.outages.store(reads, Ordering::SeqCst),
            Action::Follow(index) => {
                let after = index.index(lock(&source.events).len() + 1) as u64;
                if let Ok(stream) = hub.follow(source.clone(), &key(), after).await {
                    followers.push((after, stream, Vec::new()));
                }
            }
            Action::Race(count) => {
                *lock(&source.race) = Some((hub.clone(), count));
                let after = lock(&source.events).len() as u64;
                if let Ok(stream) = hub.follow(source.clone(), &key(), after).await {
                    followers.push((after, stream, Vec::new()));
                }
            }
            Action::Leave(index) if !followers.is_empty() => {
                drop(followers.remove(index.index(followers.len())));
            }
            Action::Poll(times) => {
                for (_, stream, seen) in &mut followers {
                    for _ in 0..times {
                        tokio::task::yield_now().await;
                        seen.extend(stream.next().now_or_never().flatten());
                    }
                }
            }
            _ => {}
        }
    }
    let last = lock(&source.events).len() as u64;
    hub.head(&key(), last);
    let mut streams = Vec::new();
    for (after, mut stream, seen) in followers {
        let mut seen: Vec<Live> = seen.into_iter().map(Result::unwrap).collect();
        seen.extend(drain(&mut stream).await);
        assert_eq!(sequences(&seen), (after + 1..=last).collect::<Vec<_>>());
        let is_head = |live: &&Live| matches!(live, Live::Head { .. });
        assert_eq!(seen.iter().filter(is_head).count(), 1);
        streams.push(stream);
    }
    // Nothing is kept that all followers have seen.
    for (topic, _) in lock(&hub.topics).values() {
        assert!(topic.ring().is_empty());
    }
}

proptest! {
    #[test]
    fn every_follower_sees_each_event_once_and_in_order(
        actions in prop::collection::vec(action(), 1..80)
    ) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(run(actions));
    }
}
