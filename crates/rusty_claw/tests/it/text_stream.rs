//! The text of answers, over streams of messages.

use std::time::Duration;

use rusty_claw::{Options, Prompt, Query, SessionError, TextPiece, TextStream};
use serde_json::{Value, json};

use crate::peer::{Peer, result};

fn event(event: Value) -> Value {
    json!({"type": "stream_event", "api_message_id": "m1", "parent_tool_use_id": null,
        "event": event})
}

/// "Hello!" in two deltas, then as it is stored.
async fn stream_hello(peer: &mut Peer) {
    peer.write(event(json!({"type": "content_block_start", "index": 0,
        "content_block": {"type": "text", "text": ""}})))
        .await;
    for text in ["Hel", "lo"] {
        peer.write(event(json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "text_delta", "text": text}})))
            .await;
    }
    peer.write(
        json!({"type": "assistant", "message": {"id": "m1", "role": "assistant",
        "content": [{"type": "text", "text": "Hello!"}]}}),
    )
    .await;
}

#[tokio::test]
async fn a_query_yields_its_text_as_it_is_written() {
    let (session, messages, mut peer) = Peer::session(Options::new()).await;
    let played = tokio::spawn(async move {
        let prompt = peer.read().await;
        stream_hello(&mut peer).await;
        peer.write(result(prompt["uuid"].as_str().expect("an id")))
            .await;
        peer
    });
    let query = Query::begin(session, messages, Prompt::text("Hi")).await;
    let mut pieces = query.expect("begun").text_stream();
    let mut said = Vec::new();
    while let Some(piece) = pieces.next().await {
        said.push(piece.expect("text").text().expect("text").to_owned());
    }
    assert_eq!(said, ["Hel", "lo", "!"]);
    drop(played.await.expect("played"));
}

#[tokio::test]
async fn a_lost_process_is_the_last_item_of_a_query() {
    let (session, messages, mut peer) = Peer::session(Options::new()).await;
    let played = tokio::spawn(async move {
        peer.read().await;
        stream_hello(&mut peer).await;
    });
    let query = Query::begin(session, messages, Prompt::text("Hi")).await;
    let mut pieces = query.expect("begun").text_stream();
    played.await.expect("played");
    let mut last = None;
    while let Some(piece) = pieces.next().await {
        last = Some(piece);
    }
    assert!(matches!(last, Some(Err(SessionError::Over { .. }))));
}

#[tokio::test]
async fn a_lost_process_is_the_last_item_of_a_turns_text() {
    let (session, _messages, mut peer) = Peer::session(Options::new()).await;
    let (turn, _) = tokio::join!(session.chat("Hi"), peer.read());
    let mut pieces = turn.expect("sent").text_stream();
    drop(peer);
    let last = pieces.next().await;
    assert!(
        matches!(last, Some(Err(SessionError::Over { .. }))),
        "{last:?}"
    );
    assert!(pieces.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_reached_limit_is_the_last_item_of_a_turns_text() {
    let options = Options::new().turn_timeout(Duration::from_secs(1));
    let (session, _messages, mut peer) = Peer::session(options).await;
    let (turn, _) = tokio::join!(session.chat("Hi"), peer.read());
    let mut turn = turn.expect("sent");
    let last = TextStream::new(&mut turn).next().await;
    assert!(
        matches!(last, Some(Err(SessionError::TimedOut { .. }))),
        "{last:?}"
    );
    assert_eq!(turn.outcome().await.name(), "timed out");
}

#[tokio::test]
async fn messages_can_be_read_on_after_the_text() {
    let (session, mut messages, mut peer) = Peer::session(Options::new()).await;
    let (turn, _) = peer.prompt(&session, "Hi").await;
    stream_hello(&mut peer).await;
    peer.write(result(turn.id())).await;
    let mut text = String::new();
    let mut pieces = TextStream::new(&mut messages);
    while text != "Hello!" {
        let piece = pieces.next().await.expect("more").expect("readable");
        let TextPiece::Text { text: more, .. } = piece else {
            panic!("{piece:?}");
        };
        text.push_str(&more);
    }
    let next = messages.next_message().await.expect("the result");
    assert!(next.message.is_final());
}
