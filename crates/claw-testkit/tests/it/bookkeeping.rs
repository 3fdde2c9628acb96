//! What the server remembers, and the endpoints beside the conversation.

use claw_testkit::{AnsweredBy, ApiOptions, Match, ScriptedApi, Turn};
use serde_json::{Value, json};

use crate::client::{ask, message, post, send};

#[tokio::test]
async fn running_dry_is_loud() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(Turn::text("only one"));
    ask(&api, true).await;
    let reply = ask(&api, true).await;
    assert_eq!(reply.status, 500);
    assert_eq!(reply.json()["error"]["type"], "api_error");
    assert_eq!(
        reply.json()["error"]["message"],
        "scripted API ran dry: request 2 had no turn"
    );
    assert_eq!(api.requests()[1].answered_by, AnsweredBy::RanDry);
    let unfinished = api.finish().unwrap_err();
    assert_eq!(unfinished.ran_dry.len(), 1);
    assert_eq!(unfinished.ran_dry[0].index, 2);
    assert!(unfinished.leftover.is_empty());
    assert!(
        unfinished
            .to_string()
            .contains("request 2: model claude-test-1, stream")
    );
}

#[tokio::test]
async fn leftover_turns_are_named() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(Turn::text("asked"))
        .turn(Turn::text("never").tool_use("toolu_1", "Bash", json!({})))
        .turn(Turn::error(529, "overloaded_error", "x"));
    assert_eq!(api.remaining(), 3);
    ask(&api, false).await;
    assert_eq!(api.remaining(), 2);
    let unfinished = api.finish().unwrap_err();
    assert!(unfinished.ran_dry.is_empty());
    assert_eq!(
        unfinished.leftover,
        [
            "turn 2: message [text \"never\", tool_use Bash]",
            "turn 3: error 529 overloaded_error"
        ]
    );
}

#[tokio::test]
async fn requests_are_recorded_without_credentials() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("requests.ndjson");
    let options = ApiOptions {
        capture: Some(file.clone()),
        ..ApiOptions::default()
    };
    let api = ScriptedApi::start_with(options).await.unwrap();
    api.turn(Turn::text("a"));
    ask(&api, true).await;
    send(&api, "GET", "/v1/models", "").await.unwrap();

    let requests = api.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].index, 1);
    assert_eq!(requests[0].method, "POST");
    assert_eq!(requests[0].path, "/v1/messages");
    assert_eq!(requests[0].query.as_deref(), Some("beta=true"));
    assert_eq!(requests[0].header("x-app"), Some("test"));
    assert_eq!(requests[0].header("x-api-key"), None);
    assert_eq!(requests[0].header("authorization"), None);
    assert_eq!(requests[0].body, message(true));
    assert_eq!(requests[1].body, Value::Null);

    let captured = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<Value> = captured
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(
        lines,
        requests
            .iter()
            .map(|r| serde_json::to_value(r).unwrap())
            .collect::<Vec<_>>()
    );
    assert!(!captured.contains("secret"), "{captured}");
}

#[tokio::test]
async fn requests_can_be_forgotten() {
    let options = ApiOptions {
        forgets_requests: true,
        ..ApiOptions::default()
    };
    let api = ScriptedApi::start_with(options).await.unwrap();
    api.fallback(Turn::text("a"));
    ask(&api, false).await;
    api.arrived(1).await;
    assert!(api.requests().is_empty());
}

#[tokio::test]
async fn a_half_emoji_in_a_request_does_not_hide_the_rest_of_it() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(Turn::text("a"));
    let body = message(true)
        .to_string()
        .replace("hello", "half \\ud83d here");
    let reply = send(&api, "POST", "/v1/messages", &body).await.unwrap();
    assert_eq!(reply.text(), "a");
    assert_eq!(api.requests()[0].last_user_text(), "half \u{fffd} here");
}

#[tokio::test]
async fn token_counts_are_a_quarter_of_the_characters() {
    let api = ScriptedApi::start().await.unwrap();
    let body = message(false);
    let reply = post(&api, "/v1/messages/count_tokens?beta=true", &body)
        .await
        .unwrap();
    assert_eq!(
        reply.json(),
        json!({"input_tokens": body.to_string().len() / 4})
    );
    assert_eq!(api.requests()[0].answered_by, AnsweredBy::BuiltIn);
}

#[tokio::test]
async fn side_endpoints_answer_and_unknown_ones_are_recorded_but_not_fatal() {
    let api = ScriptedApi::start().await.unwrap();
    let models = send(&api, "GET", "/v1/models", "").await.unwrap();
    assert_eq!(models.json()["data"], json!([]));
    let alive = send(&api, "HEAD", "/", "").await.unwrap();
    assert_eq!((alive.status, alive.body.as_str()), (200, ""));
    let unknown = post(&api, "/api/event_logging", &json!({"a": 1}))
        .await
        .unwrap();
    assert_eq!(unknown.status, 404);
    assert_eq!(unknown.json()["error"]["type"], "not_found_error");
    let last = api.requests().pop().unwrap();
    assert_eq!((last.index, last.answered_by), (3, AnsweredBy::NotFound));
    api.finish().unwrap();
}

#[tokio::test]
async fn a_port_can_be_chosen() {
    // Another process may use a port before this test does, but not five times in a row.
    for _ in 0..5 {
        let free = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let options = ApiOptions {
            port: free,
            ..ApiOptions::default()
        };
        if let Ok(api) = ScriptedApi::start_with(options).await {
            assert_eq!(api.uri(), format!("http://127.0.0.1:{free}"));
            return;
        }
    }
    panic!("no free port could be used");
}

#[tokio::test]
async fn both_kinds_of_trouble_are_told_together() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(Turn::text("kept").when(Match::new().model("small")));
    ask(&api, false).await;
    insta::assert_snapshot!(api.finish().unwrap_err(), @r#"
    the script ran dry for 1 request(s); add a turn for each:
      request 1: model claude-test-1, no stream, 0 tool(s), 1 message(s), last user text "hello"
    1 turn(s) were never asked for; remove them, or check their match rules:
      turn 1: message [text "kept"]
    "#);
}
