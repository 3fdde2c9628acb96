//! Every leniency: where the documents and the CLI differ, both are read, and each is written the
//! way it came.
//!
//! The documents: 000 is the SDK's message reference, 001 the session files, 002 the message
//! schema, 004 the Elixir reference.

use rusty_claw_protocol::control::{ControlRequest, ControlResponse};
use rusty_claw_protocol::messages::{
    AssistantError, ContentBlock, ControlForm, Message, ResultMessage, SystemMessage, ToolInfo,
};
use rusty_claw_protocol::{Extra, Line};
use serde_json::Value;

use crate::samples::same;

fn is_text(message: &Message, expected: &str) -> bool {
    let blocks = message.content_blocks();
    matches!(blocks, [ContentBlock::Text { text, .. }] if text == expected)
}

fn is_result(message: &Message, expected: &str) -> bool {
    let blocks = message.content_blocks();
    matches!(blocks, [ContentBlock::ToolResult { content, is_error: false, .. }]
        if content.to_string() == expected)
}

fn kept(extra: &Extra, name: &str) -> String {
    extra
        .get(name)
        .map(|kept| kept.to_string())
        .unwrap_or_default()
}

fn lists_tools(message: &Message, as_objects: bool) -> bool {
    let Message::System(SystemMessage::Init { tools, .. }) = message else {
        return false;
    };
    let is_listed =
        |(tool, name): (&ToolInfo, &str)| tool.name == name && tool.is_object == as_objects;
    tools.len() == 2 && tools.iter().zip(["bash", "read"]).all(is_listed)
}

fn asks_for_bash(message: &Message) -> bool {
    let Message::ControlRequest {
        request: ControlRequest::CanUseTool(ask),
        ..
    } = message
    else {
        return false;
    };
    ask.tool_name == "Bash" && ask.input.get("command") == Some(&Value::from("ls"))
}

/// The producer of the line, the line, and a check of the message.
type Case = (&'static str, &'static str, fn(&Message) -> bool);

