//! Sessions beside each other: their numbers, and that none holds up another.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use claw_server::event::{Fact, Lifecycle, LifecycleState, SessionEvent};
use claw_server::{
    Controller, ControllerError, ControllerInputPayload, EventLog, MemoryLog, PageLimit, TurnId,
};
use serde_json::json;

use super::front_end::{open, setup};
use super::hindered_log::{HinderedLog, nothing};

fn event(sequence: u64) -> SessionEvent {
    let ready = Lifecycle::new(LifecycleState::Ready);
    SessionEvent::new(sequence, 1, 0, Fact::Lifecycle(ready))
}

#[tokio::test]
async fn a_session_that_stands_still_holds_up_no_other() {
    let log = HinderedLog::new();
    log.before_append(|session, events| {
        let is_input = |event: &Arc<SessionEvent>| matches!(event.fact, Fact::InputAccepted(_));
        if session == 1 && events.iter().any(is_input) {
            return Box::pin(std::future::pending());
        }
        nothing()
    });
    let controller = Controller::builder().log(log).build();
    let (stands, _front, _peer) = open(&controller, |setup| setup.id(1)).await;
    let (runs, mut front, mut peer) = open(&controller, |setup| setup).await;
    let (send, source) = tokio::sync::mpsc::channel(8);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = controller.clone();
    let served = tokio::spawn(async move {
        let mut refused = Vec::new();
        let refuse = |id, error| refused.push((id, error));
        // The blocked session never answers, so this does not end by itself.
        tokio::select! {
            () = serving.serve(source, refuse) => {}
            _ = stopped => {}
        }
        refused
    });
    let say = |session, number: u64| {
        let turn = TurnId::new_user_turn(number + 1);
        ControllerInputPayload::data(session, number.to_string(), turn)
    };
    for number in 0..100 {
        send.send(say(stands, number)).await.unwrap();
    }
    for number in 0..3 {
        send.send(say(runs, number)).await.unwrap();
        let prompt = peer.prompt().await;
        assert_eq!(prompt["message"]["content"], number.to_string());
        peer.answer(&prompt, "Hi").await;
        front.until_complete().await;
    }
    drop(stop);
    let refused = served.await.unwrap();
    // One is being stored, and as many wait as may.
    assert_eq!(refused.len(), 100 - 33);
    let is_full = |(id, error): &(i64, ControllerError)| {
        *id == stands && matches!(error, ControllerError::QueueFull { limit: 32 })
    };
    assert!(refused.iter().all(is_full), "{refused:?}");
}

#[tokio::test]
async fn a_number_is_found_in_a_long_log_without_looking_at_all_of_it() {
    let log = HinderedLog::new();
    let reads = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&reads);
    log.before_read(move || {
        counted.fetch_add(1, Ordering::SeqCst);
        nothing()
    });
    for id in 1..=5_000 {
        log.kept.append(id, &[Arc::new(event(1))]).await.unwrap();
    }
    let controller = Controller::builder().log(log).build();
    let (session, _front, _peer) = open(&controller, |setup| setup).await;
    assert!(session > 5_000, "{session}");
    let reads = reads.load(Ordering::SeqCst);
    assert!(reads < 20, "{reads} reads");
}

#[tokio::test]
async fn a_number_that_was_given_is_not_found_again() {
    let controller = Controller::builder().build();
    let (given, _front, mut peer) = open(&controller, |setup| setup.id(2)).await;
    assert_eq!(given, 2);
    peer.close(&controller, given).await;
    let (setup, _peer) = setup();
    let refused = controller.open(setup.id(given)).await;
    assert_matches!(refused, Err(ControllerError::HasHistory { session_id: 2 }));
    for _ in 0..3 {
        let (found, _front, _peer) = open(&controller, |setup| setup).await;
        assert_ne!(found, given);
    }
}

#[tokio::test]
async fn of_two_programs_that_open_one_number_at_once_one_goes_on() {
    let log = Arc::new(MemoryLog::default());
    let opening = || {
        let controller = Controller::builder().log(log.clone()).build();
        async move {
            let (setup, mut peer) = setup();
            let setup = setup.id(1);
            // A session that is opened too late is not started.
            let start = async {
                if let Some(request) = peer.read().await {
                    peer.succeed(&request, json!({})).await;
                }
            };
            let (opened, ()) = tokio::join!(controller.open(setup), start);
            (opened, controller, peer)
        }
    };
    let (one, other) = tokio::join!(opening(), opening());
    let opened = [one.0.is_ok(), other.0.is_ok()];
    assert_eq!(opened.iter().filter(|is_open| **is_open).count(), 1);
    let events = log.read(1, 0, PageLimit::ALL).await.unwrap();
    let sequences = events.iter().map(|event| event.sequence);
    assert!(sequences.eq(1..=events.len() as u64), "{events:?}");
}

#[tokio::test]
async fn a_history_begins_with_the_first_event() {
    let controller = Controller::builder().build();
    let (setup, _peer) = setup();
    let cut = [event(5), event(6)];
    let refused = controller.open(setup.id(1).history(cut)).await;
    assert_matches!(refused, Err(ControllerError::WrongHistory { .. }));
}
