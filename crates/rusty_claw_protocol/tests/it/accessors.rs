//! What every reader of messages asks first, as tables.

use rusty_claw_protocol::messages::{ContentBlock, Message};

fn read(line: &str) -> Message {
    Message::from_json(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

/// Columns: type, subtype, session id, uuid, uuid of a user message; flags (`E` failed turn, `F`
/// end of a turn); line. `-` means none.
///
/// An incomplete turn has failed regardless of its flag, and `success` with the flag is how the CLI
/// reports that the API failed. General system entries of session files have no subtype.
const LINES: &str = r#"
result error - - - EF {"type":"result","subtype":"error"}
result error_max_turns s u - EF {"type":"result","subtype":"error_max_turns","session_id":"s","uuid":"u"}
result error_during_execution - - - EF {"type":"result","subtype":"error_during_execution"}
result error_max_budget_usd - - - EF {"type":"result","subtype":"error_max_budget_usd"}
result error_max_structured_output_retries - - - EF {"type":"result","subtype":"error_max_structured_output_retries"}
result error_of_a_later_release - - - EF {"type":"result","subtype":"error_of_a_later_release"}
result error_max_turns - - - EF {"type":"result","subtype":"error_max_turns","is_error":false}
result success - - - EF {"type":"result","subtype":"success","is_error":true,"result":"API Error: 500"}
result a_later_release - - - EF {"type":"result","subtype":"a_later_release","is_error":true}
result - - - - EF {"type":"result","is_error":true}
result success - - - F {"type":"result","subtype":"success","is_error":false}
result success s u - F {"type":"result","subtype":"success","session_id":"s","uuid":"u"}
result input_required - - - F {"type":"result","subtype":"input_required"}
result a_later_release s u - F {"type":"result","subtype":"a_later_release","session_id":"s","uuid":"u"}
result - - - - F {"type":"result"}
assistant - - - - - {"type":"assistant"}
assistant - - - - - {"type":"assistant","session_id":null}
assistant - s u - - {"type":"assistant","session_id":"s","uuid":"u"}
assistant - s - - - {"type":"assistant","sessionId":"s"}
assistant tool_use - - - - {"type":"assistant","subtype":"tool_use"}
assistant - - - - - {"type":"assistant","error":"rate_limit","message":{"content":"x"}}
user - - - - - {"type":"user"}
user - s u u - {"type":"user","session_id":"s","uuid":"u"}
user - s - - - {"type":"user","sessionId":"s"}
user - - u u - {"type":"user","uuid":"u","message":{"content":"x"}}
user - - - - - {"type":"user","message":{"content":"x"}}
user - - - - - {"type":"user","uuid":null}
user - - - - - {"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true}]}}
system - - - - - {"type":"system"}
system - s u - - {"type":"system","session_id":"s","uuid":"u"}
system - s u - - {"type":"system","uuid":"u","sessionId":"s","message":"Status"}
system - s - - - {"type":"system","session_id":"s","sessionId":"t"}
system init - - - - {"type":"system","subtype":"init"}
system init s - - - {"type":"system","subtype":"init","session_id":"s"}
system status - - - - {"type":"system","subtype":"status"}
system compact_boundary s - - - {"type":"system","subtype":"compact_boundary","session_id":"s"}
system error - - - - {"type":"system","subtype":"error","isError":true}
system a_later_release s u - - {"type":"system","subtype":"a_later_release","session_id":"s","uuid":"u"}
system a_later_release s - - - {"type":"system","subtype":"a_later_release","sessionId":"s"}
compact_system - s - - - {"type":"compact_system","sessionId":"s"}
stream_event - - - - - {"type":"stream_event","event":{"type":"message_stop"}}
stream_event - s u - - {"type":"stream_event","session_id":"s","uuid":"u"}
rate_limit_event - - - - - {"type":"rate_limit_event"}
rate_limit_event - s u - - {"type":"rate_limit_event","session_id":"s","uuid":"u"}
keep_alive - - - - - {"type":"keep_alive"}
control_request interrupt - - - - {"type":"control_request","request_id":"r","request":{"subtype":"interrupt"}}
control_request interrupt - - - - {"type":"control_request","request_id":"r","subtype":"interrupt"}
control_response success - - - - {"type":"control_response","response":{"subtype":"success","request_id":"r"}}
control_response error - - - - {"type":"control_response","response":{"subtype":"error","request_id":"r","error":"no"}}
a_new_type - s u - - {"type":"a_new_type","session_id":"s","uuid":"u"}
a_new_type - s - - - {"type":"a_new_type","sessionId":"s"}
a_new_type - - - - - {"type":"a_new_type","is_error":true}
a_new_type - - - - - {"type":"a_new_type","subtype":"success"}
- - - - - - {"type":null}
- - - - - - {}
"#;

#[test]
fn type_ids_failure_and_end_of_turn_are_found() {
    for row in LINES.trim().lines() {
        let (expected, line) = row.split_at(row.find(" {").unwrap());
        let message = read(line);
        let mut flags = String::new();
        if message.is_error() {
            flags.push('E');
        }
        if message.is_final() {
            flags.push('F');
        }
        let found = [
            Some(message.message_type()).filter(|text| !text.is_empty()),
            message.subtype(),
            message.session_id(),
            message.uuid(),
            message.user_uuid(),
            Some(flags.as_str()).filter(|flags| !flags.is_empty()),
        ];
        assert_eq!(
            found.map(|text| text.unwrap_or("-")).join(" "),
            expected,
            "{line}"
        );
    }
}

#[test]
fn content_blocks_are_those_of_the_conversation() {
    // Content that is a string is one text block, and so is a message that is one.
    let table = r#"
a <tool_use>   {"type":"assistant","message":{"content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}
<tool_result>  {"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}}
Hello          {"type":"assistant","message":{"content":"Hello"}}
Hello          {"type":"user","message":{"role":"user","content":"Hello"}}
Hello          {"type":"user","message":"Hello"}
               {"type":"assistant","message":{"content":[]}}
               {"type":"assistant"}
<hologram>     {"type":"assistant","message":{"content":[{"type":"hologram"}]}}
               {"type":"result","subtype":"success","result":"Hello"}"#;
    for row in table.lines().skip(1) {
        let (expected, line) = row.split_at(row.find('{').unwrap());
        let message = read(line);
        let blocks = message.content_blocks().iter().map(|block| match block {
            ContentBlock::Text { text, .. } => text.clone(),
            other => format!("<{}>", other.tag()),
        });
        assert_eq!(
            blocks.collect::<Vec<_>>().join(" "),
            expected.trim(),
            "{line}"
        );
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
    // JSON of another kind has no offset at which it stops being JSON; other text has.
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
            r#""success","duration_ms":1234.5,"duration_api_ms":1000.25"#,
            Some(1234.5),
            Some(1000.25),
        ),
        (
            r#""error_max_turns","duration_ms":0.75,"duration_api_ms":7"#,
            Some(0.75),
            Some(7.0),
        ),
        (r#""success","duration_ms":1500"#, Some(1500.0), None),
        (r#""input_required""#, None, None),
        (r#""success","duration_ms":"long""#, None, None),
    ];
    for (rest, whole, api) in table {
        let Message::Result(result) = read(&format!(r#"{{"type":"result","subtype":{rest}}}"#))
        else {
            panic!("{rest}")
        };
        let durations = (result.exact_duration_ms(), result.exact_duration_api_ms());
        assert_eq!(durations, (whole, api), "{rest}");
    }
}
