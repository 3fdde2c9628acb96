//! What is kept, and what a slow reader or a broken log does.

use std::sync::Arc;
use std::time::Duration;

use claw_server::event::LifecycleState;
use claw_server::registry::PermissionResponse;
use claw_server::{Controller, Delivery, EventSink, Input, MemoryLog, SessionSetup, UiMessage};
use rusty_claw::{BoxFuture, Options};
use serde_json::json;

use super::front_end::{FrontEnd, open};
use super::hindered_log::{HinderedLog, error};
use super::kinds;
use super::peer::Peer;

#[tokio::test]
async fn a_sink_that_stands_still_holds_up_neither_prompts_nor_answers_and_misses_nothing() {
    let log = Arc::new(MemoryLog::keeping(64 << 20));
    let controller = Controller::builder()
        .log(log.clone())
        .unsent(10_000)
        .build();
    let (mut front, sink) = FrontEnd::holding(1);
    let (transport, mut peer) = Peer::pair();
    let setup = SessionSetup::new(Options::new()).on(transport).sink(sink);
    let (opened, ()) = tokio::join!(controller.open(setup), peer.initialize());
    let session = opened.unwrap();
    controller.input(Input::text(session, "Go")).await.unwrap();
    let prompt = peer.prompt().await;
    peer.begin(&prompt).await;
    for number in 0..2_000 {
        peer.say(&format!("{number:04} {}", "x".repeat(200))).await;
    }
    // Nobody has read anything, and far more has been said than may wait.
    let id = peer
        .ask("toolu_1", "Bash", json!({"command": "make"}))
        .await;
    let asked = async {
        loop {
            let pending = controller.permissions().pending(session).await;
            if !pending.is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), asked)
        .await
        .unwrap();
    let yes = PermissionResponse::allow();
    controller
        .permissions()
        .respond(session, "toolu_1", yes)
        .await
        .unwrap();
    assert_eq!(peer.answered(&id).await["behavior"], "allow");
    let stored = kinds(&log, session).await.len();
    assert!(
        stored < 1_000,
        "the session reads no more than may wait: {stored}"
    );
    peer.end(&prompt).await;
    let told = front.until_complete().await;
    let texts = told.iter().filter_map(|message| match message {
        UiMessage::TextChunk { text, .. } => Some(text.get(..4)?.parse::<u32>().ok()?),
        _ => None,
    });
    assert!(texts.eq(0..2_000), "every one, in order");
}

#[tokio::test]
async fn closing_does_not_wait_for_a_sink_that_never_reads() {
    let controller = Controller::builder().unsent(1_000).build();
    let (_front, sink) = FrontEnd::holding(1);
    let (transport, mut peer) = Peer::pair();
    let setup = SessionSetup::new(Options::new()).on(transport).sink(sink);
    let (opened, ()) = tokio::join!(controller.open(setup), peer.initialize());
    let session = opened.unwrap();
    controller.input(Input::text(session, "Go")).await.unwrap();
    let prompt = peer.prompt().await;
    peer.begin(&prompt).await;
    for _ in 0..100 {
        peer.say(&"x".repeat(200)).await;
    }
    tokio::time::pause();
    let closing = controller.close(session, Duration::ZERO);
    let closed = peer.while_closing(closing).await.unwrap();
    assert_eq!(closed.sinks_behind, 1);
    assert_eq!(closed.state, LifecycleState::Closed);
}

/// A sink that breaks.
struct Breaking(u32);

impl EventSink for Breaking {
    fn send(&mut self, _message: UiMessage) -> BoxFuture<'_, Delivery> {
        self.0 += 1;
        let sent = self.0;
        Box::pin(async move {
            assert!(sent < 5, "a sink that breaks");
            tokio::time::sleep(Duration::from_millis(30)).await;
            Delivery::Taken
        })
    }
}

#[tokio::test]
async fn a_sink_that_panics_holds_nobody_up() {
    let controller = Controller::builder().unsent(500).build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup.sink(Breaking(0))).await;
    controller.input(Input::text(session, "Go")).await.unwrap();
    let prompt = peer.prompt().await;
    peer.begin(&prompt).await;
    for _ in 0..50 {
        peer.say(&"x".repeat(200)).await;
    }
    peer.end(&prompt).await;
    front.until_complete().await;
}

#[tokio::test]
async fn what_is_not_written_down_is_not_done_and_nobody_sees_it() {
    let log = HinderedLog::new();
    let controller = Controller::builder().log(log.clone()).build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    controller.input(Input::text(session, "Go")).await.unwrap();
    let prompt = peer.prompt().await;
    peer.begin(&prompt).await;
    let id = peer
        .ask("toolu_1", "Bash", json!({"command": "rm -r x"}))
        .await;
    front.first("PermissionRequired").await;
    log.before_append(|_, _| error("the disk is full"));
    let answering = tokio::spawn({
        let controller = controller.clone();
        async move {
            let yes = PermissionResponse::allow();
            controller
                .permissions()
                .respond(session, "toolu_1", yes)
                .await
        }
    });
    // The CLI hears no yes: a no, or the end.
    while let Some(said) = peer.read().await {
        if said["response"]["request_id"] == id.as_str() {
            assert_eq!(said["response"]["response"]["behavior"], "deny");
        }
        if said["request"]["subtype"] == "end_session" {
            peer.succeed(&said, json!({})).await;
            break;
        }
    }
    drop(peer);
    assert!(answering.await.unwrap().is_err());
    let told = front.rest().await;
    assert!(
        told.iter()
            .all(|message| message.name() != "PromptResolved"),
        "{told:?}"
    );
    assert!(controller.sessions().is_empty());
}
