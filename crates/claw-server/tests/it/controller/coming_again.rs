//! Front ends that reconnect, and front ends that are dropped.

use std::sync::Arc;
use std::time::Duration;

use claw_server::event::Fact;
use claw_server::{
    Controller, ControllerError, Delivery, EventLog, EventSink, LogError, MemoryLog, MobileMessage,
    MobileProjection, OperationState, PageLimit, UiMessage, UiProjection, WatchEnd,
};
use futures_util::FutureExt as _;
use rusty_claw::BoxFuture;
use serde_json::json;
use tokio::sync::mpsc;

use super::front_end::{FrontEnd, go, open, turn};
use super::hindered_log::{HinderedLog, error, nothing};
use super::peer::Peer;
use super::phone::{Phone, is, screen};
use crate::front_end::TIMEOUT;

#[tokio::test]
async fn cut_off_in_a_text_and_in_a_tool_a_front_end_misses_and_doubles_nothing() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    let mut phone = Phone::new(session);
    let first = phone.connect(&controller).await;
    let prompt = go(&controller, session, &mut peer).await;
    peer.begins_text().await;
    peer.writes("Hel").await;
    peer.notes().await;
    // It has a part of the text, and something that is stored behind it.
    phone.until(is("Display")).await;
    assert_eq!(phone.screen().0, "Hel");
    phone.connect(&controller).await;
    peer.writes("lo").await;
    peer.says_block(json!({"type": "text", "text": "Hello"}))
        .await;
    peer.calls("toolu_1").await;
    phone.until(is("ToolExecuting")).await;
    assert_eq!(phone.screen().0, "Hello");
    phone.connect(&controller).await;
    peer.tool_ends("toolu_1").await;
    phone.until(is("ToolCompleted")).await;
    phone.connect(&controller).await;
    peer.end(&prompt).await;
    phone.until(is("Complete")).await;
    let end = tokio::time::timeout(TIMEOUT, first.ended()).await;
    assert_matches!(end, Ok(WatchEnd::SinkClosed));
    let stayed = front.until_complete().await;
    assert_eq!(phone.screen(), screen(stayed.iter()));
    assert_eq!(phone.screen().0, "Hello");
}

#[tokio::test]
async fn a_phone_that_comes_again_hears_that_its_tool_has_ended() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    let resume = async |after| {
        let (sink, messages) = mpsc::channel(1024);
        let dialect = MobileProjection::new("sess_1");
        let watch = controller.resume(session, after, dialect, sink).await;
        watch.map(|_| messages)
    };
    let mut messages = resume(0).await.unwrap();
    go(&controller, session, &mut peer).await;
    peer.calls("toolu_1").await;
    let after = loop {
        let said = messages.recv().await.unwrap();
        if matches!(said.message, MobileMessage::ToolOperation(_)) {
            break said.after;
        }
    };
    drop(messages);
    peer.tool_ends("toolu_1").await;
    front.first("ToolCompleted").await;
    let mut messages = resume(after).await.unwrap();
    let said = messages.recv().await.unwrap();
    assert!(
        matches!(&said.message, MobileMessage::ToolOperation(tool)
            if tool.tool_use_id == "toolu_1" && tool.state == OperationState::Completed),
        "{said:?}"
    );
    assert!(said.after > after);
}

