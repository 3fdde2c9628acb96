//! What happens when time runs out.

use std::time::Duration;

use rusty_claw::{EndCause, Options, Query, StartError, TurnLimit, TurnOutcome};
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
    let (turn, prompt) = peer.prompt(&session, "Hi").await;
    let id = prompt["uuid"].as_str().expect("an id").to_owned();
    peer.lifecycle(&id, "started").await;
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
    let (turn, prompt) = peer.prompt(&session, "Hi").await;
    peer.lifecycle(&prompt["uuid"], "queued").await;
    assert_eq!(limit_of(&turn.await), Some(TurnLimit::Turn));
    let taken_back = peer.read().await;
    assert_eq!(taken_back["request"]["subtype"], "cancel_async_message");
    assert_eq!(taken_back["request"]["message_uuid"], prompt["uuid"]);
}

#[tokio::test(start_paused = true)]
async fn a_cli_that_stops_reacting_after_its_first_turn_is_ended() {
    let options = Options::new().turn_timeout(Duration::from_secs(1));
    let (session, _messages, mut peer) = Peer::session(options).await;
    let (first, prompt) = peer.prompt(&session, "Hi").await;
    peer.answer_prompt(&prompt).await;
    assert!(first.await.is_success());
    let (second, _) = peer.prompt(&session, "Again").await;
    assert_eq!(limit_of(&second.await), Some(TurnLimit::Turn));
    let asked = peer.read().await;
    assert_eq!(asked["request"]["subtype"], "cancel_async_message");
    let end = tokio::time::timeout(Duration::from_secs(60), session.ended()).await;
    let end = end.expect("it does not go on for ever");
    assert_eq!(end.cause, EndCause::Unresponsive);
}

#[tokio::test(start_paused = true)]
async fn a_cli_that_takes_a_prompt_back_goes_on() {
    let options = Options::new().turn_timeout(Duration::from_secs(1));
    let (session, _messages, mut peer) = Peer::session(options).await;
    let (turn, prompt) = peer.prompt(&session, "Hi").await;
    peer.lifecycle(&prompt["uuid"], "queued").await;
    assert_eq!(limit_of(&turn.await), Some(TurnLimit::Turn));
    let taken_back = peer.read().await;
    peer.succeed(&taken_back, json!({"cancelled": true})).await;
    let over = tokio::time::timeout(Duration::from_secs(60), session.ended()).await;
    assert!(over.is_err(), "it answered: {over:?}");
}

/// Options of a session that soon has no room for messages.
fn no_room() -> Options {
    Options::new()
        .unread_in_memory(1)
        .unread_in_file(1)
        .idle_timeout(Duration::from_secs(60))
}