const CASES: &[Case] = &[
    (
        "000: flat control requests",
        r#"{"type":"control_request","request_id":"r1","subtype":"interrupt"}"#,
        |message| {
            matches!(message, Message::ControlRequest {
            request_id, request: ControlRequest::Interrupt(_), form: ControlForm::Flat, ..
        } if *request_id == "r1")
        },
    ),
    (
        "CLI: nested control requests",
        r#"{"type":"control_request","request_id":"r1","request":{"subtype":"interrupt"}}"#,
        |message| {
            matches!(message, Message::ControlRequest {
            request_id, request: ControlRequest::Interrupt(_), form: ControlForm::Nested, ..
        } if *request_id == "r1")
        },
    ),
    (
        "000: flat control responses",
        r#"{"type":"control_response","request_id":"r1","subtype":"success"}"#,
        |message| {
            matches!(message, Message::ControlResponse {
            request_id, response: ControlResponse::Success { .. }, form: ControlForm::Flat, ..
        } if *request_id == "r1")
        },
    ),
    (
        "CLI: nested control responses",
        r#"{"type":"control_response","response":{"request_id":"r1","subtype":"success"}}"#,
        |message| {
            matches!(message, Message::ControlResponse {
            request_id, response: ControlResponse::Success { .. }, form: ControlForm::Nested, ..
        } if *request_id == "r1")
        },
    ),
    (
        "000: the input of can_use_tool is `tool_input`",
        r#"{"type":"control_request","request_id":"r","subtype":"can_use_tool","tool_name":"Bash","tool_input":{"command":"ls"}}"#,
        asks_for_bash,
    ),
    (
        "CLI: the input of can_use_tool is `input`",
        r#"{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"t"}}"#,
        asks_for_bash,
    ),
    (
        "000: `allowed` and `reason` answer can_use_tool",
        r#"{"type":"control_response","request_id":"r","subtype":"success","allowed":false,"reason":"no"}"#,
        |message| {
            matches!(message, Message::ControlResponse {
            response: ControlResponse::Success { allowed: Some(false), reason, extra, .. }, ..
        } if reason.as_deref() == Some("no") && extra.is_empty())
        },
    ),
    (
        "000: `can_use_tool` in initialize",
        r#"{"type":"control_request","request_id":"r","subtype":"initialize","can_use_tool":true}"#,
        |message| {
            matches!(message, Message::ControlRequest {
            request: ControlRequest::Initialize(initialize), form: ControlForm::Flat, ..
        } if initialize.can_use_tool == Some(true) && initialize.extra.is_empty())
        },
    ),
    (
        "000: tools are objects",
        r#"{"type":"system","subtype":"init","session_id":"s","tools":[{"name":"bash"},{"name":"read","description":"Reads"}],"mcp_servers":[]}"#,
        |message| lists_tools(message, true),
    ),
    (
        "CLI 2.1: tools are names",
        r#"{"type":"system","subtype":"init","session_id":"s","tools":["bash","read"],"mcp_servers":[]}"#,
        |message| lists_tools(message, false),
    ),
    (
        "000: a result that asks for input",
        r#"{"type":"result","subtype":"input_required"}"#,
        |message| {
            matches!(
                message,
                Message::Result(ResultMessage::InputRequired { .. })
            )
        },
    ),
    (
        "000: an error with further members",
        r#"{"type":"result","subtype":"error","error":"denied","error_code":"EACCES","exit_code":126}"#,
        |message| {
            matches!(message, Message::Result(ResultMessage::Error { error, extra, .. })
            if error == "denied" && kept(extra, "error_code") == "\"EACCES\"" && kept(extra, "exit_code") == "126")
        },
    ),
    (
        "CLI 2.1: a list of errors",
        r#"{"type":"result","subtype":"error_during_execution","errors":["one","two"]}"#,
        |message| {
            matches!(message, Message::Result(ResultMessage::Error { error, errors: Some(errors), .. })
            if error == "one; two" && errors.len() == 2)
        },
    ),
    (
        "000: an empty compact_boundary",
        r#"{"type":"system","subtype":"compact_boundary"}"#,
        |message| {
            matches!(
                message,
                Message::System(SystemMessage::CompactBoundary { .. })
            )
        },
    ),
    (
        "CLI: a compact_boundary with metadata",
        r#"{"type":"system","subtype":"compact_boundary","compact_metadata":{"trigger":"manual","pre_tokens":9},"session_id":"s","uuid":"u"}"#,
        |message| {
            matches!(
                message,
                Message::System(SystemMessage::CompactBoundary { .. })
            )
        },
    ),
    (
        "000: a tool's result is an object",
        r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":{"output":"done"},"is_error":false}]}}"#,
        |message| is_result(message, r#"{"output":"done"}"#),
    ),
    (
        "000: a tool's result without `is_error` is no error",
        r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}}"#,
        |message| is_result(message, "x"),
    ),
    (
        "000: MCP messages are frames",
        r#"{"type":"mcp_message","server_name":"files","message":{"jsonrpc":"2.0","id":1}}"#,
        |message| matches!(message, Message::McpMessage(_)),
    ),
    (
        "001: the message is a string",
        r#"{"type":"user","message":"Hello"}"#,
        |message| is_text(message, "Hello"),
    ),
    (
        "001: the answer is a string",
        r#"{"type":"assistant","message":"Hello"}"#,
        |message| is_text(message, "Hello"),
    ),
    (
        "002: the content is a string",
        r#"{"type":"user","message":{"role":"user","content":"Hello"}}"#,
        |message| is_text(message, "Hello"),
    ),
    (
        "004: the answer's content is a string",
        r#"{"type":"assistant","message":{"content":"Hello"}}"#,
        |message| is_text(message, "Hello"),
    ),
    (
        "CLI: the content is a list",
        r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Hello"}]}}"#,
        |message| is_text(message, "Hello"),
    ),
    (
        "001: `sessionId` in an entry of a failure",
        r#"{"type":"system","subtype":"error","sessionId":"s","message":"x","isError":true}"#,
        |message| message.session_id() == Some("s"),
    ),
    (
        "001: of both spellings, that of the CLI counts",
        r#"{"type":"user","sessionId":"document","session_id":"cli","message":"x"}"#,
        |message| message.session_id() == Some("cli"),
    ),
    (
        "001: the same in the other order",
        r#"{"type":"user","session_id":"cli","sessionId":"document","message":"x"}"#,
        |message| message.session_id() == Some("cli"),
    ),
    (
        "002: numbers are floats",
        r#"{"type":"result","subtype":"success","result":"x","duration_ms":1234.5,"duration_api_ms":1000.25,"num_turns":3.0,"total_cost_usd":1}"#,
        |message| {
            matches!(message, Message::Result(ResultMessage::Success {
            duration_ms: Some(1235), num_turns: Some(3), total_cost_usd: Some(1.0), details, ..
        }) if details.duration_api_ms == Some(1000))
        },
    ),
    (
        "002: errors without a text",
        r#"{"type":"result","subtype":"error_max_turns","is_error":true}"#,
        Message::is_error,
    ),
    (
        "004: success without a text",
        r#"{"type":"result","subtype":"success","num_turns":2}"#,
        |message| matches!(message, Message::Result(ResultMessage::Success { result, .. }) if result.is_empty()),
    ),
    (
        "004: an error of an assistant message",
        r#"{"type":"assistant","message":{"content":"Later."},"error":"rate_limit"}"#,
        |message| {
            matches!(message, Message::Assistant(assistant)
            if assistant.error == Some(AssistantError::RateLimit))
        },
    ),
    (
        "004: an error of a later release",
        r#"{"type":"assistant","message":{"content":"Later."},"error":"a_later_release"}"#,
        |message| {
            matches!(message, Message::Assistant(assistant)
            if assistant.error == Some(AssistantError::from("a_later_release")))
        },
    ),
    (
        "CLI 2.1: `null` instead of absent",
        r#"{"type":"assistant","message":{"role":"assistant","content":[],"stop_reason":null,"stop_sequence":null},"parent_tool_use_id":null,"session_id":"s"}"#,
        |message| {
            matches!(message, Message::Assistant(assistant)
            if assistant.parent_tool_use_id.is_none() && assistant.message.stop_reason.is_none())
        },
    ),
];

#[test]
fn both_forms_are_read_and_written_as_they_came() {
    for (name, line, is_expected) in CASES {
        let message = Message::from_json(line).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(is_expected(&message), "{name}: {message:?}");
        let written = serde_json::to_value(&message).unwrap();
        let expected: Value = serde_json::from_str(line).unwrap();
        assert!(same(&written, &expected), "{name}: written as {written}");
    }
}

/// CLI 2.1 cuts emojis in half; damaged files have bytes that are not UTF-8.
#[test]
fn text_that_is_not_unicode_is_replaced_and_the_raw_line_kept() {
    for (line, text) in [
        (
            &br#"{"type":"assistant","message":{"content":[{"type":"text","text":"Hi \ud83d"}]}}"#
                [..],
            "Hi \u{fffd}",
        ),
        (
            b"{\"type\":\"user\",\"message\":\"caf\xe9\"}",
            "caf\u{fffd}",
        ),
    ] {
        let decoded = Line::decode(line.to_vec());
        assert!(is_text(decoded.message().unwrap(), text), "{decoded:?}");
        assert_eq!(decoded.raw().as_bytes(), line);
    }
}