#[tokio::test]
async fn what_the_log_forgot_is_said_and_what_never_was_is_refused() {
    let log = Arc::new(MemoryLog::keeping(4_000));
    let controller = Controller::builder().log(log.clone()).build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    let prompt = go(&controller, session, &mut peer).await;
    for _ in 0..50 {
        peer.say(&"x".repeat(200)).await;
    }
    peer.end(&prompt).await;
    front.until_complete().await;
    let kept = log.read(session, 0, PageLimit::ALL).await.unwrap();
    let (first, last) = (kept[0].sequence, kept[kept.len() - 1].sequence);
    assert!(first > 10, "{first}");
    let gap = async |after| {
        let (sink, mut messages) = mpsc::channel(1024);
        let dialect = UiProjection::new(1);
        let watch = controller.resume(session, after, dialect, sink).await?;
        let said = messages.recv().await.unwrap();
        watch.stop();
        match said.message {
            UiMessage::Gap { from, to, .. } => Ok((from, to)),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(gap(3).await.unwrap(), (4, first - 1));
    assert_eq!(gap(0).await.unwrap(), (1, first - 1));
    // It has seen those that are forgotten; what began in them is not known any more.
    assert_eq!(gap(last).await.unwrap(), (1, first - 1));
    let ahead: Result<(u64, u64), ControllerError> = gap(last + 1).await;
    let error = ahead.unwrap_err();
    assert!(
        matches!(error, ControllerError::AheadOfLog { after, latest, .. }
            if (after, latest) == (last + 1, last)),
        "{error}"
    );
    let (_front, sink) = FrontEnd::new();
    let mut elsewhere = UiProjection::new(1);
    elsewhere.gap(1, last + 1, &mut Vec::new());
    let error = controller.watch_in(session, elsewhere, sink).await;
    assert_matches!(error, Err(ControllerError::AheadOfLog { .. }));
}

#[tokio::test]
async fn one_that_takes_nothing_is_let_go_of_and_comes_again() {
    let controller = Controller::builder()
        .unsent(500)
        .sink_timeout(Duration::from_millis(300))
        .build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    let (sink, mut stalled) = mpsc::channel(1);
    let dialect = UiProjection::new(1);
    let watch = controller.resume(session, 0, dialect, sink).await.unwrap();
    let prompt = go(&controller, session, &mut peer).await;
    for _ in 0..50 {
        peer.say(&"x".repeat(200)).await;
    }
    peer.end(&prompt).await;
    // The other one gets everything all the same.
    let stayed = front.until_complete().await;
    let end = tokio::time::timeout(TIMEOUT, watch.ended()).await;
    assert_matches!(end, Ok(WatchEnd::LeftBehind));
    let mut phone = Phone::new(session);
    while let Some(said) = stalled.recv().await {
        phone.client.take(said);
    }
    phone.connect(&controller).await;
    phone.until(is("Complete")).await;
    assert_eq!(phone.screen(), screen(stayed.iter()));
    let closed = peer.close(&controller, session).await;
    assert_eq!((closed.sinks_behind, closed.sinks_panicked), (1, 0));
}

/// Takes a message now and then.
struct Slow(mpsc::UnboundedSender<UiMessage>);

impl EventSink for Slow {
    fn send(&mut self, message: UiMessage) -> BoxFuture<'_, Delivery> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(60)).await;
            let _ = self.0.send(message);
            Delivery::Taken
        })
    }
}

#[tokio::test]
async fn one_that_is_only_slow_is_waited_for() {
    let controller = Controller::builder()
        .unsent(500)
        .sink_timeout(Duration::from_millis(250))
        .build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    // What a busy machine takes does not count.
    tokio::time::pause();
    let (sink, mut taken) = mpsc::unbounded_channel();
    let watch = controller.watch(session, Slow(sink)).await.unwrap();
    let prompt = go(&controller, session, &mut peer).await;
    for _ in 0..20 {
        peer.say(&"x".repeat(300)).await;
    }
    peer.end(&prompt).await;
    let stayed = front.until_complete().await;
    // Much more time has passed than one may take nothing for.
    let mut slowly = Vec::new();
    while slowly.len() < stayed.len() {
        slowly.push(taken.recv().await.unwrap());
    }
    assert_eq!(slowly, stayed);
    assert!(!watch.is_over());
}

/// While it catches up there is always one message that it has not taken yet.
#[tokio::test]
async fn one_that_is_only_slow_to_catch_up_is_waited_for() {
    let controller = Controller::builder()
        .unsent(500)
        .sink_timeout(Duration::from_millis(250))
        .build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    // What a busy machine takes does not count.
    tokio::time::pause();
    let turn = async |peer: &mut Peer, count: u32| {
        let prompt = go(&controller, session, peer).await;
        for _ in 0..count {
            peer.say(&"x".repeat(300)).await;
        }
        peer.end(&prompt).await;
    };
    turn(&mut peer, 10).await;
    let mut stayed = front.until_complete().await;
    let (sink, mut taken) = mpsc::unbounded_channel();
    let watch = controller.watch(session, Slow(sink)).await.unwrap();
    turn(&mut peer, 5).await;
    stayed.extend(front.until_complete().await);
    let mut slowly = Vec::new();
    while slowly.len() < stayed.len() {
        let Some(message) = taken.recv().await else {
            panic!("let go of: {:?}", watch.ended().await);
        };
        slowly.push(message);
    }
    assert_eq!(slowly, stayed);
}