#[tokio::test]
async fn messages_that_nobody_reads_do_not_keep_a_turn_from_its_outcome() {
    let options = no_room().idle_timeout(Duration::from_millis(300));
    let (session, mut messages, mut peer) = Peer::session(options).await;
    let (turn, prompt) = peer.prompt(&session, "Hi").await;
    for number in 0..10 {
        peer.write(json!({"type": "news", "number": number})).await;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    peer.answer_prompt(&prompt).await;
    let outcome = tokio::time::timeout(Duration::from_secs(20), turn.outcome()).await;
    let outcome = outcome.expect("it comes though nobody reads");
    assert_eq!(limit_of(&outcome), Some(TurnLimit::Unread), "{outcome}");
    assert!(session.lane_counts().stalls > 0);
    let stop = peer.read().await;
    assert_eq!(stop["request"]["subtype"], "interrupt");
    peer.succeed(&stop, json!({"still_queued": []})).await;
    drop(peer);
    let mut seen = 0;
    while messages.next().await.is_some() {
        seen += 1;
    }
    assert_eq!(seen, 15, "nothing is lost");
}

#[tokio::test]
async fn messages_that_are_read_late_are_no_reason_to_give_up() {
    let (session, mut messages, mut peer) = Peer::session(no_room()).await;
    let (turn, prompt) = peer.prompt(&session, "Hi").await;
    for number in 0..10 {
        peer.write(json!({"type": "news", "number": number})).await;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    peer.answer_prompt(&prompt).await;
    assert!(session.lane_counts().stalls > 0);
    let reading = tokio::spawn(async move { while messages.next().await.is_some() {} });
    assert!(turn.await.is_success());
    drop((session, peer));
    reading.await.expect("read");
}

/// A result that does not name its prompts, as older CLIs print it.
fn plain_result(text: &str) -> serde_json::Value {
    json!({"type": "result", "subtype": "success", "is_error": false, "result": text})
}

#[tokio::test(start_paused = true)]
async fn without_receipts_prompts_that_were_answered_together_have_their_outcomes() {
    let (session, _messages, mut peer) = Peer::session(Options::new()).await;
    let mut turns = Vec::new();
    for prompt in ["one", "two", "three"] {
        turns.push(session.send(prompt).await.expect("sent"));
        peer.read().await;
    }
    let init = json!({"type": "system", "subtype": "init"});
    peer.write(init.clone()).await;
    peer.write(plain_result("first")).await;
    // It works on the rest, and thinks for a while.
    peer.write(init).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    peer.write(plain_result("rest")).await;
    peer.write(json!({"type": "prompt_suggestion", "suggestion": "more"}))
        .await;
    let mut texts = Vec::new();
    for turn in turns {
        let text = tokio::time::timeout(Duration::from_secs(60), turn.text()).await;
        texts.push(text.expect("in time").expect("an answer"));
    }
    assert_eq!(texts, ["first", "rest", "rest"]);
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
    let (turn, _prompt) = peer.prompt(&session, "Hi").await;
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

/// A tool call, as the CLI prints it before the tool runs.
fn tool_use(id: &str) -> serde_json::Value {
    json!({"type": "assistant", "message": {"role": "assistant", "content": [
        {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "make"}}]}})
}

fn tool_result(id: &str) -> serde_json::Value {
    json!({"type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": id, "content": "done"}]}})
}

#[tokio::test(start_paused = true)]
async fn a_running_tool_is_not_silence() {
    let options = Options::new().idle_timeout(Duration::from_secs(60));
    let (session, _messages, mut peer) = Peer::session(options).await;
    let (turn, prompt) = peer.prompt(&session, "Build it").await;
    peer.write(tool_use("a")).await;
    peer.write(tool_use("b")).await;
    tokio::time::sleep(Duration::from_secs(50)).await;
    peer.write(tool_result("a")).await;
    tokio::time::sleep(Duration::from_secs(3600)).await;
    peer.write(tool_result("b")).await;
    peer.answer_prompt(&prompt).await;
    let outcome = turn.await;
    assert!(outcome.is_success(), "{outcome}");
}

#[tokio::test(start_paused = true)]
async fn silence_after_a_tool_has_ended_counts() {
    let options = Options::new().idle_timeout(Duration::from_secs(60));
    let (session, _messages, mut peer) = Peer::session(options).await;
    let (turn, prompt) = peer.prompt(&session, "Build it").await;
    peer.write(tool_use("a")).await;
    peer.write(tool_result("a")).await;
    assert_eq!(limit_of(&turn.await), Some(TurnLimit::Idle));
    let stop = peer.read().await;
    peer.succeed(&stop, json!({"still_queued": []})).await;
    // A call without a result ends with its turn at the latest.
    peer.write(tool_use("b")).await;
    peer.answer_prompt(&prompt).await;
    let (turn, _) = peer.prompt(&session, "Again").await;
    assert_eq!(limit_of(&turn.await), Some(TurnLimit::Idle));
}

