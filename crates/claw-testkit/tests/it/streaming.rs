//! What a message looks like, streamed and whole.

use std::time::Duration;

use claw_testkit::{ScriptedApi, Turn};
use serde_json::json;

use crate::client::{ask, message, post, turn};

fn all_block_kinds() -> Turn {
    turn(json!({
        "content": [
            {"type": "thinking", "thinking": "Two \"steps\".", "signature": "c2lnbmF0dXJl"},
            {"type": "redacted_thinking", "data": "b3BhcXVl"},
            {"type": "text", "text": "Plain text, \u{1f600} whole."},
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
             "input": {"query": "rust"}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [
                {"type": "web_search_result", "title": "Rust", "url": "https://example.com/",
                 "encrypted_content": "ZW5j", "page_age": null}]},
            {"type": "text", "text": "Rust is a language.", "citations": [
                {"type": "web_search_result_location", "url": "https://example.com/",
                 "title": "Rust", "encrypted_index": "aWR4", "cited_text": "Rust"}]},
            {"type": "image", "source":
                {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
            {"type": "container_upload", "file_id": "file_1"},
            {"type": "text", "text": "", "pieces": {"raw": ["half \\ud83d", "\\ude00 joined"]}},
            {"type": "tool_use", "id": "toolu_1", "name": "Bash",
             "input": {"command": "echo \"hi\"", "timeout": 5}, "pieces": {"chunk_chars": 10}},
        ],
        "pieces": {"chunks": 2},
        "ping": true,
        "usage": {"input": 1200, "output": 80, "cache_creation_5m": 300, "cache_creation_1h": 40,
            "cache_read": 5000, "web_search_requests": 1, "web_fetch_requests": 0},
    }))
}

#[tokio::test]
async fn streamed_turn_with_all_block_kinds() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(all_block_kinds());
    let reply = ask(&api, true).await;
    assert!(reply.complete);
    insta::assert_snapshot!(format!("{}\n\n{}", reply.head, reply.body));
}

#[tokio::test]
async fn whole_turn_with_all_block_kinds() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(all_block_kinds());
    let reply = ask(&api, false).await;
    assert!(reply.complete);
    assert_eq!(reply.json()["content"][8]["text"], "half \u{1f600} joined");
    insta::assert_snapshot!(format!("{}\n\n{}", reply.head, reply.body));
}

#[tokio::test]
async fn a_second_server_sends_the_same_bytes() {
    let mut bodies = Vec::new();
    for _ in 0..2 {
        let api = ScriptedApi::start().await.unwrap();
        api.turn(Turn::text("a")).turn(all_block_kinds());
        let first = ask(&api, true).await;
        let second = ask(&api, true).await;
        bodies.push([first.head, first.body, second.head, second.body]);
    }
    assert_eq!(bodies[0], bodies[1]);
    assert_ne!(bodies[0][0], bodies[0][2], "ids count up");
}

#[tokio::test]
async fn text_is_cut_as_asked() {
    let api = ScriptedApi::start().await.unwrap();
    let text = "abcdefg\u{1f600}";
    api.turn(Turn::text(text))
        .turn(Turn::text(text).chunks(3))
        .turn(Turn::text(text).chunk_chars(2))
        .turn(turn(json!({"text": text, "pieces": {"cuts": [1, 3]}})));
    for expected in [1, 3, 4, 3] {
        let reply = ask(&api, true).await;
        assert_eq!(reply.deltas().len(), expected);
        assert_eq!(reply.text(), text);
    }
}

