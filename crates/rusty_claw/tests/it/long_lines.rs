//! A limit on the length of lines truncates messages, but not control frames.

use std::time::Duration;

use rusty_claw::permission::{PermissionAnswer, PermissionAsk};
use rusty_claw::{Line, Options};
use serde_json::{Value, json};

use crate::peer::Peer;

const LIMIT: usize = 200;

fn long() -> String {
    "x".repeat(10 * LIMIT)
}

async fn answer_of(peer: &mut Peer) -> Value {
    tokio::time::timeout(Duration::from_secs(10), peer.read())
        .await
        .expect("an answer and no silence")
}

#[tokio::test]
async fn a_long_question_is_answered() {
    let options = Options::new()
        .max_line(LIMIT)
        .can_use_tool(|ask: PermissionAsk| async move {
            PermissionAnswer::deny(format!("{} bytes", ask.input().text().len()))
        });
    let (_session, _messages, mut peer) = Peer::session(options).await;
    peer.write(
        json!({"type": "control_request", "request_id": "q", "request": {
        "subtype": "can_use_tool", "tool_name": "Write", "tool_use_id": "t",
        "input": {"content": long()}}}),
    )
    .await;
    let answer = answer_of(&mut peer).await;
    assert_eq!(answer["response"]["request_id"], "q");
    let said = answer["response"]["response"]["message"].as_str();
    assert!(
        said.is_some_and(|said| said.contains("2014 bytes")),
        "{answer}"
    );
}

#[tokio::test]
async fn long_questions_that_nobody_handles_are_refused() {
    let (_session, _messages, mut peer) = Peer::session(Options::new().max_line(LIMIT)).await;
    for kind in ["can_use_tool", "hook_callback", "mcp_message", "news"] {
        // The type comes first, as the CLI writes it.
        let question = format!(
            r#"{{"type":"control_request","request_id":"{kind}","request":{{"subtype":"{kind}","text":"{}"}}}}"#,
            long()
        );
        peer.write_raw(format!("{question}\n").as_bytes()).await;
        let answer = answer_of(&mut peer).await;
        assert_eq!(answer["response"]["request_id"], kind);
        assert_ne!(answer["response"]["response"]["behavior"], "allow");
    }
}

#[tokio::test]
async fn a_long_result_ends_its_turn_and_a_long_message_is_cut() {
    let (session, mut messages, mut peer) = Peer::session(Options::new().max_line(LIMIT)).await;
    let (turn, prompt) = peer.prompt(&session, "Hi").await;
    let id = prompt["uuid"].as_str().expect("an id");
    // As the CLI writes them: a message begins with its type, a result does not.
    let message = format!(
        r#"{{"type":"assistant","message":{{"content":"{}"}}}}"#,
        long()
    );
    peer.write_raw(format!("{message}\n").as_bytes()).await;
    let answer = format!(
        r#"{{"is_error":false,"result":"{}","user_message_uuids":["{id}"],"subtype":"success","type":"result"}}"#,
        long()
    );
    peer.write_raw(format!("{answer}\n").as_bytes()).await;
    let outcome = tokio::time::timeout(Duration::from_secs(10), turn.outcome());
    let outcome = outcome.await.expect("an outcome");
    assert_eq!(outcome.text(), Some(long().as_str()));

    let cut = messages.next().await.expect("a line");
    assert!(!matches!(cut, Line::Message(_)), "{cut:?}");
    assert_eq!(cut.raw().as_bytes(), &message.as_bytes()[..LIMIT]);
    let at = messages.offset();
    let whole = messages.next().await.expect("a line");
    assert_eq!(whole.raw().as_bytes(), answer.as_bytes());
    assert_eq!(messages.offset(), at + answer.len() as u64 + 1);
}
