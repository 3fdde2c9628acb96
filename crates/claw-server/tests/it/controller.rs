//! Sessions in a process, with a CLI that is played by a test.

mod allows;
mod broken_log;
mod broken_parts;
mod coming_again;
mod ends;
mod front_end;
mod hindered_log;
mod inputs;
mod leave;
mod log;
mod many;
mod notices;
mod other_prompts;
mod peer;
mod phone;
mod prompts;

use std::time::Duration;

use claw_server::event::{Fact, LifecycleState};
use claw_server::{
    Controller, ControllerError, Input, MemoryLog, MobileMessage, MobileProjection, PageLimit,
    SessionSetup, StopReason, UiMessage,
};
use rusty_claw::Options;

use self::front_end::{FrontEnd, open};
use self::peer::Peer;

#[tokio::test]
async fn a_turn_is_told_from_beginning_to_end() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    let receipt = controller.input(Input::text(session, "Hi")).await.unwrap();
    let prompt = peer.prompt().await;
    assert_eq!(prompt["uuid"], receipt.id.as_str());
    assert_eq!(prompt["message"]["content"], "Hi");
    peer.answer(&prompt, "Hello!").await;
    let told = front.until_complete().await;
    let names: Vec<&str> = told.iter().map(UiMessage::name).collect();
    assert_eq!(
        names,
        [
            "SessionState",
            "SessionState",
            "InputReceipt",
            "InputReceipt",
            "System",
            "TextChunk",
            "InputReceipt",
            "Complete"
        ]
    );
    assert!(matches!(
        told.last(),
        Some(UiMessage::Complete {
            stop_reason: StopReason::EndTurn,
            ..
        })
    ));
    let closed = peer
        .while_closing(controller.close(session, Duration::ZERO))
        .await
        .unwrap();
    assert_eq!(closed.state, LifecycleState::Closed, "{closed:?}");
    assert_eq!((closed.turns, closed.cut_off_turn), (1, None));
    assert!(controller.sessions().is_empty());
    assert!(front.rest().await.iter().any(
        |message| matches!(message, UiMessage::SessionState { state, .. } if state.as_str() == "Closed")
    ));
}

#[tokio::test]
async fn somebody_who_comes_late_sees_it_all() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    controller.input(Input::text(session, "Hi")).await.unwrap();
    let prompt = peer.prompt().await;
    peer.answer(&prompt, "Hello!").await;
    let seen = front.until_complete().await;
    let (late, sink) = FrontEnd::new();
    controller.watch(session, sink).await.unwrap();
    let mut late = late;
    assert_eq!(late.until_complete().await, seen);
}

#[tokio::test]
async fn a_phone_looks_in_its_own_dialect() {
    let controller = Controller::builder().build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    controller.input(Input::text(session, "Hi")).await.unwrap();
    let prompt = peer.prompt().await;
    peer.answer(&prompt, "Hello!").await;
    front.until_complete().await;
    let (sink, mut phone) = tokio::sync::mpsc::channel(64);
    let dialect = MobileProjection::new("conv_1");
    controller.watch_in(session, dialect, sink).await.unwrap();
    let mut said = Vec::new();
    while let Some(message) = phone.recv().await {
        let is_over = matches!(message, MobileMessage::TurnComplete(_));
        said.push(serde_json::to_string(&message).unwrap());
        if is_over {
            break;
        }
    }
    let hello = r#"{"type":"claude_response","content":"Hello!","conversationId":"conv_1"}"#;
    assert!(said.iter().any(|one| one == hello), "{said:?}");
}

#[tokio::test]
async fn a_session_that_does_not_start_is_told_and_leaves_nothing() {
    let controller = Controller::builder().build();
    let (mut front, sink) = FrontEnd::new();
    let setup = SessionSetup::new(Options::new().cli_path("/nonexistent/claude")).sink(sink);
    let error = controller.open(setup).await.unwrap_err();
    assert!(matches!(error, ControllerError::Start(_)), "{error:?}");
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
    let completes: Vec<_> = told.iter().filter(|one| one.name() == "Complete").collect();
    assert_eq!(completes.len(), 1, "{told:?}");
    assert!(told.iter().any(|message| matches!(
        message,
        UiMessage::InputReceipt { input_id, state, .. }
            if input_id == queued.id.as_str() && state.as_str() == "Failed"
    )));
    assert!(told.iter().filter_map(state).any(|state| state == "Lost"));
    let error = controller.input(Input::text(session, "three")).await;
    assert!(matches!(error, Err(ControllerError::NoSession { .. })));
}