#[tokio::test]
async fn a_cut_inside_a_surrogate_pair_sends_both_halves_as_escapes() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(turn(
        json!({"text": "a\u{1f600}b", "pieces": {"cuts": [2]}}),
    ));
    let reply = ask(&api, true).await;
    let deltas = reply.deltas();
    assert_eq!(deltas.len(), 2);
    assert!(deltas[0].contains(r#""text":"a\ud83d"}"#), "{deltas:?}");
    assert!(deltas[1].contains(r#""text":"\ude00b"}"#), "{deltas:?}");
}

#[tokio::test]
async fn raw_fragments_are_written_verbatim() {
    let api = ScriptedApi::start().await.unwrap();
    let lonely = || Turn::empty().raw_text_json(["x\\ud83d", "\\u0041\\/y"]);
    api.turn(lonely()).turn(lonely());
    let streamed = ask(&api, true).await;
    assert!(streamed.deltas()[0].contains(r#""text":"x\ud83d"}"#));
    assert!(streamed.deltas()[1].contains(r#""text":"\u0041\/y"}"#));
    let whole = ask(&api, false).await;
    assert!(
        whole.body.contains(r#""text":"x\ud83d\u0041\/y"}"#),
        "{}",
        whole.body
    );
}

#[tokio::test]
async fn stop_reasons_follow_the_content_unless_given() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(Turn::text("a"))
        .turn(Turn::text("a").tool_use("toolu_1", "Bash", json!({})))
        .turn(turn(json!({"text": "a", "stop_sequence": "END"})))
        .turn(Turn::text("a").stop_reason("max_tokens"));
    for (reason, sequence) in [
        ("end_turn", json!(null)),
        ("tool_use", json!(null)),
        ("stop_sequence", json!("END")),
        ("max_tokens", json!(null)),
    ] {
        let reply = ask(&api, false).await.json();
        assert_eq!(reply["stop_reason"], reason);
        assert_eq!(reply["stop_sequence"], sequence);
    }
}

#[tokio::test]
async fn stop_details_stand_beside_the_stop_reason() {
    let refusal = json!({"type": "refusal", "category": "cyber", "explanation": "policy"});
    let api = ScriptedApi::start().await.unwrap();
    for _ in 0..2 {
        api.turn(
            Turn::text("no")
                .stop_reason("refusal")
                .stop_details(refusal.clone()),
        );
    }
    assert_eq!(ask(&api, false).await.json()["stop_details"], refusal);
    let streamed = ask(&api, true).await.body;
    assert!(
        streamed.contains(&format!(
            r#""stop_sequence":null,"stop_details":{refusal}}},"usage""#
        )),
        "{streamed}"
    );
}

#[tokio::test]
async fn ids_and_the_model_can_be_chosen() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(Turn::text("a")).turn(turn(
        json!({"text": "b", "model": "other", "message_id": "msg_x", "request_id": "req_x",
            "headers": {"x-extra": "1"}}),
    ));
    let counted = ask(&api, false).await;
    assert_eq!(
        counted.json()["model"],
        "claude-test-1",
        "the model asked for"
    );
    assert_eq!(counted.json()["id"], "msg_scripted_000001");
    assert_eq!(counted.header("request-id"), Some("req_scripted_000001"));
    let chosen = ask(&api, false).await;
    assert_eq!(chosen.json()["model"], "other");
    assert_eq!(chosen.json()["id"], "msg_x");
    assert_eq!(chosen.header("request-id"), Some("req_x"));
    assert_eq!(chosen.header("x-extra"), Some("1"));
}

#[tokio::test]
async fn the_first_byte_can_be_slow_in_both_modes() {
    let api = ScriptedApi::start().await.unwrap();
    let delay = Duration::from_millis(200);
    for stream in [true, false] {
        api.turn(Turn::text("late").delay(delay));
        let reply = ask(&api, stream).await;
        assert!(reply.first_byte >= delay, "{:?}", reply.first_byte);
        assert!(reply.complete);
    }
}

#[tokio::test]
async fn events_can_be_slow() {
    let api = ScriptedApi::start().await.unwrap();
    api.turn(Turn::text("slow").delay_between(Duration::from_millis(40)));
    let reply = ask(&api, true).await;
    assert_eq!(reply.events().len(), 6);
    assert!(reply.total >= Duration::from_millis(5 * 40), "{reply:?}");
}

#[tokio::test]
async fn a_large_answer_arrives_whole() {
    let api = ScriptedApi::start().await.unwrap();
    let text = "0123456789".repeat(300_000);
    api.turn(Turn::text(&text).chunk_chars(100_000))
        .turn(Turn::text(&text));
    assert_eq!(ask(&api, true).await.text(), text);
    let whole = post(&api, "/v1/messages", &message(false)).await.unwrap();
    assert_eq!(whole.json()["content"][0]["text"], text.as_str());
}
