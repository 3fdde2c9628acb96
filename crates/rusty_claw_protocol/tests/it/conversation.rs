//! The lines of a conversation: samples of every declared shape, what hosts build, leniencies.

use rusty_claw_protocol::audit::audit;
use rusty_claw_protocol::messages::*;
use rusty_claw_protocol::{Json, Str};
use serde_json::{Value, json};

fn read(value: &Value) -> Message {
    Message::from_json(&value.to_string()).unwrap()
}

#[test]
fn a_prompt_is_the_frame_that_the_cli_takes() {
    let frame =
        |prompt: UserMessage| serde_json::to_value(Message::User(Box::new(prompt))).unwrap();
    assert_eq!(
        frame(UserMessage::text("hi").with_uuid("u-1")),
        json!({
            "type": "user",
            "message": {"role": "user", "content": "hi"},
            "parent_tool_use_id": null,
            "uuid": "u-1",
        })
    );
    let blocks = vec![
        ContentBlock::text("what is this?"),
        ContentBlock::image_base64("image/png", "iVBO"),
        ContentBlock::image_url("https://example.com/a.png"),
        ContentBlock::pdf_base64("JVBE"),
        ContentBlock::document(Source::text("plain")),
        ContentBlock::tool_result("toolu_1", "done", false),
    ];
    let prompt = UserMessage::new(blocks)
        .with_priority(PromptPriority::Later)
        .with_origin(MessageOrigin::human())
        .without_query()
        .as_composed();
    assert_eq!(
        frame(prompt),
        json!({
            "type": "user",
            "message": {"role": "user", "content": [
                {"type": "text", "text": "what is this?"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}},
                {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
                {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"}},
                {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "plain"}},
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "done", "is_error": false},
            ]},
            "parent_tool_use_id": null,
            "priority": "later",
            "origin": {"kind": "human"},
            "shouldQuery": false,
            "client_composed": true,
        })
    );
}

#[test]
fn a_received_line_gets_no_parent_it_did_not_have() {
    for value in [
        json!({"type": "user", "message": {"role": "user", "content": "a"}}),
        json!({"type": "user", "message": {"role": "user", "content": "a"}, "parent_tool_use_id": null}),
        json!({"type": "user", "message": {"role": "user", "content": "a"}, "parent_tool_use_id": "toolu_1"}),
    ] {
        assert_eq!(serde_json::to_value(read(&value)).unwrap(), value);
    }
}

#[test]
fn lines_of_the_session_file_document_are_read() {
    let user = json!({
        "type": "user", "uuid": "msg-002", "parentUuid": "msg-001",
        "timestamp": "2025-01-27T10:00:05Z", "sessionId": "session-123",
        "message": "Analyze this code for potential improvements",
        "isSidechain": true, "userType": "external",
        "isDeleted": false, "isAborted": false, "isMeta": false, "isError": false,
    });
    let assistant = json!({
        "type": "assistant", "uuid": "msg-004", "parentUuid": "msg-003",
        "timestamp": "2025-01-27T10:00:15Z", "sessionId": "session-123",
        "subtype": "tool_use", "toolName": "Write", "toolArguments": {"file_path": "/script.py"},
    });
    for value in [&user, &assistant] {
        assert!(
            audit::<Message>(value.to_string().as_bytes())
                .unwrap()
                .is_clean()
        );
        assert_eq!(&serde_json::to_value(read(value)).unwrap(), value);
    }
    let Message::User(user) = read(&user) else {
        panic!()
    };
    assert_eq!(user.session_id, Some(Str::from("session-123")));
    assert_eq!(
        user.message.content.text(),
        "Analyze this code for potential improvements"
    );
    assert_eq!(user.is_sidechain, Some(true));
    let Message::Assistant(assistant) = read(&assistant) else {
        panic!()
    };
    assert_eq!(assistant.tool_name, Some(Str::from("Write")));
    assert!(assistant.message.content.is_empty());
}

#[test]
fn rate_limits_are_read_in_both_spellings() {
    let camel = json!({"type": "rate_limit_event", "rate_limit_info": {
        "status": "allowed_warning", "resetsAt": 1794700000, "rateLimitType": "five_hour",
        "utilization": 0.92, "isUsingOverage": false, "overageStatus": "rejected",
        "overageResetsAt": 5, "overageDisabledReason": "org_level_disabled",
        "unifiedWindows": {"five_hour": {"utilization": 0.92, "resetsAt": 1794700000}}}});
    let snake = json!({"type": "rate_limit_event", "rate_limit_info": {
        "status": "allowed_warning", "resets_at": 1794700000, "rate_limit_type": "five_hour",
        "utilization": 0.92, "is_using_overage": false, "overage_status": "rejected",
        "overage_resets_at": 5, "overage_disabled_reason": "org_level_disabled",
        "raw": {"status": "allowed_warning"}}});
    for value in [camel, snake] {
        assert!(
            audit::<Message>(value.to_string().as_bytes())
                .unwrap()
                .is_clean()
        );
        assert_eq!(serde_json::to_value(read(&value)).unwrap(), value);
        let Message::RateLimitEvent(event) = read(&value) else {
            panic!()
        };
        let info = &event.rate_limit_info;
        assert_eq!(info.status, RateLimitStatus::AllowedWarning);
        assert_eq!(info.rate_limit_type, Some(RateLimitType::FiveHour));
        assert_eq!(info.resets_at, Some(1_794_700_000));
        assert_eq!(info.overage_resets_at, Some(5));
        assert_eq!(info.overage_status, Some(RateLimitStatus::Rejected));
        assert_eq!(info.is_using_overage, Some(false));
        assert_eq!(
            info.overage_disabled_reason,
            Some(OverageDisabledReason::OrgLevelDisabled)
        );
        let text = value.to_string();
        assert_eq!(
            event.to_string().len(),
            text.len() - r#""type":"rate_limit_event","#.len()
        );
    }
}

