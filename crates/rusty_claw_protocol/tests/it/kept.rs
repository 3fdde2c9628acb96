//! What a typed field cannot hold is neither lost nor doubled nor made up, in any order.

use rusty_claw_protocol::messages::{ContentBlock, Message};
use rusty_claw_protocol::{Json, Line};
use serde_json::Value;

/// Reads a line and writes it again from the typed message.
fn written(line: &str) -> Value {
    let message = Message::from_json(line).expect(line);
    serde_json::to_value(&message).expect(line)
}

fn value(line: &str) -> Value {
    serde_json::from_str(line).expect(line)
}

#[test]
fn two_spellings_of_one_member_both_survive() {
    let kinds = ["\"a\"", "\"b\"", "null", "5", "{\"k\":1}"];
    for first in kinds {
        for second in kinds {
            for (one, two) in [
                ("session_id", "sessionId"),
                ("sessionId", "session_id"),
                ("sessionId", "sessionId"),
                ("session_id", "session_id"),
            ] {
                let line = format!(
                    r#"{{"type":"assistant","{one}":{first},"{two}":{second},"message":{{"role":"assistant","content":[]}},"parent_tool_use_id":null}}"#
                );
                assert_eq!(written(&line), value(&line), "{line}");
            }
        }
    }
}

#[test]
fn members_of_a_shared_object_survive_in_any_order_and_kind() {
    for line in [
        r#"{"type":"result","subtype":"success","result":"x","is_error":null,"is_error":true,"uuid":5}"#,
        r#"{"type":"result","subtype":"success","result":"x","uuid":5,"uuid":"u","new":1,"new":2}"#,
        r#"{"type":"result","subtype":"success","result":7,"duration_ms":1.5,"duration_ms":2}"#,
        r#"{"type":"system","subtype":"init","tools":"none","mcp_servers":[1,{"name":"a"}],"session_id":"s"}"#,
        r#"{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","resetsAt":null,"resets_at":5}}"#,
    ] {
        assert_eq!(written(line), value(line), "{line}");
    }
}

#[test]
fn numbers_that_a_field_must_round_are_written_as_they_came() {
    for number in [
        "123456789012345678901234.5",
        "1e-400",
        "0.12345678901234567890123",
        "0.0011279999999999999",
        "18446744073709551616",
    ] {
        let line = format!(
            r#"{{"type":"result","subtype":"success","result":"","total_cost_usd":{number}}}"#
        );
        let message = Message::from_json(&line).unwrap();
        let text = serde_json::to_string(&message).unwrap();
        assert!(
            text.contains(&format!("\"total_cost_usd\":{number}")),
            "{text}"
        );
    }
}

#[test]
fn every_way_in_takes_the_last_of_several_tags() {
    let line = r#"{"type":"user","type":"result","subtype":"success"}"#;
    let by_serde: Message = serde_json::from_str(line).unwrap();
    assert_eq!(by_serde, Message::from_json(line).unwrap());
    assert!(by_serde.is_final());
    let twice = r#"{"type":"assistant","type":"user","message":"first","message":"last"}"#;
    let message = Message::from_json(twice).unwrap();
    assert_eq!(message.message_type(), "user");
    assert!(
        matches!(message.content_blocks(), [ContentBlock::Text { text, .. }] if text == "last")
    );
    let block = Json::from_text(r#"{"type":"text","type":"thinking","thinking":"hm"}"#).unwrap();
    assert!(matches!(block.view(), Some(ContentBlock::Thinking { .. })));
    let control = r#"{"type":"control_request","request_id":"1","request":{"subtype":"interrupt"},"type":"result","subtype":"success"}"#;
    assert!(Message::from_json(control).unwrap().is_final());
    let twice = r#"{"type":"control_request","request_id":"1","request":{},"request":{"subtype":"can_use_tool","tool_name":"Bash","input":{}}}"#;
    assert_eq!(
        Message::from_json(twice).unwrap().subtype(),
        Some("can_use_tool")
    );
}

#[test]
fn an_unknown_message_is_routed_as_a_peek_routes_it() {
    let line = r#"{"type":"brand_new","session_id":"a","session_id":"b","uuid":"1","uuid":"2"}"#;
    let decoded = Line::decode(line);
    let peek = decoded.raw().peek().unwrap();
    let message = decoded.message().unwrap();
    assert_eq!(
        (message.session_id(), message.uuid()),
        (Some("b"), Some("2"))
    );
    assert_eq!(
        (peek.session_id.as_deref(), peek.uuid.as_deref()),
        (Some("b"), Some("2"))
    );
}

#[test]
fn a_key_that_looks_like_a_mark_of_ours_is_just_a_key() {
    let line = r#"{"type":"control_response","response.request_id":1,"response":{"subtype":"success","request_id":"7"}}"#;
    assert_eq!(written(line), value(line));
}

#[test]
fn control_frames_nested_in_control_frames_are_messages_however_deep() {
    for depth in [10, 63, 64, 65, 200, 2_000] {
        let mut line = String::from(r#"{"type":"keep_alive"}"#);
        for _ in 0..depth {
            line = format!(
                r#"{{"type":"control_response","response":{{"subtype":"success","request_id":"1","pending_permission_requests":[{line}]}}}}"#
            );
        }
        let message = Message::from_json(&line).expect("an object is a message");
        assert_eq!(message.message_type(), "control_response", "{depth}");
        assert_eq!(
            serde_json::to_string(&message).unwrap().len(),
            line.len(),
            "{depth}"
        );
    }
}

#[test]
fn what_stands_around_the_object_is_passed_over_and_counted() {
    for line in [
        " \u{feff}{\"type\":\"keep_alive\"}",
        "\0\u{feff}\u{feff}{\"type\":\"keep_alive\"}\0 \r",
        "  {\"type\":\"keep_alive\"}\t ",
    ] {
        let decoded = Line::decode(line);
        let message_type = decoded.message().map(Message::message_type);
        assert_eq!(message_type, Some("keep_alive"), "{line:?}");
        assert_eq!(decoded.raw().as_bytes(), line.as_bytes());
    }
    let error = Message::from_json("\u{feff}     {\"a\":x}").unwrap_err();
    assert_eq!(error.offset(), Some(13));
}

#[test]
fn a_list_that_would_need_many_times_its_text_is_kept_as_text() {
    let blocks = vec!["{}"; 400_000].join(",");
    let line =
        format!(r#"{{"type":"assistant","message":{{"role":"assistant","content":[{blocks}]}}}}"#);
    let message = Message::from_json(&line).unwrap();
    assert!(message.content_blocks().is_empty());
    assert_eq!(serde_json::to_string(&message).unwrap().len(), line.len());
}
