//! Sessions, against a peer that a test scripts.

use std::time::Duration;

use rusty_claw::messages::Message;
use rusty_claw::{ClosedBy, EndCause, Options, Session, SessionError, StartError, TurnOutcome};
use serde_json::json;

use crate::peer::{Peer, result};

const SOON: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_prompt_is_answered_and_the_session_closed() {
    let (session, mut messages, mut peer) = Peer::session(Options::new()).await;
    let played = tokio::spawn(async move {
        let prompt = peer.read().await;
        assert_eq!(prompt["type"], "user");
        assert_eq!(prompt["message"]["content"], "Hi");
        peer.answer_prompt(&prompt).await;
        let end = peer.read().await;
        assert_eq!(end["request"]["subtype"], "end_session");
    });
    let turn = session.send("Hi").await.expect("sent");
    let outcome = turn.await;
    assert_eq!(outcome.text(), Some("Hello!"));
    assert_eq!(
        outcome.report().and_then(|report| report.cost_usd),
        Some(0.5)
    );
    assert_eq!(session.session_id().as_deref(), Some("5e5e"));
    let report = session.close().await;
    assert_eq!(report.by, ClosedBy::EndSession);
    played.await.expect("played");
    let mut seen = Vec::new();
    while let Some(received) = messages.next_message().await {
        seen.push(received.message.message_type().to_owned());
    }
    assert_eq!(
        seen,
        [
            "command_lifecycle",
            "command_lifecycle",
            "assistant",
            "result",
            "command_lifecycle"
        ]
    );
    assert!(matches!(
        session.send("more").await,
        Err(SessionError::Over { .. })
    ));
}

#[tokio::test]
async fn an_interrupt_overtakes_ten_thousand_unread_messages() {
    let (session, mut messages, mut peer) = Peer::session(Options::new()).await;
    let played = tokio::spawn(async move {
        let prompt = peer.read().await;
        for number in 0..10_000 {
            peer.write(
                json!({"type": "assistant", "number": number, "message": {"role": "assistant",
                "content": [{"type": "text", "text": "x".repeat(200)}]}}),
            )
            .await;
        }
        let interrupt = peer.read().await;
        peer.succeed(&interrupt, json!({"still_queued": []})).await;
        let id = prompt["uuid"].as_str().expect("an id");
        let mut aborted = result(id);
        aborted["terminal_reason"] = "aborted_streaming".into();
        peer.write(aborted).await;
        peer
    });
    let turn = session.send("Hi").await.expect("sent");
    while session.lane_counts().delivered < 10_000 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Behind the unread messages the receipt would never arrive.
    let receipt = tokio::time::timeout(Duration::from_secs(20), session.interrupt());
    let receipt = receipt.await.expect("in time").expect("a receipt");
    assert!(receipt.still_queued.is_empty());
    assert_eq!(turn.await.name(), "interrupted");
    let peer = played.await.expect("played");
    drop(peer);
    let mut count = 0;
    while messages.next().await.is_some() {
        count += 1;
    }
    assert_eq!(count, 10_001, "nothing is lost");
}

#[tokio::test]
async fn a_process_that_ends_in_a_turn_is_the_turns_outcome() {
    let (session, _messages, mut peer) = Peer::session(Options::new()).await;
    let turn = session.send("Hi").await.expect("sent");
    let asking = tokio::spawn({
        let session = session.clone();
        async move { session.interrupt().await }
    });
    peer.read_until(|line| line["type"] == "control_request")
        .await;
    drop(peer);
    let outcome = tokio::time::timeout(SOON, turn.outcome())
        .await
        .expect("in time");
    let TurnOutcome::ProcessLost(end) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(end.cause, EndCause::Lost);
    let next = session.send("more").await;
    assert!(matches!(next, Err(SessionError::Over { .. })), "{next:?}");
    let answer = asking.await.expect("joined");
    assert!(
        matches!(answer, Err(SessionError::Over { .. })),
        "{answer:?}"
    );
    assert_eq!(session.close().await.by, ClosedBy::AlreadyOver);
}

#[tokio::test]
async fn the_text_of_a_turn_is_its_answer_or_why_there_is_none() {
    let (session, _messages, mut peer) = Peer::session(Options::new()).await;
    let (turn, prompt) = peer.prompt(&session, "Hi").await;
    peer.answer_prompt(&prompt).await;
    assert_eq!(turn.text().await.expect("an answer"), "Hello!");
    let turn = session.send("Die").await.expect("sent");
    drop(peer);
    let error = turn.text().await.expect_err("it died");
    assert_eq!(error.outcome.name(), "process lost");
}

