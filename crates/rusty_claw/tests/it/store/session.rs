//! Sessions that are kept in a store.

use std::sync::Arc;
use std::time::Duration;

use rusty_claw::store::{Batch, BatchId, MemoryStore, SessionKey, SessionStore, StoreFuture};
use rusty_claw::{ClosedBy, Json, Options, Session};
use serde_json::{Value, json};

use super::failing::{Act, FailingStore};
use super::line;
use crate::peer::Peer;

fn kept_in(store: Arc<dyn SessionStore>) -> Options {
    Options::new()
        .env("CLAUDE_CONFIG_DIR", "/c")
        .session_store(store)
}

fn mirrored(text: &str) -> Value {
    json!({"type": "transcript_mirror", "filePath": "/c/projects/-p/5e5e.jsonl",
        "entries": [{"text": text}]})
}

#[tokio::test]
async fn a_cli_that_dies_leaves_a_report_of_its_store() {
    let store = Arc::new(MemoryStore::new());
    let (session, _messages, mut peer) = Peer::session(kept_in(store.clone())).await;
    peer.write(mirrored("a")).await;
    drop(peer);
    let end = session.ended().await;
    let report = end.mirror.clone().expect("a report");
    assert!(report.is_complete() && report.appended == 1, "{report:?}");
    let closed = session.close().await;
    assert_eq!(closed.by, ClosedBy::AlreadyOver);
    assert_eq!(closed.mirror, Some(report));
}

#[tokio::test]
async fn a_close_that_comes_while_the_store_is_filled_has_the_report() {
    let store = Arc::new(FailingStore::new(&[Act::Slow(Duration::from_secs(1))]));
    let (session, mut messages, mut peer) = Peer::session(kept_in(store.clone())).await;
    let turn = session.send("Hi").await.expect("sent");
    peer.write(mirrored("a")).await;
    drop(peer);
    // The outcome does not wait for the store, so now the store is being filled.
    assert_eq!(turn.await.name(), "process lost");
    let closed = session.close().await;
    assert_eq!(closed.by, ClosedBy::AlreadyOver);
    let report = closed.mirror.expect("a report");
    assert!(report.is_complete() && report.appended == 1, "{report:?}");
    assert!(messages.next().await.is_none());
}

#[tokio::test]
async fn a_line_beyond_the_limit_is_stored_all_the_same() {
    let store = Arc::new(MemoryStore::new());
    let options = kept_in(store.clone()).max_line(100);
    let (session, _messages, mut peer) = Peer::session(options).await;
    let long = "x".repeat(5000);
    peer.write(mirrored(&long)).await;
    drop(peer);
    let report = session.close().await.mirror.expect("a report");
    assert!(report.is_complete(), "{report:?}");
    let kept = store.load(&SessionKey::new("-p", "5e5e")).await;
    let kept = kept.expect("loaded").expect("kept");
    assert_eq!(kept, [line(&json!({"text": long}).to_string())]);
}

/// Takes its time to hand over a session.
struct SlowToLoad(MemoryStore, Duration);

impl SessionStore for SlowToLoad {
    fn append<'a>(&'a self, key: &'a SessionKey, batch: &'a Batch) -> StoreFuture<'a, ()> {
        self.0.append(key, batch)
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<Json>>> {
        Box::pin(async {
            tokio::time::sleep(self.1).await;
            self.0.load(key).await
        })
    }
}

#[tokio::test]
async fn a_slow_store_takes_nothing_of_the_clis_time() {
    let work = tempfile::tempdir().expect("a folder");
    let home = tempfile::tempdir().expect("a folder");
    let limit = Duration::from_secs(2);
    let store = SlowToLoad(MemoryStore::new(), limit + Duration::from_millis(200));
    let batch = Batch::new(BatchId::first(), vec![line(r#"{"type":"mode","n":0}"#)]);
    let key = SessionKey::new("-p", "5e5e");
    store.append(&key, &batch).await.expect("stored");
    let options = Options::new()
        .cwd(work.path())
        .env("CLAUDE_CONFIG_DIR", home.path())
        .session_store(Arc::new(store))
        .store_project_key("-p")
        .resume("5e5e")
        .start_timeout(limit);
    let (transport, mut peer) = Peer::pair();
    let (started, _) = tokio::join!(
        Session::start_on(transport, options),
        peer.answer_initialize()
    );
    started.expect("the CLI answered at once");
}
