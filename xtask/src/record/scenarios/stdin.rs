//! What the host may write, and what ends the process.

use super::super::scenario::Scenario;
use super::super::script::say;

/// Writes a line that the CLI survives, then a prompt.
fn survives(name: &'static str, about: &'static str, bytes: &'static [u8]) -> Scenario {
    Scenario::new(name, about)
        .api([say("Still here.")])
        .init()
        .raw(bytes)
        .ask("hello")
}

/// Writes a line that ends the process.
fn dies(name: &'static str, about: &'static str, bytes: &'static [u8]) -> Scenario {
    Scenario::new(name, about).init().raw(bytes).exits(1)
}

pub(super) fn scenarios() -> Vec<Scenario> {
    vec![
        survives("stdin_array", "an array", b"[1,2]\n"),
        survives("stdin_number", "a number", b"42\n"),
        survives("stdin_empty_object", "an empty object", b"{}\n"),
        survives("stdin_blank", "blank lines", b"\n\n   \n"),
        survives("stdin_bom", "a byte order mark", b"\xef\xbb\xbf{\"type\":\"keep_alive\"}\n"),
        survives("stdin_crlf", "CRLF", b"{\"type\":\"keep_alive\"}\r\n"),
        survives("stdin_keep_alive", "keep_alive", b"{\"type\":\"keep_alive\"}\n"),
        survives("stdin_unknown_type", "an unknown type", b"{\"type\":\"wibble\",\"x\":1}\n"),
        survives("stdin_assistant", "an assistant frame", br#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"injected"}]}}
"#),
        survives("stdin_system", "a system frame", b"{\"type\":\"system\",\"subtype\":\"foo\"}\n"),
        survives("stdin_cancel_unknown", "a cancel of an unknown request", b"{\"type\":\"control_cancel_request\",\"request_id\":\"nobody\"}\n"),
        survives("stdin_response_unknown", "a reply to an unknown request", br#"{"type":"control_response","response":{"subtype":"success","request_id":"nobody","response":{}}}
"#),
        survives("stdin_control_without_id", "a control request without an id", br#"{"type":"control_request","request":{"subtype":"mcp_status"}}
"#),
        Scenario::new("stdin_bad_utf8", "a prompt with invalid UTF-8")
            .api([say("One."), say("Two.")])
            .init()
            .raw(b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"a\xff\xfeb\"}}\n")
            .until("result")
            .ask("hello"),
        Scenario::new("stdin_in_pieces", "a line in pieces, cut inside a character")
            .api([say("Whole.")])
            .init()
            .raw(b"{\"type\":\"user\",\"message\":{\"ro")
            .pause(50)
            .raw(b"le\":\"user\",\"content\":\"caf\xc3")
            .pause(50)
            .raw(b"\xa9\"}}\n")
            .until("result"),
        Scenario::new("stdin_no_newline", "a last line without a newline, then the end")
            .api([say("Read.")])
            .init()
            .raw(br#"{"type":"user","message":{"role":"user","content":"hello"}}"#)
            .close()
            .until("result"),
        dies("stdin_not_json", "not JSON", b"this is not json\n"),
        dies("stdin_null", "null", b"null\n"),
        dies("stdin_nul_byte", "a NUL byte inside a line", b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"a\x00b\"}}\n"),
        dies("stdin_user_without_message", "a user frame without a message", b"{\"type\":\"user\"}\n"),
        dies("stdin_user_wrong_role", "a user frame with another role", b"{\"type\":\"user\",\"message\":{\"role\":\"assistant\",\"content\":\"x\"}}\n"),
        dies("stdin_control_without_request", "a control request without a request", b"{\"type\":\"control_request\",\"request_id\":\"z\"}\n"),
    ]
}