#[tokio::test]
async fn a_dropped_request_is_withdrawn() {
    let (session, _messages, mut peer) = Peer::session(Options::new()).await;
    let asking = tokio::spawn({
        let session = session.clone();
        async move { session.interrupt().await }
    });
    let request = peer.read().await;
    asking.abort();
    let cancel = peer.read().await;
    assert_eq!(cancel["type"], "control_cancel_request");
    assert_eq!(cancel["request_id"], request["request_id"]);
}

#[tokio::test]
async fn lines_that_are_no_messages_are_handed_on() {
    let (session, mut messages, mut peer) = Peer::session(Options::new()).await;
    peer.write_raw(b"Segmentation fault\n{\"type\":\"news\"}\n\xff\xfe\n{\"ty")
        .await;
    drop(peer);
    let mut raw = Vec::new();
    while let Some(line) = messages.next().await {
        raw.push(line.raw().as_bytes().to_vec());
    }
    let expected: [&[u8]; 4] = [
        b"Segmentation fault",
        b"{\"type\":\"news\"}",
        b"\xff\xfe",
        b"{\"ty",
    ];
    assert_eq!(raw, expected);
    session.ended().await;
}

#[tokio::test]
async fn a_question_nobody_handles_is_refused_at_once() {
    let (_session, _messages, mut peer) = Peer::session(Options::new()).await;
    peer.write(json!({"type": "control_request", "request_id": "q1",
        "request": {"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "t"}}))
        .await;
    let answer = peer.read().await;
    assert_eq!(answer["response"]["request_id"], "q1");
    assert_ne!(answer["response"]["response"]["behavior"], "allow");
    peer.write(json!({"type": "control_request", "request_id": "q2",
        "request": {"subtype": "invented_tomorrow"}}))
        .await;
    let answer = peer.read().await;
    assert_eq!(answer["response"]["subtype"], "error");
}

#[tokio::test]
async fn a_reason_on_standard_output_explains_a_start_that_failed() {
    let (transport, mut peer) = Peer::pair();
    let play = async {
        peer.read().await;
        peer.write(
            json!({"type": "result", "subtype": "error_during_execution", "is_error": true,
            "errors": ["No conversation found with session ID: 1"]}),
        )
        .await;
        drop(peer);
    };
    let (started, ()) = tokio::join!(Session::start_on(transport, Options::new()), play);
    let error = started.expect_err("no session");
    assert!(matches!(error, StartError::Ended { .. }), "{error:?}");
    assert!(
        error.to_string().contains("No conversation found"),
        "{error}"
    );
}

#[tokio::test]
async fn dropping_the_last_handle_closes_the_session() {
    let (session, messages, mut peer) = Peer::session(Options::new()).await;
    drop((session, messages));
    let end = peer.read().await;
    assert_eq!(end["request"]["subtype"], "end_session");
    assert!(
        tokio::time::timeout(SOON, peer.is_closed())
            .await
            .expect("in time")
    );
}

#[tokio::test]
async fn a_refused_request_says_why() {
    let (session, _messages, mut peer) = Peer::session(Options::new()).await;
    let play = async {
        let request = peer.read().await;
        peer.write(
            json!({"type": "control_response", "response": {"subtype": "error",
            "request_id": request["request_id"], "error": "Not now", "error_code": "busy"}}),
        )
        .await;
    };
    let (answer, ()) = tokio::join!(session.interrupt(), play);
    let error = answer.expect_err("refused");
    assert_eq!(error.to_string(), "the CLI refused interrupt: Not now");
}

#[tokio::test]
async fn messages_come_before_the_outcome_they_lead_to() {
    let (session, mut messages, mut peer) = Peer::session(Options::new()).await;
    let (turn, prompt) = peer.prompt(&session, "Hi").await;
    peer.answer_prompt(&prompt).await;
    assert!(turn.await.is_success());
    // Everything up to the result can be read without waiting.
    let mut seen = Vec::new();
    while seen.last().is_none_or(|last| last != "result") {
        let next = tokio::time::timeout(Duration::ZERO, messages.next_message()).await;
        let received = next.expect("it is there already").expect("a message");
        if let Message::Result(_) = received.message {
            assert!(!received.message.is_error());
        }
        seen.push(received.message.message_type().to_owned());
    }
}

#[test]
fn secrets_do_not_show_in_debug_output() {
    let options = Options::new()
        .env("ANTHROPIC_API_KEY", "sk-secret")
        .extra_flag("--name", Some("sk-secret"))
        .append_system_prompt("sk-secret");
    assert!(!format!("{options:?}").contains("sk-secret"), "{options:?}");
}
