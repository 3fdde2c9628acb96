//! Script files and the builder describe the same scripts.

use std::time::Duration;

use claw_testkit::{Match, Script, ScriptError, ScriptedApi, Turn};
use serde_json::json;

use crate::client::{Reply, ask};

fn script(text: &str) -> Script {
    serde_json::from_str(text).unwrap()
}

async fn replies(api: &ScriptedApi, count: usize) -> Vec<(String, String, bool)> {
    let mut replies = Vec::new();
    for position in 0..count {
        let Reply {
            head,
            body,
            complete,
            ..
        } = ask(api, position % 2 == 0).await;
        replies.push((head, body, complete));
    }
    replies
}

#[tokio::test]
async fn a_script_gives_the_same_bytes_as_the_builder() {
    let written = ScriptedApi::start().await.unwrap();
    written.script(script(
        r#"{
          "turns": [
            {"content": [
               {"type": "thinking", "thinking": "hm", "signature": "cw=="},
               {"type": "text", "text": "one"},
               {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}],
             "pieces": {"chunks": 2}},
            {"text": "for later", "when": {"stream": false}, "model": "m", "headers": {"x-a": "b"}},
            {"content": [{"type": "text", "text": "", "pieces": {"raw": ["\\ud83d", "\\ude00"]}}]},
            {"error": {"status": 429, "type": "rate_limit_error", "message": "slow down"},
             "headers": {"retry-after": "3"}},
            {"text": "refused", "stop_details": {"type": "refusal"}}
          ],
          "fallback": {"text": "over", "stop_reason": "max_tokens"}
        }"#,
    ));
    let built = ScriptedApi::start().await.unwrap();
    let without_stream = Match {
        stream: Some(false),
        ..Match::new()
    };
    built
        .turn(
            Turn::empty()
                .thinking("hm", "cw==")
                .then_text("one")
                .tool_use("toolu_1", "Bash", json!({"command": "ls"}))
                .chunks(2),
        )
        .turn(
            Turn::text("for later")
                .when(without_stream)
                .model("m")
                .header("x-a", "b"),
        )
        .turn(Turn::empty().raw_text_json(["\\ud83d", "\\ude00"]))
        .turn(Turn::error(429, "rate_limit_error", "slow down").header("retry-after", "3"))
        .turn(Turn::text("refused").stop_details(json!({"type": "refusal"})))
        .fallback(Turn::text("over").stop_reason("max_tokens"));
    assert_eq!(replies(&written, 6).await, replies(&built, 6).await);
    written.finish().unwrap();
    assert_eq!(written.requests().len(), 6);
}

#[tokio::test]
async fn defaults_fill_what_a_turn_leaves_open() {
    let api = ScriptedApi::start().await.unwrap();
    api.script(script(
        r#"{"defaults": {"pieces": {"chunk_chars": 1}, "model": "d", "delay_ms": 120},
            "turns": [{"text": "abcd"}, {"text": "abcd", "model": "own", "pieces": {"chunks": 2}}]}"#,
    ));
    let first = ask(&api, true).await;
    assert_eq!(first.deltas().len(), 4);
    assert!(first.first_byte >= Duration::from_millis(120));
    assert!(first.body.contains(r#""model":"d""#));
    let second = ask(&api, true).await;
    assert_eq!(second.deltas().len(), 2);
    assert!(second.body.contains(r#""model":"own""#));
}

#[tokio::test]
async fn the_last_turn_can_be_repeated() {
    let api = ScriptedApi::start().await.unwrap();
    api.script(script(
        r#"{"repeat_last": true, "turns": [{"text": "a"}, {"text": "b"},
            {"text": "side", "when": {"model": "small"}, "always": true}]}"#,
    ));
    for expected in ["a", "b", "b", "b"] {
        assert_eq!(ask(&api, true).await.text(), expected);
    }
    api.finish().unwrap();
}

#[test]
fn mistakes_in_a_script_are_refused_with_a_reason() {
    for (text, reason) in [
        (r#"{"turns": [{"txt": "a"}]}"#, "unknown field `txt`"),
        (r#"{"turns": [{}]}"#, "exactly one of"),
        (
            r#"{"turns": [{"text": "a", "close_without_response": true}]}"#,
            "exactly one of",
        ),
        (
            r#"{"turns": [{"text": "a", "cut_after": 1, "hang_after": 1}]}"#,
            "at most one of",
        ),
        (
            r#"{"turns": [{"text": "a", "when": {"modle": "x"}}]}"#,
            "unknown field `modle`",
        ),
        (
            r#"{"turns": [{"text": "a", "usage": {"inptu": 1}}]}"#,
            "unknown field `inptu`",
        ),
        (r#"{"turn": []}"#, "unknown field `turn`"),
    ] {
        let error = serde_json::from_str::<Script>(text)
            .expect_err(text)
            .to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
}

#[test]
fn a_missing_file_and_a_broken_file_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.json");
    assert!(matches!(Script::read(&path), Err(ScriptError::Read { .. })));
    std::fs::write(&path, "{").unwrap();
    assert!(matches!(
        Script::read(&path),
        Err(ScriptError::Parse { .. })
    ));
}

#[test]
fn the_shipped_scripts_can_be_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let script = Script::read(entry.unwrap().path()).unwrap();
        assert!(!script.turns.is_empty() && !script.description.is_empty());
        seen += 1;
    }
    assert!(seen >= 2, "only {seen} scripts found");
}
