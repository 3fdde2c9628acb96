//! What happens when time runs out.

use std::time::Duration;

use rusty_claw::{EndCause, Options, Query, TurnLimit, TurnOutcome};
use serde_json::json;

use crate::peer::{Peer, result};

fn limit_of(outcome: &TurnOutcome) -> Option<TurnLimit> {
    match outcome {
        TurnOutcome::TimedOut { limit, .. } => Some(*limit),
        _ => None,
    }
}

#[tokio::test]
async fn a_turn_that_takes_too_long_is_stopped_and_the_session_goes_on() {
    let options = Options::new().turn_timeout(Duration::from_millis(200));
    let (session, _messages, mut peer) = Peer::session(options).await;
    let turn = session.send("Hi").await.expect("sent");
    let prompt = peer.read().await;
    let id = prompt["uuid"].as_str().expect("an id").to_owned();
    peer.write(json!({"type": "command_lifecycle", "command_uuid": id, "state": "started"}))
        .await;
    assert_eq!(limit_of(&turn.await), Some(TurnLimit::Turn));
    let stop = peer.read().await;
    assert_eq!(stop["request"]["subtype"], "interrupt");
    peer.succeed(&stop, json!({"still_queued": []})).await;
    peer.write(result(&id)).await;
    let next = session
        .send("Again")
        .await
        .expect("the session is not over");
    let prompt = peer.read().await;
    peer.answer_prompt(&prompt).await;
    assert!(next.await.is_success());
}

#[tokio::test]
async fn a_prompt_that_waits_too_long_is_taken_back_and_nothing_else_is_stopped() {
    let options = Options::new().turn_timeout(Duration::from_millis(200));
    let (session, _messages, mut peer) = Peer::session(options).await;
    let turn = session.send("Hi").await.expect("sent");
    let prompt = peer.read().await;
    let state =
        json!({"type": "command_lifecycle", "command_uuid": prompt["uuid"], "state": "queued"});
    peer.write(state).await;
    assert_eq!(limit_of(&turn.await), Some(TurnLimit::Turn));
    let taken_back = peer.read().await;
    assert_eq!(taken_back["request"]["subtype"], "cancel_async_message");
    assert_eq!(taken_back["request"]["message_uuid"], prompt["uuid"]);
}

#[tokio::test]
async fn silence_ends_all_turns_but_not_while_the_cli_waits_for_an_answer() {
    let options = Options::new()
        .idle_timeout(Duration::from_millis(300))
        .can_use_tool(|_ask| async {
            tokio::time::sleep(Duration::from_millis(900)).await;
            rusty_claw::permission::PermissionAnswer::deny("no")
        });
    let (session, _messages, mut peer) = Peer::session(options).await;
    let turn = session.send("Hi").await.expect("sent");
    let _prompt = peer.read().await;
    peer.write(
        json!({"type": "control_request", "request_id": "q", "request": {
        "subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "t", "input": {}}}),
    )
    .await;
    let answer = peer.read().await;
    assert_eq!(answer["type"], "control_response", "{answer}");
    assert_eq!(limit_of(&turn.await), Some(TurnLimit::Idle));
    let stop = peer.read().await;
    assert_eq!(stop["request"]["cancel_queued"], true);
}

#[tokio::test(start_paused = true)]
async fn a_cli_that_does_not_even_answer_an_interrupt_is_ended() {
    let options = Options::new().turn_timeout(Duration::from_secs(1));
    let (session, _messages, mut peer) = Peer::session(options).await;
    let turn = session.send("Hi").await.expect("sent");
    peer.read().await;
    assert_eq!(limit_of(&turn.await), Some(TurnLimit::Turn));
    let end = session.ended().await;
    assert_eq!(end.cause, EndCause::Unresponsive);
}

#[tokio::test]
async fn a_second_prompt_of_the_same_id_fails_and_the_first_does_not() {
    let (session, _messages, mut peer) = Peer::session(Options::new()).await;
    let first = session
        .send(rusty_claw::Prompt::text("a").with_id("one"))
        .await
        .expect("sent");
    let second = session
        .send(rusty_claw::Prompt::text("b").with_id("one"))
        .await
        .expect("told");
    assert_eq!(second.await.name(), "failed");
    let prompt = peer.read().await;
    peer.answer_prompt(&prompt).await;
    assert!(first.await.is_success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_yields_everything_up_to_the_rest() {
    for _ in 0..200 {
        let (session, messages, mut peer) = Peer::session(Options::new()).await;
        let play = tokio::spawn(async move {
            let prompt = peer.read().await;
            peer.write(
                json!({"type": "system", "subtype": "session_state_changed", "state": "running"}),
            )
            .await;
            peer.answer_prompt(&prompt).await;
            let rest = concat!(
                r#"{"type":"prompt_suggestion","suggestion":"more"}"#,
                "\n",
                r#"{"type":"system","subtype":"session_state_changed","state":"idle"}"#,
                "\n",
            );
            peer.write_raw(rest.as_bytes()).await;
            peer
        });
        let mut query = Query::begin(session, messages, "Hi".into())
            .await
            .expect("sent");
        let mut seen = Vec::new();
        while let Some(message) = query.next().await {
            seen.push(
                message
                    .expect("a message")
                    .message
                    .message_type()
                    .to_owned(),
            );
        }
        assert_eq!(seen.len(), 8, "{seen:?}");
        assert_eq!(seen.last().map(String::as_str), Some("system"));
        drop(play.await.expect("played"));
    }
}
