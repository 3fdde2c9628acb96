//! Sessions beside each other: their numbers, and that none holds up another.

use std::sync::Arc;

use claw_server::event::{Fact, SessionEvent};
use claw_server::{
    Controller, ControllerError, ControllerInputPayload, EventLog, MemoryLog, PageLimit, SessionId,
    TurnId,
};
use serde_json::json;

use super::front_end::{open, setup};
use super::hindered_log::{HinderedLog, nothing};

#[tokio::test]
async fn a_session_that_stands_still_holds_up_no_other() {
    let log = HinderedLog::new();
    log.before_append(|session, events| {
        let is_input = |event: &Arc<SessionEvent>| matches!(event.fact, Fact::InputAccepted(_));
        if session == SessionId::from(1) && events.iter().any(is_input) {
            return Box::pin(std::future::pending());
        }
        nothing()
    });
    let controller = Controller::builder().log(log).build();
    let (_, _front, _peer) = open(&controller, |setup| setup.id(SessionId::from(1))).await;
    let (_, mut front, mut peer) = open(&controller, |setup| setup).await;
    let (stands, runs) = (1, 2);
    let (send, source) = tokio::sync::mpsc::channel(8);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = controller.clone();
    let served = tokio::spawn(async move {
        let mut refused = Vec::new();
        let refuse = |id, error| refused.push((id, error));
        // The blocked session never answers, so this does not end by itself.
        tokio::select! {
            () = serving.serve("", source, refuse) => {}
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
async fn an_id_is_not_used_twice() {
    let controller = Controller::builder().build();
    let id = SessionId::from(2);
    let (opened, _front, mut peer) = open(&controller, |setup| setup.id(id)).await;
    assert_eq!(opened, id);
    peer.close(&controller, id).await;
    let (setup, _peer) = setup();
    let refused = controller.open(setup.id(id)).await;
    assert_matches!(refused, Err(ControllerError::HasHistory { .. }));
}

#[tokio::test]
async fn of_two_programs_that_open_one_number_at_once_one_goes_on() {
    let log = Arc::new(MemoryLog::default());
    let opening = || {
        let controller = Controller::builder().log(log.clone()).build();
        async move {
            let (setup, mut peer) = setup();
            let setup = setup.id(SessionId::from(1));
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
    let events = log
        .read(SessionId::from(1), 0, PageLimit::ALL)
        .await
        .unwrap();
    let sequences = events.iter().map(|event| event.sequence);
    assert!(sequences.eq(1..=events.len() as u64), "{events:?}");
}