#[tokio::test]
async fn a_watch_is_stopped_only_when_somebody_says_so() {
    let controller = Controller::builder().build();
    let (session, _front, mut peer) = open(&controller, |setup| setup).await;
    let (mut stopped, sink) = FrontEnd::new();
    let watch = controller.watch(session, sink).await.unwrap();
    let (mut kept, sink) = FrontEnd::new();
    drop(controller.watch(session, sink).await.unwrap());
    stopped.next().await.unwrap();
    assert!(!watch.is_over());
    watch.stop();
    assert!(matches!(watch.ended().await, WatchEnd::Stopped));
    assert!(watch.is_over());
    stopped.rest().await;
    let (last, sink) = FrontEnd::new();
    let lasts = controller.watch(session, sink).await.unwrap();
    let (gone, sink) = FrontEnd::new();
    let closes = controller.watch(session, sink).await.unwrap();
    drop(gone);
    turn(&controller, session, &mut peer).await;
    kept.until_complete().await;
    assert!(matches!(closes.ended().await, WatchEnd::SinkClosed));
    let closed = peer.close(&controller, session).await;
    assert!(matches!(lasts.ended().await, WatchEnd::SessionEnded));
    assert_eq!(closed.sinks_behind, 0);
    drop(last);
}

#[tokio::test]
async fn a_log_that_cannot_be_read_ends_the_watch_and_leaves_no_hole() {
    let log = HinderedLog::new();
    let controller = Controller::builder().log(log.clone()).build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    log.before_read(|| error(LogError::unavailable("the disk is gone")));
    let (mut late, sink) = FrontEnd::new();
    let watch = controller.watch(session, sink).await.unwrap();
    let WatchEnd::LogFailed(error) = watch.ended().await else {
        panic!("{:?}", watch.ended().await);
    };
    assert!(error.to_string().contains("the disk is gone"));
    assert_eq!(late.rest().await, []);
    // Connected front ends miss nothing, and neither do those that reconnect later.
    log.before_read(nothing);
    let (mut late, sink) = FrontEnd::new();
    controller.watch(session, sink).await.unwrap();
    turn(&controller, session, &mut peer).await;
    assert_eq!(late.until_complete().await, front.until_complete().await);
}

#[tokio::test]
async fn one_who_reads_a_long_log_holds_up_nobody_and_gets_there() {
    let log = HinderedLog::new();
    log.before_read(|| {
        let takes_its_time = tokio::time::sleep(Duration::from_millis(40));
        Box::pin(takes_its_time.map(Ok))
    });
    let controller = Controller::builder()
        .log(log)
        .unsent(2_000)
        .sink_timeout(Duration::from_millis(200))
        .build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    let turn = async |peer: &mut Peer, count: u32| {
        let prompt = go(&controller, session, peer).await;
        for _ in 0..count {
            peer.say(&"x".repeat(100)).await;
        }
        peer.end(&prompt).await;
    };
    turn(&mut peer, 1_500).await;
    let mut seen = front.until_complete().await;
    let mut phone = Phone::new(session);
    // What a busy machine takes does not count.
    tokio::time::pause();
    // Reading two dozen pages takes a second. The messages sent meanwhile exceed the queue limit
    // many times.
    let watch = phone.connect(&controller).await;
    let began = tokio::time::Instant::now();
    turn(&mut peer, 300).await;
    seen.extend(front.until_complete().await);
    let took = began.elapsed();
    assert!(took < Duration::from_millis(700), "held up for {took:?}");
    for _ in 0..2 {
        phone.until(is("Complete")).await;
    }
    assert!(!watch.is_over());
    assert_eq!(phone.screen(), screen(seen.iter()));
}

#[tokio::test]
async fn one_who_reads_long_lines_holds_few_of_them() {
    let log = Arc::new(MemoryLog::keeping(64 << 20));
    let controller = Controller::builder().log(log.clone()).build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    let prompt = go(&controller, session, &mut peer).await;
    for _ in 0..40 {
        peer.say(&"x".repeat(100_000)).await;
    }
    peer.end(&prompt).await;
    let stayed = front.until_complete().await;
    let (mut late, sink) = FrontEnd::holding(1);
    controller.watch(session, sink).await.unwrap();
    let mut seen = Vec::new();
    while seen.len() < stayed.len() {
        seen.push(late.next().await.unwrap());
        // The log and this test hold each event; nothing else may hold many.
        let events = log.read(session, 0, PageLimit::ALL).await.unwrap();
        let held = events.iter().filter(|event| Arc::strong_count(event) > 2);
        let held = held.filter(
            |event| matches!(&event.fact, Fact::Message(line) if line.as_bytes().len() > 100_000),
        );
        assert!(held.count() <= 2, "a page is a quarter of a megabyte");
    }
    assert_eq!(seen, stayed);
}
