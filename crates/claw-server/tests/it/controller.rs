//! Sessions in a process, with a CLI that is played by a test.

mod allows;
mod attaching;
mod broken_log;
mod broken_parts;
mod coming_again;
mod continuing;
mod dropped_opens;
mod ends;
mod following;
mod front_end;
mod grant_changes;
mod hindered_log;
mod inputs;
mod interactions;
mod leave;
mod log;
mod many;
mod notices;
mod other_interactions;
mod parking;
mod peer;
mod phone;
mod recovering;
mod reopening;

use std::sync::Arc;
use std::time::Duration;

use claw_server::event::LifecycleState;
use claw_server::{
    Controller, ControllerError, EventLog as _, Input, MemoryLog, MobileMessage, MobileProjection,
    PageLimit, SessionClosed, SessionId, SessionSetup, StopReason, UiMessage,
};
use futures_util::future::join_all;
use rusty_claw::Options;

use self::front_end::{FrontEnd, go, open, setup};

#[tokio::test]
async fn a_turn_is_reported_from_beginning_to_end() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    let receipt = controller.input(Input::text(session, "Hi")).await.unwrap();
    let prompt = peer.prompt().await;
    assert_eq!(prompt["uuid"], receipt.id.as_str());
    assert_eq!(prompt["message"]["content"], "Hi");
    peer.answer(&prompt, "Hello!").await;
    let seen = front.until_complete().await;
    let names: Vec<&str> = seen.iter().map(UiMessage::name).collect();
    assert_eq!(
        names.join(" "),
        "SessionState SessionState InputReceipt InputReceipt System TextChunk InputReceipt Complete"
    );
    let stop_reason = StopReason::EndTurn;
    assert_matches!(seen.last(), Some(UiMessage::Complete { stop_reason: stop, .. }) if *stop == stop_reason);
    // A front end that joins late receives the same.
    let (mut late, sink) = FrontEnd::new();
    controller.watch(session, sink).await.unwrap();
    assert_eq!(late.until_complete().await, seen);
    // A phone has its own dialect.
    let (sink, mut phone) = tokio::sync::mpsc::channel(64);
    let dialect = MobileProjection::new("conv_1");
    controller.watch_in(session, dialect, sink).await.unwrap();
    let mut sent = Vec::new();
    while !matches!(sent.last(), Some(MobileMessage::TurnComplete(_))) {
        sent.push(phone.recv().await.unwrap());
    }
    let hello = r#"{"type":"claude_response","content":"Hello!","conversationId":"conv_1"}"#;
    let hello: MobileMessage = serde_json::from_str(hello).unwrap();
    assert!(sent.contains(&hello), "{sent:?}");

    let closed = peer.close(&controller, session).await;
    assert_eq!(closed.state, LifecycleState::Closed, "{closed:?}");
    assert_eq!((closed.turns, closed.cut_off_turn), (1, None));
    assert!(controller.sessions().is_empty());
    let rest = front.rest().await;
    assert!(rest.iter().filter_map(state).any(|state| state == "Closed"));
}

#[tokio::test]
async fn a_session_that_does_not_start_is_told_and_leaves_nothing() {
    let controller = Controller::builder().build();
    let (mut front, sink) = FrontEnd::new();
    let setup = SessionSetup::new(Options::new().cli_path("/nonexistent/claude")).sink(sink);
    let error = controller.open(setup).await.unwrap_err();
    assert_matches!(error, ControllerError::Start(_));
    assert!(controller.sessions().is_empty());
    let states = front.rest().await;
    let states: Vec<String> = states.iter().filter_map(state).collect();
    assert_eq!(states, ["Starting", "Lost"]);
}

#[tokio::test]
async fn a_process_that_is_lost_ends_its_turn_and_is_reported() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    controller.input(Input::text(session, "one")).await.unwrap();
    let queued = controller.input(Input::text(session, "two")).await.unwrap();
    let prompt = peer.prompt().await;
    peer.begin(&prompt).await;
    front.until(is_delivered).await;
    peer.say("Let me see").await;
    front.first("TextChunk").await;
    drop(peer);
    let told = front.rest().await;
    let completes = told.iter().filter(|one| one.name() == "Complete");
    assert_eq!(completes.count(), 1, "{told:?}");
    assert!(told.iter().any(|message| matches!(
        message,
        UiMessage::InputReceipt { input_id, state, .. }
            if input_id == queued.id.as_str() && state.as_str() == "Failed"
    )));
    assert!(told.iter().filter_map(state).any(|state| state == "Lost"));
    let error = controller.input(Input::text(session, "three")).await;
    assert_matches!(error, Err(ControllerError::NoSession { .. }));
}

#[tokio::test]
async fn shutting_down_reports_every_session() {
    let controller = Controller::builder().build();
    let (mut peers, mut sessions) = (Vec::new(), Vec::new());
    for number in 1..=5 {
        let (session, front, peer) = open(&controller, |setup| setup).await;
        assert_eq!(controller.number(session), Some(number));
        sessions.push(session);
        peers.push((front, peer));
    }
    let playing = peers.iter_mut().map(|(_, peer)| peer.until_closed());
    let shutdown = controller.shutdown(Duration::from_secs(1));
    let (closed, _) = tokio::join!(shutdown, join_all(playing));
    let ids: Vec<SessionId> = closed.iter().map(|closed| closed.session_id).collect();
    sessions.sort();
    assert_eq!(ids, sessions);
    let is_closed = |closed: &Arc<SessionClosed>| closed.state == LifecycleState::Closed;
    assert!(closed.iter().all(is_closed));
    let (setup, _peer) = setup();
    let error = controller.open(setup).await.unwrap_err();
    assert_matches!(error, ControllerError::ShuttingDown);
}

