//! What is kept, and what a slow reader or a broken log does.

use std::sync::Arc;
use std::time::Duration;

use claw_server::event::LifecycleState;
use claw_server::registry::PermissionResponse;
use claw_server::{Controller, LogError, MemoryLog, UiMessage};

use super::broken_log::to_the_end;
use super::front_end::{FrontEnd, go, open, open_with_sink};
use super::hindered_log::{HinderedLog, error};
use super::kinds;

#[tokio::test]
async fn a_sink_that_stands_still_holds_up_neither_prompts_nor_answers_and_misses_nothing() {
    let log = Arc::new(MemoryLog::keeping(64 << 20));
    let controller = Controller::builder()
        .log(log.clone())
        .unsent(10_000)
        .build();
    let (mut front, sink) = FrontEnd::holding(1);
    let (session, mut peer) = open_with_sink(&controller, sink).await;
    let prompt = go(&controller, session, &mut peer).await;
    for number in 0..2_000 {
        peer.say(&format!("{number:04} {}", "x".repeat(200))).await;
    }
    // No message was read, and far more were sent than the queue holds.
    let id = peer.bash("toolu_1", "make").await;
    let registry = controller.permissions();
    let asked = async {
        while registry.pending(session).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let limit = Duration::from_secs(10);
    tokio::time::timeout(limit, asked).await.unwrap();
    let yes = PermissionResponse::allow();
    registry.respond(session, "toolu_1", yes).await.unwrap();
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
    let (session, mut peer) = open_with_sink(&controller, sink).await;
    go(&controller, session, &mut peer).await;
    for _ in 0..100 {
        peer.say(&"x".repeat(200)).await;
    }
    tokio::time::pause();
    let closed = peer.close(&controller, session).await;
    assert_eq!(closed.sinks_behind, 1);
    assert_eq!(closed.state, LifecycleState::Closed);
}

#[tokio::test]
async fn what_is_not_written_down_is_not_done_and_nobody_sees_it() {
    let log = HinderedLog::new();
    let controller = Controller::builder().log(log.clone()).build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    go(&controller, session, &mut peer).await;
    let id = peer.bash("toolu_1", "rm -r x").await;
    front.first("PermissionRequired").await;
    log.before_append(|_, _| error(LogError::Fenced));
    let answering = tokio::spawn({
        let controller = controller.clone();
        async move {
            let registry = controller.permissions();
            let yes = PermissionResponse::allow();
            registry.respond(session, "toolu_1", yes).await
        }
    });
    to_the_end(&mut peer, &id).await;
    assert!(answering.await.unwrap().is_err());
    let told = front.rest().await;
    assert!(
        told.iter()
            .all(|message| message.name() != "InteractionResolved"),
        "{told:?}"
    );
    assert!(controller.sessions().is_empty());
}
