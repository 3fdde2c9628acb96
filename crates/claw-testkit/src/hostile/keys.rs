//! Keys: twice, escaped, in odd places, odd themselves. Of several equal keys the last one counts,
//! as it does for JavaScript.

use super::{
    ASSISTANT_TEXT, CONTROL_REQUEST, Collector, REAL, RESULT_ERROR, RESULT_SUCCESS, SYSTEM_INIT,
    USER_TOOL_RESULT, with_first, with_last,
};

pub(super) fn add(out: &mut Collector) {
    duplicates(out);
    types(out);
    extra_members(out);
}

fn duplicates(out: &mut Collector) {
    out.message(
        "two types, the last is result",
        with_last(ASSISTANT_TEXT, r#""type":"result""#),
        "result",
    );
    out.message(
        "two types, the last is not result",
        with_last(RESULT_SUCCESS, r#""type":"assistant""#),
        "assistant",
    );
    out.message(
        "two types, the last is null",
        with_last(RESULT_SUCCESS, r#""type":null"#),
        "",
    );
    out.message(
        "two types, the first is null",
        with_first(RESULT_SUCCESS, r#""type":null"#),
        "result",
    );
    out.message(
        "two types, the first is a number",
        with_first(RESULT_SUCCESS, r#""type":[1]"#),
        "result",
    );
    out.message(
        "two types, the last is unknown",
        with_last(RESULT_SUCCESS, r#""type":"new""#),
        "new",
    );
    out.message(
        "two types, the first is unknown",
        with_first(RESULT_SUCCESS, r#""type":"new""#),
        "result",
    );
    out.message(
        "two types, one of them escaped",
        with_last(ASSISTANT_TEXT, r#""typ\u0065":"result""#),
        "result",
    );
    out.message(
        "the type a hundred times",
        format!(
            "{{{}\"type\":\"result\"}}",
            "\"type\":\"system\",".repeat(100)
        ),
        "result",
    );
    let twice = [
        (
            "the subtype, to an error",
            "result",
            with_last(RESULT_SUCCESS, r#""subtype":"error_max_turns""#),
        ),
        (
            "the subtype, to success",
            "result",
            with_last(RESULT_ERROR, r#""subtype":"success""#),
        ),
        (
            "the subtype, to null",
            "result",
            with_last(RESULT_ERROR, r#""subtype":null"#),
        ),
        (
            "the subtype of a system message",
            "system",
            with_last(SYSTEM_INIT, r#""subtype":"compact_boundary""#),
        ),
        (
            "the message",
            "assistant",
            with_last(ASSISTANT_TEXT, r#""message":"again""#),
        ),
        (
            "the content",
            "user",
            USER_TOOL_RESULT.replace("\"role\":\"user\"", r#""role":"user","content":"first""#),
        ),
        (
            "the type of a block",
            "assistant",
            ASSISTANT_TEXT.replace("\"text\":\"Hello", r#""type":"thinking","text":"Hello"#),
        ),
        (
            "the session",
            "result",
            with_last(RESULT_SUCCESS, r#""session_id":"other""#),
        ),
        (
            "the session, in another spelling",
            "user",
            with_last(USER_TOOL_RESULT, r#""sessionId":"other""#),
        ),
        (
            "an unknown member",
            "result",
            with_last(&with_first(RESULT_SUCCESS, "\"new\":1"), "\"new\":2"),
        ),
        (
            "the request",
            "control_request",
            with_last(CONTROL_REQUEST, r#""request":{"subtype":"interrupt"}"#),
        ),
        (
            "the request, then null",
            "control_request",
            with_last(CONTROL_REQUEST, r#""request":null"#),
        ),
        (
            "the request's id",
            "control_request",
            with_last(CONTROL_REQUEST, r#""request_id":"other""#),
        ),
        (
            "the request's subtype",
            "control_request",
            CONTROL_REQUEST.replace("\"tool_name\"", r#""subtype":"interrupt","tool_name""#),
        ),
    ];
    for (name, message_type, line) in twice {
        out.message(format!("twice: {name}"), line, message_type);
    }
}

fn types(out: &mut Collector) {
    out.message(
        "the type's key escaped",
        RESULT_ERROR.replacen("type", "typ\\u0065", 1),
        "result",
    );
    out.message(
        "the type's key all escapes",
        RESULT_ERROR.replacen("type", r"\u0074\u0079\u0070\u0065", 1),
        "result",
    );
    out.message(
        "the type's value escaped",
        RESULT_ERROR.replacen("\"result\"", "\"\\u0072esul\\u0074\"", 1),
        "result",
    );
    out.message(
        "the subtype escaped",
        RESULT_SUCCESS.replace("\"success\"", "\"\\u0073uccess\""),
        "result",
    );
    out.message(
        "the type of a block escaped",
        ASSISTANT_TEXT.replace("\"type\":\"text\"", "\"\\u0074ype\":\"te\\u0078t\""),
        "assistant",
    );
    out.message(
        "the type inside a string before the type",
        with_first(RESULT_ERROR, r#""a":"\",\"type\":\"system\",\"b\":\"""#),
        "result",
    );
    out.message(
        "the type inside an object before the type",
        with_first(
            RESULT_ERROR,
            r#""a":{"type":"system","b":[{"type":"user"}]}"#,
        ),
        "result",
    );
    out.message(
        "backslashes before a quote",
        with_first(RESULT_ERROR, r#""a":"\\\\\\\"","b":"\\""#),
        "result",
    );
    let odd = [
        ("missing", r#"{"subtype":"success","result":"x"}"#, ""),
        ("null", r#"{"type":null,"result":"x"}"#, ""),
        ("a number", r#"{"type":7}"#, ""),
        ("true", r#"{"type":true}"#, ""),
        ("an object", r#"{"type":{"type":"result"}}"#, ""),
        ("a list", r#"{"type":["result"]}"#, ""),
        ("empty", r#"{"type":""}"#, ""),
        ("in upper case", r#"{"type":"RESULT"}"#, "RESULT"),
        ("with a space", r#"{"type":"result "}"#, "result "),
        ("with a NUL", r#"{"type":"result\u0000"}"#, "result\0"),
        ("half a surrogate", r#"{"type":"\ud83d"}"#, "\u{fffd}"),
        ("a word of Rust", r#"{"type":"Unknown"}"#, "Unknown"),
        (
            "called unknown",
            r#"{"type":"unknown","name":"result"}"#,
            "unknown",
        ),
        ("the only member", r#"{"type":"result"}"#, "result"),
        ("in a key of another case", r#"{"Type":"result"}"#, ""),
        ("in an empty object", "{}", ""),
    ];
    for (name, line, message_type) in odd {
        out.message(format!("the type: {name}"), line, message_type);
    }
    let long = "r".repeat(100_000);
    out.message(
        "the type: very long",
        format!("{{\"type\":\"{long}\"}}"),
        &long,
    );
}

fn extra_members(out: &mut Collector) {
    for (index, (message_type, line)) in REAL.into_iter().enumerate() {
        // Into every object of the line, at all levels.
        let line = line.replace('{', r#"{"new_member":{"a":[1,null,"x"]},"#);
        out.message(
            format!("a new member in every object of line {index}"),
            line,
            message_type,
        );
    }
    for key in [
        "",
        "__proto__",
        "constructor",
        "extra",
        "raw",
        "message_type",
        "🦀",
        "a.b[0]",
    ] {
        out.message(
            format!("a member called {key:?}"),
            with_first(RESULT_SUCCESS, &format!("\"{key}\":{{\"type\":\"user\"}}")),
            "result",
        );
    }
    let long = "k".repeat(1 << 20);
    out.message(
        "a key of a megabyte",
        with_first(RESULT_SUCCESS, &format!("\"{long}\":1")),
        "result",
    );
    let many: Vec<String> = (0..5_000)
        .map(|index| format!("\"k{index}\":{index}"))
        .collect();
    out.message(
        "five thousand new members",
        with_first(RESULT_SUCCESS, &many.join(",")),
        "result",
    );
}