#[tokio::test]
async fn sessions_are_listed_by_tenant_and_reopened_by_it_only() {
    let log = Arc::new(MemoryLog::keeping(1 << 20));
    let ada = Controller::builder().log(log.clone()).build();
    let (session, _front, mut peer) = open(&ada, |setup| setup.tenant("ada")).await;
    peer.close(&ada, session).await;
    let bob = Controller::builder().log(log.clone()).build();
    let (other, _front, _peer) = open(&bob, |setup| setup.tenant("bob")).await;
    for (tenant, listed) in [("ada", session), ("bob", other)] {
        let page = log.list(tenant, None, 1).await.unwrap();
        assert_eq!(page.sessions, [listed]);
        let page = log.list(tenant, page.next, 1).await.unwrap();
        assert_eq!((page.sessions, page.next), (Vec::new(), None));
    }
    let reopened = |tenant: &str| {
        let (setup, _peer) = setup();
        bob.open(setup.tenant(tenant).reopen(session))
    };
    let error = reopened("bob").await.unwrap_err();
    assert_matches!(error, ControllerError::NoSession { .. });
    let (setup, _peer) = setup();
    let error = bob.open(setup.id(session)).await.unwrap_err();
    assert_matches!(error, ControllerError::HasHistory { .. });
}

#[tokio::test]
async fn a_close_waits_for_what_was_just_sent_and_takes_any_time() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    controller.input(Input::text(session, "Hi")).await.unwrap();
    let prompt = peer.prompt().await;
    let closing = tokio::spawn({
        let controller = controller.clone();
        async move { controller.close(session, Duration::MAX).await }
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    peer.answer(&prompt, "Hello!").await;
    front.until_complete().await;
    peer.until_closed().await;
    let closed = closing.await.unwrap().unwrap();
    assert_eq!((closed.turns, closed.cut_off_turn), (1, None));
}

#[tokio::test]
async fn a_stalled_sink_does_not_hide_the_end_of_a_process() {
    let controller = Controller::builder().unsent(500).build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    let (_stalled, sink) = FrontEnd::holding(1);
    controller.watch(session, sink).await.unwrap();
    go(&controller, session, &mut peer).await;
    for _ in 0..50 {
        peer.say(&"x".repeat(200)).await;
    }
    drop(peer);
    let told = front.rest().await;
    let mut states = told.iter().filter_map(state);
    assert!(states.any(|state| state == "Lost"), "{told:?}");
}

#[tokio::test]
async fn a_session_that_comes_up_again_ends_what_was_left_open() {
    let log = Arc::new(MemoryLog::keeping(1 << 20));
    let controller = Controller::builder().log(log.clone()).build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    let two = || Input::text(session, "two").key("k");
    controller.input(Input::text(session, "one")).await.unwrap();
    controller.input(two()).await.unwrap();
    let prompt = peer.prompt().await;
    peer.begin(&prompt).await;
    peer.bash("toolu_1", "make").await;
    front.first("PermissionRequired").await;
    let stored = log.read(session, 0, PageLimit::ALL).await.unwrap();
    let last = stored.last().unwrap().sequence;

    // Another process takes over.
    let next = Controller::builder().log(log.clone()).build();
    let taken_over = |setup: SessionSetup| setup.reopen(session);
    let (opened, mut front, mut peer) = open(&next, taken_over).await;
    assert_eq!(opened, session);
    let prompt = peer.prompt().await;
    let content = &prompt["message"]["content"];
    assert_eq!(content, "two", "only what was not delivered");
    peer.answer(&prompt, "Done").await;
    let mut told = front.until_complete().await;
    told.extend(front.until_complete().await);
    let names: Vec<&str> = told.iter().map(UiMessage::name).collect();
    let first = ["InteractionResolved", "SessionState"];
    assert!(names.starts_with(&first), "{names:?}");
    // The same input again, after the change of owner.
    let again = next.input(two()).await.unwrap();
    assert!(again.is_repeat);
    // The new events follow those of the previous owner.
    let closed = peer.close(&next, session).await;
    assert!(closed.sequence > last, "{} > {last}", closed.sequence);
}

fn state(message: &UiMessage) -> Option<String> {
    match message {
        UiMessage::SessionState { state, .. } => Some(state.as_str().to_owned()),
        _ => None,
    }
}

fn is_delivered(message: &UiMessage) -> bool {
    matches!(message, UiMessage::InputReceipt { state, .. } if state.as_str() == "Delivered")
}

/// The kinds of facts in a log, in order.
async fn kinds(log: &MemoryLog, session: SessionId) -> Vec<String> {
    let events = log.read(session, 0, PageLimit::ALL).await.unwrap();
    let numbers: Vec<u64> = events.iter().map(|event| event.sequence).collect();
    let follows = |pair: &[u64]| pair[1] == pair[0] + 1;
    assert!(numbers.windows(2).all(follows), "{numbers:?}");
    let kinds = events.iter().map(|event| event.fact.kind().to_owned());
    kinds.collect()
}
