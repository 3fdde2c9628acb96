//! What every reader of messages asks first, as tables.

use rusty_claw_protocol::messages::{ContentBlock, Message};

fn read(line: &str) -> Message {
    Message::from_json(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

#[test]
fn is_error_is_true_for_every_failed_result() {
    let table = [
        (true, r#"{"type":"result","subtype":"error"}"#),
        (true, r#"{"type":"result","subtype":"error_max_turns"}"#),
        (
            true,
            r#"{"type":"result","subtype":"error_during_execution"}"#,
        ),
        (
            true,
            r#"{"type":"result","subtype":"error_max_budget_usd"}"#,
        ),
        (
            true,
            r#"{"type":"result","subtype":"error_max_structured_output_retries"}"#,
        ),
        (
            true,
            r#"{"type":"result","subtype":"error_of_a_later_release"}"#,
        ),
        // A cut-off turn is a failure whatever the flag says.
        (
            true,
            r#"{"type":"result","subtype":"error_max_turns","is_error":false}"#,
        ),
        // How the CLI reports that the API failed.
        (
            true,
            r#"{"type":"result","subtype":"success","is_error":true,"result":"API Error: 500"}"#,
        ),
        (
            true,
            r#"{"type":"result","subtype":"a_later_release","is_error":true}"#,
        ),
        (true, r#"{"type":"result","is_error":true}"#),
        (
            false,
            r#"{"type":"result","subtype":"success","is_error":false}"#,
        ),
        (false, r#"{"type":"result","subtype":"success"}"#),
        (false, r#"{"type":"result","subtype":"input_required"}"#),
        (false, r#"{"type":"result","subtype":"a_later_release"}"#),
        (false, r#"{"type":"result"}"#),
        // Only results: an assistant message may report a failure and the turn still go on.
        (
            false,
            r#"{"type":"assistant","error":"rate_limit","message":{"content":"x"}}"#,
        ),
        (
            false,
            r#"{"type":"system","subtype":"error","isError":true}"#,
        ),
        (
            false,
            r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true}]}}"#,
        ),
        (false, r#"{"type":"a_new_type","is_error":true}"#),
    ];
    for (expected, line) in table {
        assert_eq!(read(line).is_error(), expected, "{line}");
    }
}

#[test]
fn is_final_is_true_for_results_only() {
    let table = [
        (true, r#"{"type":"result","subtype":"success"}"#),
        (true, r#"{"type":"result","subtype":"error_max_turns"}"#),
        (true, r#"{"type":"result","subtype":"input_required"}"#),
        (true, r#"{"type":"result","subtype":"a_later_release"}"#),
        (true, r#"{"type":"result"}"#),
        (false, r#"{"type":"assistant"}"#),
        (false, r#"{"type":"user"}"#),
        (false, r#"{"type":"system","subtype":"init"}"#),
        (
            false,
            r#"{"type":"stream_event","event":{"type":"message_stop"}}"#,
        ),
        (
            false,
            r#"{"type":"control_response","response":{"subtype":"success","request_id":"r"}}"#,
        ),
        (false, r#"{"type":"rate_limit_event"}"#),
        (false, r#"{"type":"a_new_type","subtype":"success"}"#),
        (false, "{}"),
    ];
    for (expected, line) in table {
        assert_eq!(read(line).is_final(), expected, "{line}");
    }
}

#[test]
fn content_blocks_are_those_of_the_conversation() {
    let texts = |line: &str| -> Vec<String> {
        read(line)
            .content_blocks()
            .iter()
            .map(|block| match block {
                ContentBlock::Text { text, .. } => text.clone(),
                other => format!("<{}>", other.tag()),
            })
            .collect()
    };
    let table: [(&str, &[&str]); 9] = [
        (
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}"#,
            &["a", "<tool_use>"],
        ),
        (
            r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}}"#,
            &["<tool_result>"],
        ),
        // Content that is a string is one text block, and so is a message that is one.
        (
            r#"{"type":"assistant","message":{"content":"Hello"}}"#,
            &["Hello"],
        ),
        (
            r#"{"type":"user","message":{"role":"user","content":"Hello"}}"#,
            &["Hello"],
        ),
        (r#"{"type":"user","message":"Hello"}"#, &["Hello"]),
        (r#"{"type":"assistant","message":{"content":[]}}"#, &[]),
        (r#"{"type":"assistant"}"#, &[]),
        (
            r#"{"type":"assistant","message":{"content":[{"type":"hologram"}]}}"#,
            &["<hologram>"],
        ),
        (
            r#"{"type":"result","subtype":"success","result":"Hello"}"#,
            &[],
        ),
    ];
    for (line, expected) in table {
        assert_eq!(texts(line), expected, "{line}");
    }
}

#[test]
fn session_id_is_found_on_every_kind_that_has_one() {
    let table = [
        (
            Some("s"),
            r#"{"type":"system","subtype":"init","session_id":"s"}"#,
        ),
        (
            Some("s"),
            r#"{"type":"system","subtype":"compact_boundary","session_id":"s"}"#,
        ),
        (
            Some("s"),
            r#"{"type":"system","subtype":"a_later_release","session_id":"s"}"#,
        ),
        // General system entries of session files have no subtype.
        (
            Some("s"),
            r#"{"type":"system","uuid":"u","sessionId":"s","message":"Status"}"#,
        ),
        (
            Some("s"),
            r#"{"type":"system","subtype":"a_later_release","sessionId":"s"}"#,
        ),
        (
            Some("s"),
            r#"{"type":"system","session_id":"s","sessionId":"t"}"#,
        ),
        (Some("s"), r#"{"type":"a_new_type","sessionId":"s"}"#),
        (Some("s"), r#"{"type":"assistant","session_id":"s"}"#),
        (Some("s"), r#"{"type":"assistant","sessionId":"s"}"#),
        (Some("s"), r#"{"type":"user","session_id":"s"}"#),
        (Some("s"), r#"{"type":"user","sessionId":"s"}"#),
        (Some("s"), r#"{"type":"compact_system","sessionId":"s"}"#),
        (
            Some("s"),
            r#"{"type":"result","subtype":"success","session_id":"s"}"#,
        ),
        (
            Some("s"),
            r#"{"type":"result","subtype":"error_max_turns","session_id":"s"}"#,
        ),
        (
            Some("s"),
            r#"{"type":"result","subtype":"a_later_release","session_id":"s"}"#,
        ),
        (Some("s"), r#"{"type":"stream_event","session_id":"s"}"#),
        (Some("s"), r#"{"type":"rate_limit_event","session_id":"s"}"#),
        (Some("s"), r#"{"type":"a_new_type","session_id":"s"}"#),
        (None, r#"{"type":"assistant"}"#),
        (None, r#"{"type":"assistant","session_id":null}"#),
        (None, r#"{"type":"system","subtype":"init"}"#),
        (
            None,
            r#"{"type":"control_request","request_id":"r","request":{"subtype":"interrupt"}}"#,
        ),
        (None, r#"{"type":"result","subtype":"input_required"}"#),
        (None, "{}"),
    ];
    for (expected, line) in table {
        assert_eq!(read(line).session_id(), expected, "{line}");
    }
}

#[test]
fn user_uuid_is_that_of_user_messages() {
    let table = [
        (
            Some("u"),
            r#"{"type":"user","uuid":"u","message":{"content":"x"}}"#,
        ),
        (None, r#"{"type":"user","message":{"content":"x"}}"#),
        (None, r#"{"type":"user","uuid":null}"#),
        (None, r#"{"type":"assistant","uuid":"u"}"#),
        (None, r#"{"type":"result","subtype":"success","uuid":"u"}"#),
    ];
    for (expected, line) in table {
        assert_eq!(read(line).user_uuid(), expected, "{line}");
    }
}

#[test]
fn type_and_subtype_are_as_on_the_wire() {
    let table = [
        (
            "system",
            Some("init"),
            r#"{"type":"system","subtype":"init"}"#,
        ),
        (
            "system",
            Some("a_later_release"),
            r#"{"type":"system","subtype":"a_later_release"}"#,
        ),
        ("system", None, r#"{"type":"system"}"#),
        ("assistant", None, r#"{"type":"assistant"}"#),
        (
            "assistant",
            Some("tool_use"),
            r#"{"type":"assistant","subtype":"tool_use"}"#,
        ),
        ("user", None, r#"{"type":"user"}"#),
        (
            "result",
            Some("success"),
            r#"{"type":"result","subtype":"success"}"#,
        ),
        (
            "result",
            Some("error"),
            r#"{"type":"result","subtype":"error"}"#,
        ),
        (
            "result",
            Some("error_max_budget_usd"),
            r#"{"type":"result","subtype":"error_max_budget_usd"}"#,
        ),
        (
            "result",
            Some("a_later_release"),
            r#"{"type":"result","subtype":"a_later_release"}"#,
        ),
        (
            "control_request",
            Some("interrupt"),
            r#"{"type":"control_request","request_id":"r","request":{"subtype":"interrupt"}}"#,
        ),
        (
            "control_request",
            Some("interrupt"),
            r#"{"type":"control_request","request_id":"r","subtype":"interrupt"}"#,
        ),
        (
            "control_response",
            Some("success"),
            r#"{"type":"control_response","response":{"subtype":"success","request_id":"r"}}"#,
        ),
        ("stream_event", None, r#"{"type":"stream_event"}"#),
        ("rate_limit_event", None, r#"{"type":"rate_limit_event"}"#),
        ("keep_alive", None, r#"{"type":"keep_alive"}"#),
        ("a_new_type", None, r#"{"type":"a_new_type"}"#),
        ("", None, r#"{"type":null}"#),
        ("", None, "{}"),
    ];
    for (message_type, subtype, line) in table {
        let message = read(line);
        assert_eq!(message.message_type(), message_type, "{line}");
        assert_eq!(message.subtype(), subtype, "{line}");
    }
}

#[test]
fn from_json_fails_only_on_what_is_not_an_object() {
    for line in [
        "{}",
        r#" {"type":7} "#,
        "\u{feff}{}\r",
        r#"{"type":"result","result":"\ud83d"}"#,
    ] {
        read(line);
    }
    // JSON of another kind has no place where it stops being JSON; other text has.
    let table = [
        ("[]", None),
        ("\"{}\"", None),
        ("7", None),
        ("null", None),
        ("true", None),
        ("", Some(0)),
        ("hello", Some(0)),
        (r#"{"type":}"#, Some(8)),
        (r#"{"type":"result"}{}"#, Some(17)),
    ];
    for (line, offset) in table {
        let error = Message::from_json(line).expect_err(line);
        assert_eq!(error.offset(), offset, "{line}");
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn exact_durations_keep_fractions() {
    let table = [
        (
            r#"{"type":"result","subtype":"success","duration_ms":1234.5,"duration_api_ms":1000.25}"#,
            Some(1234.5),
            Some(1000.25),
        ),
        (
            r#"{"type":"result","subtype":"error_max_turns","duration_ms":0.75,"duration_api_ms":7}"#,
            Some(0.75),
            Some(7.0),
        ),
        (
            r#"{"type":"result","subtype":"success","duration_ms":1500}"#,
            Some(1500.0),
            None,
        ),
        (
            r#"{"type":"result","subtype":"input_required"}"#,
            None,
            None,
        ),
        (
            r#"{"type":"result","subtype":"success","duration_ms":"long"}"#,
            None,
            None,
        ),
    ];
    for (line, whole, api) in table {
        let Message::Result(result) = read(line) else {
            panic!("{line}")
        };
        assert_eq!(result.exact_duration_ms(), whole, "{line}");
        assert_eq!(result.exact_duration_api_ms(), api, "{line}");
    }
}
