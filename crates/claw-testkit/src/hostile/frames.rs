//! Whole frames: answers inside answers, types that change at the end of a line, floods of keys,
//! and marks in front of a line.

use super::{Collector, HostileLine, RESULT_SUCCESS, message_of, with_first, with_last};

/// Every type that a line can have, with members as they come.
const TYPES: [(&str, &str); 21] = [
    ("system", r#""subtype":"status","status":"requesting""#),
    (
        "assistant",
        r#""message":{"role":"assistant","content":[{"type":"text","text":"x"}]}"#,
    ),
    ("user", r#""message":{"role":"user","content":"x"}"#),
    ("result", r#""is_error":false,"result":"x""#),
    ("stream_event", r#""event":{"type":"message_stop"}"#),
    (
        "control_request",
        r#""request_id":"1","request":{"subtype":"interrupt"}"#,
    ),
    (
        "control_response",
        r#""response":{"subtype":"success","request_id":"1","response":{}}"#,
    ),
    ("control_cancel_request", r#""request_id":"1""#),
    (
        "rate_limit_event",
        r#""rate_limit_info":{"status":"allowed"}"#,
    ),
    (
        "tool_progress",
        r#""tool_use_id":"t","tool_name":"Bash","elapsed_time_seconds":1"#,
    ),
    (
        "tool_use_summary",
        r#""summary":"x","preceding_tool_use_ids":["t"]"#,
    ),
    ("prompt_suggestion", r#""suggestion":"x""#),
    ("auth_status", r#""isAuthenticating":false,"output":[]"#),
    (
        "command_lifecycle",
        r#""command_uuid":"c","state":"queued""#,
    ),
    ("conversation_reset", r#""new_conversation_id":"c""#),
    ("active_goal", r#""goal":null"#),
    ("transcript_mirror", r#""filePath":"f","entries":[{}]"#),
    ("keep_alive", r#""at":1"#),
    ("update_environment_variables", r#""variables":{"A":"b"}"#),
    ("mcp_message", r#""message":{"jsonrpc":"2.0","id":1}"#),
    ("a_new_type", r#""data":{"type":"user"}"#),
];

pub(super) fn add(out: &mut Collector) {
    nested_answers(out);
    changed_types(out);
    floods(out);
    two_requests(out);
    marks(out);
}

fn nested_answers(out: &mut Collector) {
    const OPEN: &str = r#"{"type":"control_response","response":{"subtype":"success","request_id":"1","pending_permission_requests":["#;
    for depth in [70, 500, 10_000] {
        out.message(
            format!("{depth} answers inside each other"),
            format!("{}{}", OPEN.repeat(depth), "]}}".repeat(depth)),
            "control_response",
        );
    }
}

fn changed_types(out: &mut Collector) {
    for (message_type, members) in TYPES {
        let line = format!(r#"{{"type":"{message_type}",{members},"session_id":"s","uuid":"u"}}"#);
        out.message(
            format!("{message_type} that turns out to be a result"),
            with_last(&line, r#""type":"result","subtype":"success""#),
            "result",
        );
        out.message(
            format!("{message_type} behind a type that nobody knows"),
            with_first(&line, r#""type":"bogus""#),
            message_type,
        );
        out.message(
            format!("{message_type} behind a type that is a list"),
            with_first(&line, r#""type":["result"]"#),
            message_type,
        );
    }
}

fn floods(out: &mut Collector) {
    const MANY: usize = 20_000;
    let join =
        |member: &dyn Fn(usize) -> String| (0..MANY).map(member).collect::<Vec<_>>().join(",");
    let models = join(&|index| format!(r#""m{index}":{{"inputTokens":{index}}}"#));
    out.message(
        "twenty thousand models in the usage",
        with_last(RESULT_SUCCESS, &format!("\"modelUsage\":{{{models}}}")),
        "result",
    );
    let unknown = join(&|index| format!("\"k{index}\":{index}"));
    let ids = join(&|_| r#""uuid":"x""#.to_owned());
    out.message(
        "twenty thousand new members and as many ids",
        with_last(RESULT_SUCCESS, &format!("{unknown},{ids}")),
        "result",
    );
    let same = join(&|index| format!("\"new\":{index}"));
    out.message(
        "one new member twenty thousand times",
        with_last(RESULT_SUCCESS, &same),
        "result",
    );
}

fn two_requests(out: &mut Collector) {
    out.lines.push(HostileLine {
        name: "two requests, the first is empty".to_owned(),
        bytes: br#"{"type":"control_request","request_id":"1","request":{},"request":{"subtype":"can_use_tool","tool_name":"Bash","input":{}}}"#.to_vec(),
        expect: message_of("control_request"),
        subtype: Some("can_use_tool".to_owned()),
    });
}

/// In whatever order a mark, spaces and NUL bytes stand in front of an object, it is the object.
fn marks(out: &mut Collector) {
    let marks = [
        ("a space, then a byte order mark", " \u{feff}"),
        ("a NUL, then a byte order mark", "\0\u{feff}"),
        ("a byte order mark between spaces", " \u{feff} "),
        ("two byte order marks", "\u{feff}\u{feff}"),
        (
            "two byte order marks with a NUL between",
            "\u{feff}\0\u{feff}",
        ),
    ];
    for (name, mark) in marks {
        out.message(name, format!("{mark}{RESULT_SUCCESS}"), "result");
    }
}