#[tokio::test]
async fn shutting_down_reports_every_session() {
    let controller = Controller::builder().build();
    let mut peers = Vec::new();
    for number in 1..=5 {
        let (session, front, peer) = open(&controller, |setup| setup).await;
        assert_eq!(session, number);
        peers.push((front, peer));
    }
    let playing: Vec<_> = peers
        .into_iter()
        .map(|(front, mut peer)| {
            tokio::spawn(async move {
                peer.until_closed().await;
                drop(front);
            })
        })
        .collect();
    let closed = controller.shutdown(Duration::from_secs(1)).await;
    let ids: Vec<i64> = closed.iter().map(|closed| closed.session_id).collect();
    assert_eq!(ids, [1, 2, 3, 4, 5]);
    assert!(
        closed
            .iter()
            .all(|closed| closed.state == LifecycleState::Closed)
    );
    for one in playing {
        one.await.unwrap();
    }
    let (transport, _peer) = Peer::pair();
    let setup = SessionSetup::new(Options::new()).on(transport);
    let error = controller.open(setup).await.unwrap_err();
    assert!(matches!(error, ControllerError::ShuttingDown));
}

#[tokio::test]
async fn a_number_that_the_log_knows_is_not_given_again() {
    let log = std::sync::Arc::new(MemoryLog::keeping(1 << 20));
    let ada = Controller::builder().log(log.clone()).build();
    let (session, _front, mut peer) = open(&ada, |setup| setup.tenant("ada")).await;
    assert_eq!(session, 1);
    peer.while_closing(ada.close(session, Duration::ZERO))
        .await
        .unwrap();
    let bob = Controller::builder().log(log).build();
    let (session, _front, _peer) = open(&bob, |setup| setup.tenant("bob")).await;
    assert_eq!(session, 2);
    let (transport, _peer) = Peer::pair();
    let setup = SessionSetup::new(Options::new()).on(transport).id(1);
    let error = bob.open(setup).await.unwrap_err();
    assert!(
        matches!(error, ControllerError::HasHistory { session_id: 1 }),
        "{error:?}"
    );
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
async fn the_end_of_a_process_is_told_whoever_does_not_read() {
    let controller = Controller::builder().unsent(500).build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    let (_stalled, sink) = FrontEnd::holding(1);
    controller.watch(session, sink).await.unwrap();
    controller.input(Input::text(session, "Hi")).await.unwrap();
    let prompt = peer.prompt().await;
    peer.begin(&prompt).await;
    for _ in 0..50 {
        peer.say(&"x".repeat(200)).await;
    }
    drop(peer);
    let told = front.rest().await;
    assert!(
        told.iter().filter_map(state).any(|state| state == "Lost"),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_session_that_comes_up_again_ends_what_was_left_open() {
    let log = std::sync::Arc::new(MemoryLog::keeping(1 << 20));
    let controller = Controller::builder().log(log.clone()).build();
    let (session, mut front, mut peer) = open(&controller, |setup| setup).await;
    controller.input(Input::text(session, "one")).await.unwrap();
    controller
        .input(Input::text(session, "two").key("k"))
        .await
        .unwrap();
    let prompt = peer.prompt().await;
    peer.begin(&prompt).await;
    peer.ask("toolu_1", "Bash", serde_json::json!({"command": "make"}))
        .await;
    front
        .until(|message| message.name() == "PermissionRequired")
        .await;
    let history: Vec<_> = claw_server::EventLog::read(&*log, session, 0, PageLimit::ALL)
        .await
        .unwrap()
        .iter()
        .map(|event| (**event).clone())
        .collect();

    // Another process takes over.
    let next = Controller::builder().build();
    let (transport, mut peer) = Peer::pair();
    let (mut front, sink) = FrontEnd::new();
    let last = history.last().unwrap().sequence;
    let setup = SessionSetup::new(Options::new())
        .on(transport)
        .id(session)
        .history(history)
        .sink(sink);
    let (opened, ()) = tokio::join!(next.open(setup), peer.initialize());
    assert_eq!(opened.unwrap(), session);
    let prompt = peer.prompt().await;
    assert_eq!(
        prompt["message"]["content"], "two",
        "only what was not delivered"
    );
    peer.answer(&prompt, "Done").await;
    let mut told = front.until_complete().await;
    told.extend(front.until_complete().await);
    let names: Vec<&str> = told.iter().map(UiMessage::name).collect();
    assert!(
        names.starts_with(&["PromptResolved", "SessionState"]),
        "{names:?}"
    );
    // The same input again, after the change of owner.
    let again = next
        .input(Input::text(session, "two").key("k"))
        .await
        .unwrap();
    assert!(again.is_repeat);
    // Its events stand behind those of the owner before.
    let closed = peer
        .while_closing(next.close(session, Duration::ZERO))
        .await
        .unwrap();
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
async fn kinds(log: &MemoryLog, session: i64) -> Vec<String> {
    let events = claw_server::EventLog::read(log, session, 0, PageLimit::ALL)
        .await
        .unwrap();
    let numbers: Vec<u64> = events.iter().map(|event| event.sequence).collect();
    assert!(
        numbers.windows(2).all(|pair| pair[1] == pair[0] + 1),
        "{numbers:?}"
    );
    let kind = |fact: &Fact| fact.kind().to_owned();
    events.iter().map(|event| kind(&event.fact)).collect()
}
