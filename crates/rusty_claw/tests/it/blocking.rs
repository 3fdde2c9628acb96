//! The blocking façade.

use std::time::Duration;

use rusty_claw::{ClosedBy, Options, SessionError, StartError, blocking};
use serde_json::json;

use crate::peer::{Peer, ToPeer};

/// A peer on a thread of its own that answers one prompt and the question whether to end.
fn answering() -> (ToPeer, std::thread::JoinHandle<()>) {
    let (transport, mut peer) = Peer::pair();
    let played = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime");
        runtime.block_on(async move {
            peer.answer_initialize().await;
            let prompt = peer.read().await;
            assert_eq!(prompt["message"]["content"], "Hi");
            peer.answer_prompt(&prompt).await;
            let next = peer.read().await;
            if next["request"]["subtype"] == "interrupt" {
                peer.succeed(&next, json!({"still_queued": []})).await;
                peer.read().await;
            }
        });
    });
    (transport, played)
}

#[test]
fn a_script_asks_reads_and_closes() {
    let (transport, played) = answering();
    let mut session = blocking::Session::start_on(transport, Options::new()).expect("started");
    let outcome = session.ask("Hi").expect("asked");
    assert_eq!(outcome.into_text().expect("an answer"), "Hello!");
    let first = session.next().expect("readable").expect("a message");
    assert_eq!(first.message.message_type(), "command_lifecycle");
    session.interrupt().expect("a receipt");
    let report = session.close().expect("closed");
    assert_eq!(report.by, ClosedBy::EndSession);
    played.join().expect("played");
}

#[test]
fn a_turn_is_an_iterator_that_ends_with_its_outcome() {
    let (transport, played) = answering();
    let session = blocking::Session::start_on(transport, Options::new()).expect("started");
    let mut turn = session.chat("Hi").expect("sent");
    let mut events = turn.by_ref().map(|event| event.expect("readable"));
    let last = events.by_ref().last();
    assert!(
        matches!(last, Some(rusty_claw::TurnEvent::Outcome(_))),
        "{last:?}"
    );
    assert!(turn.next_message().expect("readable").is_none());
    assert!(turn.outcome().expect("waited").is_success());
    session.close().expect("closed");
    played.join().expect("played");
}

#[test]
fn dropping_closes_and_waits() {
    let (transport, played) = answering();
    let session = blocking::Session::start_on(transport, Options::new()).expect("started");
    let turn = session.send("Hi").expect("sent");
    assert!(session.outcome(turn).expect("waited").is_success());
    let handle = session.handle().clone();
    drop(session);
    let is_over = futures_now(handle.ended());
    assert!(is_over, "the session is over when drop returns");
    played.join().expect("played");
}

/// Whether a future is done without waiting.
fn futures_now(future: impl Future) -> bool {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    std::pin::pin!(future).poll(&mut context).is_ready()
}

#[tokio::test]
async fn inside_async_it_is_an_error_and_no_panic() {
    let error = blocking::query("Hi", Options::new()).expect_err("refused");
    assert!(matches!(error, StartError::InsideAsync), "{error:?}");
    assert!(error.to_string().contains("std::thread::spawn"), "{error}");
    let (transport, played) = answering();
    let started = std::thread::spawn(|| blocking::Session::start_on(transport, Options::new()));
    let session = started.join().expect("joined").expect("started");
    let refused = session.send("Hi");
    assert!(
        matches!(refused, Err(SessionError::InsideAsync)),
        "{refused:?}"
    );
    // Dropping it here closes it in the background, and does not panic either.
    drop(session);
    tokio::time::sleep(Duration::from_millis(10)).await;
    drop(played);
}
