//! Every leniency: where the documents and the CLI differ, both are read, and each is written the
//! way it came. Each test is named after who needs it.
//!
//! The documents: 000 is the SDK's message reference, 001 the session files, 002 the message
//! schema, 004 the Elixir reference.

use rusty_claw_protocol::Line;
use rusty_claw_protocol::control::{ControlRequest, ControlResponse};
use rusty_claw_protocol::messages::{
    AssistantError, ContentBlock, ControlForm, Message, RateLimitStatus, ResultMessage,
    SystemMessage, ToolInfo,
};
use serde_json::Value;

use crate::samples::same;

/// Reads a line and checks that it is written the way it came.
fn read(line: &str) -> Message {
    let message = Message::from_json(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let written = serde_json::to_value(&message).unwrap();
    let expected: Value = serde_json::from_str(line).unwrap();
    assert!(
        same(&written, &expected),
        "{line}\nwas written as {written}"
    );
    message
}

fn texts(message: &Message) -> Vec<&str> {
    fn text(block: &ContentBlock) -> &str {
        match block {
            ContentBlock::Text { text, .. } => text,
            other => panic!("not a text: {other:?}"),
        }
    }
    message.content_blocks().iter().map(text).collect()
}

#[test]
fn document_000_has_flat_control_requests() {
    let flat = read(r#"{"type":"control_request","request_id":"r1","subtype":"interrupt"}"#);
    let nested =
        read(r#"{"type":"control_request","request_id":"r1","request":{"subtype":"interrupt"}}"#);
    for (message, expected) in [(flat, ControlForm::Flat), (nested, ControlForm::Nested)] {
        let Message::ControlRequest {
            request_id,
            request,
            form,
            ..
        } = message
        else {
            panic!("{message:?}")
        };
        assert_eq!((request_id.as_str(), form), ("r1", expected));
        assert!(matches!(request, ControlRequest::Interrupt(_)));
    }
}

#[test]
fn document_000_has_flat_control_responses() {
    let flat = read(r#"{"type":"control_response","request_id":"r1","subtype":"success"}"#);
    let nested =
        read(r#"{"type":"control_response","response":{"request_id":"r1","subtype":"success"}}"#);
    for (message, expected) in [(flat, ControlForm::Flat), (nested, ControlForm::Nested)] {
        let Message::ControlResponse {
            request_id,
            response,
            form,
            ..
        } = message
        else {
            panic!("{message:?}")
        };
        assert_eq!((request_id.as_str(), form), ("r1", expected));
        assert!(matches!(response, ControlResponse::Success { .. }));
    }
}

#[test]
fn document_000_calls_the_input_of_can_use_tool_tool_input() {
    for line in [
        r#"{"type":"control_request","request_id":"r","subtype":"can_use_tool","tool_name":"Bash","tool_input":{"command":"ls"}}"#,
        r#"{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"t"}}"#,
    ] {
        let Message::ControlRequest {
            request: ControlRequest::CanUseTool(ask),
            ..
        } = read(line)
        else {
            panic!("{line}")
        };
        assert_eq!(ask.tool_name, "Bash");
        assert_eq!(ask.input.get("command"), Some(&Value::from("ls")));
    }
}

#[test]
fn document_000_answers_can_use_tool_with_allowed_and_reason() {
    let line = r#"{"type":"control_response","request_id":"r","subtype":"success","allowed":false,"reason":"no"}"#;
    let Message::ControlResponse {
        response: ControlResponse::Success {
            allowed, reason, ..
        },
        ..
    } = read(line)
    else {
        panic!("{line}")
    };
    assert_eq!((allowed, reason.as_deref()), (Some(false), Some("no")));
}

#[test]
fn document_000_says_can_use_tool_when_it_initializes() {
    let line =
        r#"{"type":"control_request","request_id":"r","subtype":"initialize","can_use_tool":true}"#;
    let Message::ControlRequest {
        request: ControlRequest::Initialize(initialize),
        ..
    } = read(line)
    else {
        panic!("{line}")
    };
    assert_eq!(initialize.can_use_tool, Some(true));
}

#[test]
fn document_000_lists_tools_as_objects_and_cli_2_1_as_names() {
    for (line, is_object) in [
        (
            r#"{"type":"system","subtype":"init","session_id":"s","tools":[{"name":"bash"},{"name":"read","description":"Reads"}],"mcp_servers":[]}"#,
            true,
        ),
        (
            r#"{"type":"system","subtype":"init","session_id":"s","tools":["bash","read"],"mcp_servers":[]}"#,
            false,
        ),
    ] {
        let Message::System(SystemMessage::Init { tools, .. }) = read(line) else {
            panic!("{line}")
        };
        let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["bash", "read"]);
        assert!(
            tools
                .iter()
                .all(|tool: &ToolInfo| tool.is_object == is_object)
        );
    }
}

#[test]
fn document_001_has_the_message_as_a_string() {
    for line in [
        r#"{"type":"user","message":"Hello"}"#,
        r#"{"type":"assistant","message":"Hello"}"#,
        r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"Hello"}]}}"#,
    ] {
        assert_eq!(texts(&read(line)), ["Hello"], "{line}");
    }
}

