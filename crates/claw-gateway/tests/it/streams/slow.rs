//! Clients that do not read.

use std::sync::Arc;

use claw_gateway::{DialectName, Feed, StoreLog};
use claw_server::event::{Fact, SessionEvent};
use claw_server::{EventLog as _, Fence, SessionId};
use claw_store::{ClaimReason, MemoryStore, Store};
use claw_testkit::FakeScript;
use serde_json::json;

use crate::host::Host;
use crate::stores::{claim, tenant};

/// Appends lines of about this many bytes.
async fn append(
    log: &StoreLog,
    session: SessionId,
    epoch: u64,
    first: u64,
    count: u64,
    bytes: usize,
) {
    for sequence in first..first + count {
        let line = json!({"type": "x", "number": sequence, "text": "x".repeat(bytes)});
        let fact = Fact::message(line.to_string());
        let event = Arc::new(SessionEvent::new(sequence, epoch, 0, fact));
        let fence = Fence {
            epoch,
            expected_last: sequence - 1,
        };
        log.append(session, fence, &[event]).await.unwrap();
    }
}

struct Stage {
    host: Host,
    log: StoreLog,
}

async fn stage() -> Stage {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let host = Host::start(Arc::clone(&store), &FakeScript::new()).await;
    let log = StoreLog::new(store, tenant());
    Stage { host, log }
}

impl Stage {
    async fn session(&self, name: &str, events: u64, bytes: usize) -> (SessionId, u64) {
        let access = self
            .host
            .access("ada", "laptop", claw_gateway::Scope::Drive);
        let created = access
            .create(self.host.spec(), crate::served::key(name))
            .await;
        let session = created.unwrap().id;
        let epoch = claim(&self.log, session, ClaimReason::Open).await;
        append(&self.log, session, epoch, 1, events, bytes).await;
        (session, epoch)
    }

    fn feed(&self) -> Feed {
        Feed::new(self.host.access("ada", "screen", claw_gateway::Scope::View))
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_is_told_to_resync_and_misses_nothing() {
    let stage = stage().await;
    let (session, epoch) = stage.session("new", 40, 20_000).await;
    let mut feed = stage.feed();
    let events = DialectName::Events;
    feed.subscribe(session, events, 0).await.unwrap();
    // The clock advances while everything waits: the client does not read for a minute.
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    append(&stage.log, session, epoch, 41, 5, 10).await;
    let (mut last, mut resyncs, mut waiting) = (0, 0, 0);
    while last < 45 {
        let update = feed.recv().await.unwrap();
        if update.resync {
            resyncs += 1;
            assert_eq!(update.after, last, "it continues from the cursor");
            assert!(update.message.is_none());
        } else {
            assert_eq!(update.after, last + 1);
            last = update.after;
            waiting += u64::from(resyncs == 0);
        }
    }
    assert_eq!(resyncs, 1);
    assert!(waiting <= 13, "{waiting} frames of 20 kB waited in 256 KiB");
}

#[tokio::test(start_paused = true)]
async fn a_busy_session_does_not_delay_the_others() {
    let stage = stage().await;
    let (busy, _) = stage.session("busy", 400, 20_000).await;
    let (quiet, _) = stage.session("quiet", 3, 10).await;
    let mut feed = stage.feed();
    let events = DialectName::Events;
    feed.subscribe(busy, events, 0).await.unwrap();
    // The buffer is full before the other session is there.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    feed.subscribe(quiet, events, 0).await.unwrap();
    let (mut of_busy, mut of_quiet) = (0, 0);
    while of_quiet < 3 {
        let update = feed.recv().await.unwrap();
        of_quiet += usize::from(update.session == quiet);
        of_busy += usize::from(update.session == busy);
    }
    assert!(of_busy <= 20, "{of_busy} frames were before the third one");
}

#[tokio::test(start_paused = true)]
async fn frames_of_an_earlier_subscription_are_not_delivered() {
    let stage = stage().await;
    let (session, _) = stage.session("new", 5, 10).await;
    let mut feed = stage.feed();
    feed.subscribe(session, DialectName::Events, 0)
        .await
        .unwrap();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    feed.subscribe(session, DialectName::StreamJson, 3)
        .await
        .unwrap();
    let update = feed.recv().await.unwrap();
    assert_eq!(update.after, 4);
    assert!(update.message.unwrap().get().starts_with(r#"{"number""#));
    feed.unsubscribe(session);
    assert!(feed.recv().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_deleted_ends_with_a_notice() {
    let stage = stage().await;
    let (session, _) = stage.session("new", 2, 10).await;
    let mut feed = stage.feed();
    feed.subscribe(session, DialectName::Events, 1)
        .await
        .unwrap();
    assert_eq!(feed.recv().await.unwrap().after, 2);
    let access = stage
        .host
        .access("ada", "laptop", claw_gateway::Scope::Drive);
    access.delete(session).await.unwrap();
    let last = feed.recv().await.unwrap();
    assert!(last.ended && last.after == 2 && last.message.is_none());
    assert!(feed.recv().await.is_none());
}