#[tokio::test(start_paused = true)]
async fn a_tool_result_that_is_cut_ends_its_call() {
    let long = "x".repeat(1000);
    let entry = |kind: &str, block: String| {
        format!(r#"{{"type":"{kind}","message":{{"role":"{kind}","content":[{block}]}}}}"#) + "\n"
    };
    let call = |id: &str| {
        let block = format!(r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}"#);
        entry("assistant", block)
    };
    // The CLI writes the id before the content, but behind the text of an error.
    for result in [
        format!(r#"{{"tool_use_id":"a","type":"tool_result","content":"{long}"}}"#),
        format!(r#"{{"type":"tool_result","content":"{long}","tool_use_id":"a"}}"#),
    ] {
        let options = Options::new()
            .max_line(300)
            .idle_timeout(Duration::from_secs(60));
        let (session, _messages, mut peer) = Peer::session(options).await;
        let (turn, _) = peer.prompt(&session, "Build it").await;
        peer.write_raw(call("a").as_bytes()).await;
        peer.write_raw(entry("user", result).as_bytes()).await;
        let outcome = tokio::time::timeout(Duration::from_secs(600), turn).await;
        let outcome = outcome.expect("no call runs");
        assert_eq!(limit_of(&outcome), Some(TurnLimit::Idle));
    }
}

#[tokio::test(start_paused = true)]
async fn a_cut_line_does_not_end_the_calls_of_others() {
    let options = Options::new()
        .max_line(300)
        .idle_timeout(Duration::from_secs(60));
    let (session, _messages, mut peer) = Peer::session(options).await;
    let (turn, prompt) = peer.prompt(&session, "Build it").await;
    peer.write(tool_use("a")).await;
    let long = "x".repeat(1000);
    for block in [
        format!(r#"{{"tool_use_id":"b","type":"tool_result","content":"{long}"}}"#),
        format!(r#"{{"type":"text","text":"{long}"}}"#),
    ] {
        let line = format!(r#"{{"type":"user","message":{{"content":[{block}]}}}}"#) + "\n";
        peer.write_raw(line.as_bytes()).await;
    }
    tokio::time::sleep(Duration::from_secs(3600)).await;
    peer.answer_prompt(&prompt).await;
    let outcome = turn.await;
    assert!(outcome.is_success(), "{outcome}");
}

#[tokio::test(start_paused = true)]
async fn a_cli_that_does_not_even_answer_an_interrupt_is_ended() {
    let options = Options::new().turn_timeout(Duration::from_secs(1));
    let (session, _messages, mut peer) = Peer::session(options).await;
    let (turn, _) = peer.prompt(&session, "Hi").await;
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

#[tokio::test]
async fn a_prompt_without_a_result_has_no_text() {
    let (session, _messages, mut peer) = Peer::session(Options::new()).await;
    let (turn, prompt) = peer.prompt(&session, "/quiet").await;
    for state in ["started", "completed"] {
        peer.lifecycle(&prompt["uuid"], state).await;
    }
    peer.session_state("idle").await;
    let outcome = turn.await;
    assert!(outcome.is_success());
    assert_eq!(outcome.text(), None);
    let shown = "ended without a text: the CLI gave no result for it";
    assert_eq!(outcome.to_string(), shown);
    let error = outcome.into_text().expect_err("no text");
    assert!(error.to_string().ends_with(shown), "{error}");
}

#[tokio::test]
async fn a_query_whose_prompt_is_not_taken_names_the_limit() {
    let limit = Duration::from_millis(300);
    let (session, messages, _peer) = Peer::session(Options::new().control_timeout(limit)).await;
    // More than fits into an unread pipe.
    let prompt = "x".repeat(1 << 20);
    let begun = Query::begin(session, messages, prompt.into()).await;
    let error = begun.expect_err("nobody reads");
    assert!(
        matches!(error, StartError::TimedOut { after, .. } if after == limit),
        "{error:?}"
    );
    assert!(
        error.to_string().contains("Options::control_timeout"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_query_yields_everything_up_to_the_rest() {
    for _ in 0..200 {
        let (session, messages, mut peer) = Peer::session(Options::new()).await;
        let play = tokio::spawn(async move {
            let prompt = peer.read().await;
            peer.session_state("running").await;
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

#[test]
fn a_query_yields_messages_that_were_spilled() {
    // The only thread that can read the file is busy while the turn ends.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let options = Options::new().unread_in_memory(1);
        let (session, messages, mut peer) = Peer::session(options).await;
        let handle = session.clone();
        let (begun, prompt) =
            tokio::join!(Query::begin(session, messages, "Hi".into()), peer.read());
        let mut query = begun.expect("sent");
        for number in 0..100 {
            peer.write(json!({"type": "news", "number": number})).await;
        }
        peer.answer_prompt(&prompt).await;
        while handle.lane_counts().spilled < 103 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let (release, released) = std::sync::mpsc::channel::<()>();
        tokio::task::spawn_blocking(move || released.recv());
        tokio::spawn(async move {
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            drop(release);
        });
        let mut seen = 0;
        while let Some(message) = query.next().await {
            message.expect("a message");
            seen += 1;
        }
        assert_eq!(seen, 105);
    });
}