#[test]
fn documents_002_and_004_have_content_as_a_string() {
    for line in [
        r#"{"type":"user","message":{"role":"user","content":"Hello"}}"#,
        r#"{"type":"assistant","message":{"content":"Hello"}}"#,
        r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Hello"}]}}"#,
    ] {
        assert_eq!(texts(&read(line)), ["Hello"], "{line}");
    }
}

#[test]
fn document_000_has_tool_results_of_any_shape() {
    for (content, text) in [
        ("\"done\"", "done"),
        (r#"[{"type":"text","text":"done"}]"#, "done"),
        (r#"{"output":"done"}"#, r#"{"output":"done"}"#),
    ] {
        let line = format!(
            r#"{{"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":{content},"is_error":false}}]}}}}"#
        );
        let message = read(&line);
        let [ContentBlock::ToolResult { content, .. }] = message.content_blocks() else {
            panic!("{line}")
        };
        assert_eq!(content.to_string(), text);
    }
}

#[test]
fn document_000_leaves_is_error_out_of_tool_results() {
    let message = read(
        r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}}"#,
    );
    assert!(matches!(
        message.content_blocks(),
        [ContentBlock::ToolResult {
            is_error: false,
            ..
        }]
    ));
}

#[test]
fn document_000_ends_with_input_required() {
    let message = read(r#"{"type":"result","subtype":"input_required"}"#);
    assert!(matches!(
        message,
        Message::Result(ResultMessage::InputRequired { .. })
    ));
    assert!(message.is_final() && !message.is_error());
}

#[test]
fn document_000_has_an_error_with_extras_and_cli_2_1_a_list() {
    let line = r#"{"type":"result","subtype":"error","error":"denied","error_code":"EACCES","exit_code":126}"#;
    let Message::Result(ResultMessage::Error { error, extra, .. }) = read(line) else {
        panic!("{line}")
    };
    assert_eq!(error, "denied");
    assert_eq!(
        extra
            .get("error_code")
            .map(|kept| kept.to_string())
            .as_deref(),
        Some("\"EACCES\"")
    );
    assert_eq!(
        extra
            .get("exit_code")
            .map(|kept| kept.to_string())
            .as_deref(),
        Some("126")
    );

    let line = r#"{"type":"result","subtype":"error_during_execution","errors":["one","two"]}"#;
    let Message::Result(ResultMessage::Error { error, errors, .. }) = read(line) else {
        panic!("{line}")
    };
    assert_eq!(error, "one; two");
    assert_eq!(errors.map(|errors| errors.len()), Some(2));
}

#[test]
fn document_000_has_no_members_in_compact_boundary() {
    for line in [
        r#"{"type":"system","subtype":"compact_boundary"}"#,
        r#"{"type":"system","subtype":"compact_boundary","compact_metadata":{"trigger":"manual","pre_tokens":9},"session_id":"s","uuid":"u"}"#,
    ] {
        assert!(
            matches!(
                read(line),
                Message::System(SystemMessage::CompactBoundary { .. })
            ),
            "{line}"
        );
    }
}

#[test]
fn document_000_has_stream_events_of_its_own() {
    for (line, kind) in [
        (
            r#"{"type":"stream_event","event_type":"message_start","data":{"message_id":"m"}}"#,
            "message_start",
        ),
        (
            r#"{"type":"stream_event","event":{"type":"message_stop"},"session_id":"s","uuid":"u"}"#,
            "message_stop",
        ),
    ] {
        let Message::StreamEvent(event) = read(line) else {
            panic!("{line}")
        };
        assert_eq!(event.kind(), kind);
    }
}

#[test]
fn document_000_has_mcp_messages_as_frames() {
    let message =
        read(r#"{"type":"mcp_message","server_name":"files","message":{"jsonrpc":"2.0","id":1}}"#);
    assert!(matches!(message, Message::McpMessage(_)));
    assert_eq!(message.message_type(), "mcp_message");
}

#[test]
fn document_004_spells_rate_limits_in_snake_case_and_cli_2_1_in_camel_case() {
    for line in [
        r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resets_at":9,"is_using_overage":true},"uuid":"u","session_id":"s"}"#,
        r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":9,"isUsingOverage":true},"uuid":"u","session_id":"s"}"#,
    ] {
        let Message::RateLimitEvent(event) = read(line) else {
            panic!("{line}")
        };
        assert_eq!(event.rate_limit_info.status, RateLimitStatus::Rejected);
        assert_eq!(event.rate_limit_info.resets_at, Some(9));
        assert_eq!(event.rate_limit_info.is_using_overage, Some(true));
        assert_eq!(
            event.to_string().len(),
            line.len() - r#""type":"rate_limit_event","#.len()
        );
    }
}

#[test]
fn document_004_has_an_error_on_assistant_messages() {
    let Message::Assistant(assistant) =
        read(r#"{"type":"assistant","message":{"content":"Later."},"error":"rate_limit"}"#)
    else {
        panic!("not an assistant message")
    };
    assert_eq!(assistant.error, Some(AssistantError::RateLimit));
    let Message::Assistant(assistant) =
        read(r#"{"type":"assistant","message":{"content":"Later."},"error":"a_later_release"}"#)
    else {
        panic!("not an assistant message")
    };
    assert_eq!(
        assistant.error,
        Some(AssistantError::from("a_later_release"))
    );
}

#[test]
fn document_001_spells_the_session_in_camel_case() {
    for line in [
        r#"{"type":"user","sessionId":"s","message":"x"}"#,
        r#"{"type":"assistant","sessionId":"s","message":"x"}"#,
        r#"{"type":"compact_system","sessionId":"s","message":"conversation_compacting"}"#,
        r#"{"type":"system","subtype":"error","sessionId":"s","message":"x","isError":true}"#,
    ] {
        assert_eq!(read(line).session_id(), Some("s"), "{line}");
    }
    // Of both spellings, that of the CLI counts, and neither is lost.
    let both = r#"{"type":"user","sessionId":"document","session_id":"cli","message":"x"}"#;
    assert_eq!(read(both).session_id(), Some("cli"));
    let both = r#"{"type":"user","session_id":"cli","sessionId":"document","message":"x"}"#;
    assert_eq!(read(both).session_id(), Some("cli"));
}

#[test]
fn document_001_has_tool_calls_beside_the_message() {
    let line = r#"{"type":"assistant","uuid":"u","subtype":"tool_use","toolName":"Write","toolArguments":{"file_path":"/a"}}"#;
    let Message::Assistant(assistant) = read(line) else {
        panic!("{line}")
    };
    assert_eq!(assistant.tool_name.as_deref(), Some("Write"));
    assert!(
        assistant
            .tool_arguments
            .is_some_and(|input| input.is_object())
    );
}

#[test]
fn document_002_has_durations_as_floats() {
    let line = r#"{"type":"result","subtype":"success","result":"x","duration_ms":1234.5,"duration_api_ms":1000.25,"num_turns":3.0,"total_cost_usd":1}"#;
    let Message::Result(ResultMessage::Success {
        duration_ms,
        num_turns,
        total_cost_usd,
        details,
        ..
    }) = read(line)
    else {
        panic!("{line}")
    };
    assert_eq!(duration_ms, Some(1235));
    assert_eq!(details.duration_api_ms, Some(1000));
    assert_eq!(num_turns, Some(3));
    assert_eq!(total_cost_usd, Some(1.0));
}

#[test]
fn document_002_has_no_result_text_in_errors_and_document_004_none_in_success() {
    let message = read(r#"{"type":"result","subtype":"error_max_turns","is_error":true}"#);
    assert!(message.is_error());
    let Message::Result(ResultMessage::Success { result, .. }) =
        read(r#"{"type":"result","subtype":"success","num_turns":2}"#)
    else {
        panic!("not a success")
    };
    assert_eq!(result, "");
}

#[test]
fn cli_2_1_writes_nulls_where_nothing_is() {
    let message = read(
        r#"{"type":"assistant","message":{"role":"assistant","content":[],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"session_id":"s"}"#,
    );
    let Message::Assistant(assistant) = message else {
        panic!("{message:?}")
    };
    assert_eq!(assistant.parent_tool_use_id, None);
    assert_eq!(assistant.message.stop_reason, None);
}

#[test]
fn cli_2_1_cuts_emojis_in_half() {
    let line = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Hi \ud83d"}]}}"#;
    let decoded = Line::decode(line);
    assert_eq!(texts(decoded.message().unwrap()), ["Hi \u{fffd}"]);
    assert_eq!(decoded.raw().as_bytes(), line.as_bytes());
}

#[test]
fn damaged_files_have_marks_nul_bytes_and_carriage_returns_around_a_line() {
    for line in [
        &b"\xef\xbb\xbf{\"type\":\"keep_alive\"}"[..],
        b"\0\0{\"type\":\"keep_alive\"}\0",
        b"{\"type\":\"keep_alive\"}\r",
        b"  {\"type\":\"keep_alive\"}\t ",
    ] {
        let decoded = Line::decode(line.to_vec());
        assert_eq!(
            decoded.message().map(Message::message_type),
            Some("keep_alive")
        );
        assert_eq!(decoded.raw().as_bytes(), line);
    }
}

#[test]
fn damaged_files_have_bytes_that_are_not_utf_8() {
    let line = b"{\"type\":\"user\",\"message\":\"caf\xe9\"}";
    let decoded = Line::decode(line.to_vec());
    assert_eq!(texts(decoded.message().unwrap()), ["caf\u{fffd}"]);
    assert_eq!(decoded.raw().as_bytes(), line);
}

#[test]
fn javascript_takes_the_last_of_equal_keys() {
    let message = Message::from_json(
        r#"{"type":"assistant","type":"user","message":"first","message":"last"}"#,
    )
    .unwrap();
    assert_eq!(message.message_type(), "user");
    assert_eq!(texts(&message), ["last"]);
}