#[test]
fn stream_events_have_their_kind_and_text_in_both_layouts() {
    let delta = json!({"delta": {"text": "Hel"}});
    for (value, kind, text, data) in [
        (
            json!({"type": "stream_event", "event": {"type": "content_block_delta", "index": 0,
                "delta": {"type": "text_delta", "text": "Hel"}}, "session_id": "s", "uuid": "u"}),
            "content_block_delta",
            Some("Hel"),
            None,
        ),
        (
            json!({"type": "stream_event", "event_type": "content_block_delta", "data": delta}),
            "content_block_delta",
            None,
            Some(Json::from_value(&delta)),
        ),
        (
            json!({"type": "stream_event", "event": {"type": "brand_new", "n": 1}}),
            "brand_new",
            None,
            None,
        ),
    ] {
        assert_eq!(serde_json::to_value(read(&value)).unwrap(), value);
        let Message::StreamEvent(event) = read(&value) else {
            panic!("{value}")
        };
        assert_eq!(event.kind(), kind, "{value}");
        assert_eq!(event.text_delta(), text, "{value}");
        assert_eq!(event.data, data, "{value}");
    }
}

#[test]
fn tool_results_are_text_whatever_shape_they_came_in() {
    for (content, text) in [
        (json!("plain"), "plain"),
        (json!([{"type": "text", "text": "one"}]), "one"),
        (
            json!([{"type": "text", "text": "one"}, {"type": "image", "source": {"type": "url", "url": "u"}}]),
            "one\n[image]",
        ),
        (json!({"any": 1}), r#"{"any":1}"#),
        (json!(null), "null"),
        (json!(["loose"]), ""),
    ] {
        let value = json!({"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t", "content": content}]}});
        let message = read(&value);
        let [
            ContentBlock::ToolResult {
                content,
                is_error: false,
                ..
            },
        ] = message.content_blocks()
        else {
            panic!("{message:?}")
        };
        assert_eq!(content.to_string(), text);
        assert_eq!(serde_json::to_value(&message).unwrap(), value);
    }
}

#[test]
fn a_turn_reads_as_values() {
    let assistant = json!({"type": "assistant", "message": {"id": "msg_1", "type": "message",
        "role": "assistant", "model": "m", "stop_reason": null, "content": [
            {"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {"query": "q"}},
            {"type": "web_search_tool_result", "tool_use_id": "srv", "content": [
                {"type": "web_search_result", "url": "https://example.com/", "title": "Example",
                 "encrypted_content": "abc", "page_age": null}]},
            {"type": "web_search_tool_result", "tool_use_id": "srv", "content":
                {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}},
            {"type": "hologram", "depth": 3}],
        "usage": {"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 3,
                  "cache_creation": {"ephemeral_5m_input_tokens": 300, "ephemeral_1h_input_tokens": 40}}},
        "parent_tool_use_id": null});
    let Message::Assistant(message) = read(&assistant) else {
        panic!()
    };
    insta::assert_debug_snapshot!((&message.message.content, &message.message.usage));
    let result = json!({"type": "result", "subtype": "error_max_turns", "is_error": true,
        "num_turns": 3, "errors": ["a", "b"], "duration_ms": 12.4, "terminal_reason": "max_turns",
        "modelUsage": {"m": {"inputTokens": 1, "outputTokens": 2, "cacheReadInputTokens": 0,
            "cacheCreationInputTokens": 0, "webSearchRequests": 0, "costUSD": 0.5,
            "contextWindow": 10, "maxOutputTokens": 5}},
        "origin": {"kind": "task-notification", "runId": "r", "producer": "session-task"}});
    let Message::Result(ResultMessage::Error {
        subtype,
        error,
        duration_ms,
        details,
        extra,
        ..
    }) = read(&result)
    else {
        panic!()
    };
    assert_eq!(subtype, ErrorSubtype::MaxTurns);
    assert_eq!((error.as_str(), duration_ms), ("a; b", Some(12)));
    assert_eq!(
        extra.get("duration_ms").map(|kept| kept.to_string()),
        Some("12.4".into())
    );
    assert_eq!(details.terminal_reason, Some(TerminalReason::MaxTurns));
    insta::assert_debug_snapshot!((&details.model_usage, &details.origin));
}
