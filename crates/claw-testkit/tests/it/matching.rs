//! Which turn answers which request.

use claw_testkit::{AnsweredBy, Match, ScriptedApi, Turn};
use serde_json::{Value, json};

use crate::client::{ask, message, post, turn};

async fn text_for(api: &ScriptedApi, body: &Value) -> String {
    let reply = post(api, "/v1/messages", body).await.unwrap().json();
    reply["content"][0]["text"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn saying(text: &str) -> Value {
    let mut body = message(false);
    body["messages"][0]["content"] = json!([
        {"type": "text", "text": "<system-reminder>about weather</system-reminder>"},
        {"type": "text", "text": text},
    ]);
    body
}

#[tokio::test]
async fn reserved_turns_wait_for_their_request_and_the_rest_go_in_order() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(Turn::text("title one").when(Match::new().last_user_text("title")))
        .turn(Turn::text("first"))
        .turn(Turn::text("title two").when(Match::new().last_user_text("title")))
        .turn(Turn::text("second"));
    assert_eq!(text_for(&api, &saying("hello")).await, "first");
    assert_eq!(text_for(&api, &saying("a title please")).await, "title one");
    assert_eq!(text_for(&api, &saying("a title please")).await, "title two");
    assert_eq!(api.remaining(), 1);
    assert_eq!(
        text_for(&api, &saying("a title please")).await,
        "second",
        "no reserved turn left"
    );
    api.finish().unwrap();
    let by: Vec<AnsweredBy> = api
        .requests()
        .iter()
        .map(|request| request.answered_by)
        .collect();
    assert_eq!(by, [2, 1, 3, 4].map(AnsweredBy::Turn));
}

#[tokio::test]
async fn every_condition_decides() {
    let mut special = saying("needle in the text");
    special["model"] = json!("small");
    special["tools"] = json!([{"name": "Bash"}]);
    special["metadata"] = json!({"user_id": "u-17"});
    let rules = [
        json!({"model": "small"}),
        json!({"last_user_text": "needle"}),
        json!({"about": "needle"}),
        json!({"tool": "Bash"}),
        json!({"has_tools": true}),
        json!({"body_text": "\"user_id\":\"u-17\""}),
        json!({"model": "small", "tool": "Bash", "stream": false}),
    ];
    for rule in rules {
        let rule: Match = serde_json::from_value(rule).unwrap();
        let api = ScriptedApi::start().await.unwrap();
        api.turn(Turn::text("reserved").when(rule.clone()))
            .turn(Turn::text("plain"));
        assert_eq!(text_for(&api, &saying("hello")).await, "plain", "{rule:?}");
        assert_eq!(text_for(&api, &special).await, "reserved", "{rule:?}");
    }
}

#[tokio::test]
async fn the_stream_flag_decides() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(turn(json!({"text": "whole", "when": {"stream": false}})))
        .turn(Turn::text("streamed"));
    assert_eq!(ask(&api, true).await.text(), "streamed");
    assert_eq!(text_for(&api, &message(false)).await, "whole");
}

#[tokio::test]
async fn reminders_beside_the_words_of_the_user_do_not_match() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(Turn::text("rain").when(Match::new().last_user_text("weather")))
        .turn(Turn::text("plain"));
    assert_eq!(text_for(&api, &saying("hello")).await, "plain");
}

#[tokio::test]
async fn a_condition_in_code_sees_the_whole_request() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(Turn::text("long").matching(|request| request.messages().len() > 1))
        .turn(Turn::text("short"));
    let mut long = message(false);
    long["messages"] =
        json!([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]);
    assert_eq!(text_for(&api, &message(false)).await, "short");
    assert_eq!(text_for(&api, &long).await, "long");
}

#[tokio::test]
async fn a_turn_that_answers_always_is_never_used_up_nor_left_over() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(
        Turn::text("side")
            .when(Match::new().model("small"))
            .always(),
    );
    assert_eq!(api.remaining(), 0);
    api.finish().unwrap();
    let mut small = message(false);
    small["model"] = json!("small");
    for _ in 0..3 {
        assert_eq!(text_for(&api, &small).await, "side");
    }
    assert_eq!(
        post(&api, "/v1/messages", &message(false))
            .await
            .unwrap()
            .status,
        500
    );
}

#[tokio::test]
async fn a_path_can_be_reserved() {
    let api = ScriptedApi::start().await.unwrap();
    let at =
        |path: &str, body: Value| turn(json!({"json": {"body": body}, "when": {"path": path}}));
    api.turn(at(
        "/v1/messages/count_tokens",
        json!({"input_tokens": 4711}),
    ))
    .turn(at("/api/hello", json!({"ok": true})));
    let reply = post(&api, "/v1/messages/count_tokens?beta=true", &message(false))
        .await
        .unwrap();
    assert_eq!(reply.json(), json!({"input_tokens": 4711}));
    assert_eq!(
        post(&api, "/api/hello", &json!({})).await.unwrap().json(),
        json!({"ok": true})
    );
    api.finish().unwrap();
}

#[tokio::test]
async fn the_fallback_never_runs_dry() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(Turn::text("once")).fallback(Turn::text("again"));
    let mut ids = Vec::new();
    for expected in ["once", "again", "again"] {
        let reply = ask(&api, false).await.json();
        assert_eq!(reply["content"][0]["text"], expected);
        ids.push(reply["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(
        ids,
        [
            "msg_scripted_000001",
            "msg_fallback_000001",
            "msg_fallback_000002"
        ]
    );
    api.finish().unwrap();
}
