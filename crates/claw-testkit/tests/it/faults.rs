//! Everything that can go wrong, on purpose.

use std::time::Duration;

use claw_testkit::{ScriptedApi, Turn};
use serde_json::json;
use tokio::io::AsyncReadExt as _;

use crate::client::{ask, message, open, post, turn};

#[tokio::test]
async fn http_errors_have_the_shape_of_the_api() {
    let api = ScriptedApi::start().await.unwrap();
    for (status, kind) in [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (403, "permission_error"),
        (404, "not_found_error"),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (529, "overloaded_error"),
    ] {
        let turn = Turn::error(status, kind, "as told")
            .header("retry-after", "7")
            .header("anthropic-ratelimit-unified-status", "rejected");
        api.turn(turn);
        let reply = ask(&api, true).await;
        assert_eq!(reply.status, status);
        assert_eq!(reply.json()["type"], "error");
        assert_eq!(reply.json()["error"]["type"], kind);
        assert_eq!(reply.json()["error"]["message"], "as told");
        assert_eq!(
            reply.header("request-id"),
            reply.json()["request_id"].as_str()
        );
        assert_eq!(reply.header("retry-after"), Some("7"));
        assert_eq!(
            reply.header("anthropic-ratelimit-unified-status"),
            Some("rejected")
        );
    }
    api.finish().unwrap();
}

#[tokio::test]
async fn a_cut_breaks_the_connection_after_exactly_so_many_events() {
    let api = ScriptedApi::start().await.unwrap();
    for events in [0, 1, 4] {
        api.turn(turn(
            json!({"text": "never complete", "pieces": {"chunks": 5}, "cut_after": events}),
        ));
        let reply = ask(&api, true).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.events().len(), events);
        assert!(!reply.complete, "the stream must not end properly");
    }
}

#[tokio::test]
async fn a_cut_loses_nothing_that_came_before_it() {
    let api = ScriptedApi::start().await.unwrap();
    let text = "x".repeat(4_000_000);
    api.turn(turn(
        json!({"text": text, "pieces": {"chunk_chars": 1_000_000}, "cut_after": 6}),
    ));
    let reply = ask(&api, true).await;
    assert_eq!(reply.text().len(), text.len());
    assert!(!reply.complete);
}

#[tokio::test]
async fn a_cut_without_a_stream_breaks_the_body_in_the_middle() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(turn(json!({"text": "never complete", "cut_after": 1})));
    let reply = ask(&api, false).await;
    let promised: usize = reply.header("content-length").unwrap().parse().unwrap();
    assert_eq!(reply.body.len(), promised / 2);
    assert!(!reply.complete);
}

#[tokio::test]
async fn a_cut_connection_does_not_harm_the_next_one() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(turn(json!({"text": "a", "cut_after": 2})))
        .turn(Turn::text("b"));
    assert!(!ask(&api, true).await.complete);
    assert_eq!(ask(&api, true).await.text(), "b");
}

#[tokio::test]
async fn an_error_event_ends_the_stream() {
    let api = ScriptedApi::start().await.unwrap();
    let error = json!({"events": 3, "type": "overloaded_error", "message": "Overloaded"});
    let broken = turn(json!({"text": "abc", "sse_error_after": error}));
    api.turn(broken.clone()).turn(broken);
    let reply = ask(&api, true).await;
    assert_eq!(
        reply.event_names(),
        [
            "message_start",
            "content_block_start",
            "content_block_delta",
            "error"
        ]
    );
    assert_eq!(
        reply.events()[3].1,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#
    );
    assert!(reply.complete, "the API ends such a stream properly");
    assert_eq!(
        ask(&api, false).await.status,
        529,
        "without a stream the error is the answer"
    );
}

#[tokio::test]
async fn a_closed_connection_says_nothing_but_is_recorded() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(turn(json!({"close_without_response": true})));
    assert!(post(&api, "/v1/messages", &message(true)).await.is_none());
    assert_eq!(api.requests().len(), 1);
    api.finish().unwrap();
}

#[tokio::test]
async fn a_hanging_stream_stays_open_and_silent() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(Turn::text("stuck").hang_after(2))
        .turn(Turn::text("free"));
    let body = message(true).to_string();
    let (mut tcp, _) = open(&api, "POST", "/v1/messages", &body, "keep-alive").await;
    let mut seen = Vec::new();
    let silence = tokio::time::timeout(Duration::from_millis(300), async {
        while tcp.read_buf(&mut seen).await.unwrap() > 0 {}
    });
    assert!(
        silence.await.is_err(),
        "the server closed a stream that should hang"
    );
    assert_eq!(
        String::from_utf8(seen).unwrap().matches("event: ").count(),
        2
    );
    drop(tcp);
    assert_eq!(ask(&api, true).await.text(), "free");
}

#[tokio::test]
async fn dropping_the_server_ends_hanging_streams_and_frees_the_port() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(Turn::text("stuck").hang_after(1));
    let body = message(true).to_string();
    let (mut tcp, _) = open(&api, "POST", "/v1/messages", &body, "keep-alive").await;
    api.arrived(1).await;
    let address = api.address();
    drop(api);
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(Duration::from_secs(5), tcp.read_to_end(&mut rest)).await;
    assert!(ended.is_ok(), "the connection outlived its server");
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}
