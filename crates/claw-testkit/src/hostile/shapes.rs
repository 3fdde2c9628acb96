//! Values of the wrong kind, of kinds nobody knows, and of the wrong size.

use super::{
    ASSISTANT_TEXT, ASSISTANT_TOOL_USE, CONTROL_REQUEST, Collector, RESULT_ERROR, RESULT_SUCCESS,
    STREAM_EVENT, SYSTEM_INIT, USER_TOOL_RESULT,
};

pub(super) fn add(out: &mut Collector) {
    wrong_kinds(out);
    unknown_kinds(out);
    sizes(out);
}

/// A member's name, a line that has it with its type, and the text of its value there; what stands
/// behind a bar only tells the place from others with the same value.
const MEMBERS: [(&str, &str, &str, &str); 24] = [
    ("subtype", "result", RESULT_SUCCESS, "\"success\""),
    ("result", "result", RESULT_SUCCESS, "\"Done.\""),
    (
        "usage",
        "result",
        RESULT_SUCCESS,
        r#"{"input_tokens":100,"output_tokens":28,"service_tier":"standard"}"#,
    ),
    ("is_error", "result", RESULT_SUCCESS, "false"),
    ("num_turns", "result", RESULT_SUCCESS, r#"1|,"subtype""#),
    ("total_cost_usd", "result", RESULT_SUCCESS, "0.0123"),
    (
        "session_id",
        "result",
        RESULT_SUCCESS,
        "\"8a671434-e67a-4a9b-b202-0b380f33f94e\"",
    ),
    (
        "uuid",
        "result",
        RESULT_SUCCESS,
        "\"8c68bf7b-f18d-49ac-abdc-3f9144cf2b17\"",
    ),
    (
        "errors",
        "result",
        RESULT_ERROR,
        r#"["Reached maximum number of turns (3)"]"#,
    ),
    (
        "error subtype",
        "result",
        RESULT_ERROR,
        "\"error_max_turns\"",
    ),
    (
        "content",
        "assistant",
        ASSISTANT_TEXT,
        r#"[{"type":"text","text":"Hello there."}]"#,
    ),
    (
        "block",
        "assistant",
        ASSISTANT_TEXT,
        r#"{"type":"text","text":"Hello there."}"#,
    ),
    ("text", "assistant", ASSISTANT_TEXT, "\"Hello there.\""),
    (
        "role",
        "assistant",
        ASSISTANT_TOOL_USE,
        r#""assistant"|,"content""#,
    ),
    ("tool name", "assistant", ASSISTANT_TOOL_USE, "\"Bash\""),
    (
        "tool input",
        "assistant",
        ASSISTANT_TOOL_USE,
        r#"{"command":"touch it"}"#,
    ),
    (
        "tool result",
        "user",
        USER_TOOL_RESULT,
        "\"(Bash completed with no output)\"",
    ),
    ("tools", "system", SYSTEM_INIT, r#"["Task","Bash"]"#),
    (
        "mcp_servers",
        "system",
        SYSTEM_INIT,
        r#"[{"name":"files","status":"connected"}]"#,
    ),
    (
        "event",
        "stream_event",
        STREAM_EVENT,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}"#,
    ),
    (
        "delta",
        "stream_event",
        STREAM_EVENT,
        r#"{"type":"text_delta","text":"Hel"}"#,
    ),
    (
        "request",
        "control_request",
        CONTROL_REQUEST,
        r#"{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"toolu_t1"}"#,
    ),
    (
        "request_id",
        "control_request",
        CONTROL_REQUEST,
        "\"82bea28e-af18-4441-be03-f1d39f049d6c\"",
    ),
    (
        "request subtype",
        "control_request",
        CONTROL_REQUEST,
        "\"can_use_tool\"",
    ),
];

const KINDS: [(&str, &str); 7] = [
    ("null", "null"),
    ("a number", "7"),
    ("a string", "\"odd\""),
    ("true", "true"),
    ("an empty list", "[]"),
    ("a list of all kinds", r#"[null,7,"odd",true,[],{}]"#),
    ("an empty object", "{}"),
];

fn wrong_kinds(out: &mut Collector) {
    for (member, message_type, line, value) in MEMBERS {
        for (kind, odd) in KINDS {
            let (value, behind) = value.split_once('|').unwrap_or((value, ""));
            let changed = line.replacen(&format!("{value}{behind}"), &format!("{odd}{behind}"), 1);
            out.message(format!("{member}: {kind}"), changed, message_type);
        }
    }
    for (kind, odd) in KINDS {
        out.message(
            format!("message: {kind}"),
            format!(r#"{{"type":"assistant","message":{odd},"session_id":"s"}}"#),
            "assistant",
        );
    }
}

fn unknown_kinds(out: &mut Collector) {
    let cases = [
        (
            "a type",
            "a_new_type",
            RESULT_SUCCESS.replace("\"type\":\"result\"", "\"type\":\"a_new_type\""),
        ),
        (
            "a result",
            "result",
            RESULT_SUCCESS.replace("\"success\"", "\"a_new_end\""),
        ),
        (
            "an error",
            "result",
            RESULT_ERROR.replace("error_max_turns", "error_of_a_new_kind"),
        ),
        (
            "a system message",
            "system",
            SYSTEM_INIT.replace("\"init\"", "\"a_new_fact\""),
        ),
        (
            "a block",
            "assistant",
            ASSISTANT_TEXT.replace("\"type\":\"text\"", "\"type\":\"hologram\""),
        ),
        (
            "a block in a tool result",
            "user",
            USER_TOOL_RESULT.replace(
                "\"(Bash completed with no output)\"",
                r#"[{"type":"hologram","hue":1}]"#,
            ),
        ),
        (
            "a delta",
            "stream_event",
            STREAM_EVENT.replace("text_delta", "hologram_delta"),
        ),
        (
            "an event",
            "stream_event",
            STREAM_EVENT.replace("content_block_delta", "hologram_start"),
        ),
        (
            "a control request",
            "control_request",
            CONTROL_REQUEST.replace("can_use_tool", "make_tea"),
        ),
        (
            "a stop reason",
            "result",
            RESULT_SUCCESS.replace("end_turn", "bored"),
        ),
        (
            "a permission mode",
            "system",
            SYSTEM_INIT.replace("\"default\"", "\"yolo\""),
        ),
        (
            "a server status",
            "system",
            SYSTEM_INIT.replace("\"connected\"", "\"dreaming\""),
        ),
    ];
    for (name, message_type, line) in cases {
        out.message(format!("{name} of a new kind"), line, message_type);
    }
}

fn sizes(out: &mut Collector) {
    let block = r#"{"type":"text","text":"x"},"#;
    out.message(
        "ten thousand blocks",
        ASSISTANT_TEXT.replace(
            r#"[{"type":"text","text":"Hello there."}]"#,
            &format!("[{}]", block.repeat(10_000).trim_end_matches(',')),
        ),
        "assistant",
    );
    out.message(
        "a hundred thousand tools",
        SYSTEM_INIT.replace(
            "\"Task\"",
            "\"Task\",".repeat(100_000).trim_end_matches(','),
        ),
        "system",
    );
    out.message(
        "a hundred thousand zeros in a new member",
        SYSTEM_INIT.replace(
            "[\"Task\"",
            &format!("[[{}0],\"Task\"", "0,".repeat(100_000)),
        ),
        "system",
    );
    let length = (1 << 20) + out.dice.between(0, 1 << 10);
    out.message(
        "a text of a megabyte",
        ASSISTANT_TEXT.replace("Hello there.", &"a".repeat(length)),
        "assistant",
    );
    out.message(
        "a megabyte of escaped quotes",
        ASSISTANT_TEXT.replace("Hello there.", &"\\\"".repeat(length / 2)),
        "assistant",
    );
    out.message(
        "a megabyte of half surrogates",
        RESULT_SUCCESS.replace("Done.", &"\\ud83d".repeat(length / 6)),
        "result",
    );
    out.message(
        "empty strings everywhere",
        r#"{"type":"result","subtype":"","result":"","session_id":"","uuid":"","errors":[""],"":""}"#,
        "result",
    );
    out.message(
        "a megabyte of spaces before the type",
        format!("{{{}\"type\":\"result\"}}", " ".repeat(length)),
        "result",
    );
}
