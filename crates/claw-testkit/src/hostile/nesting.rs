//! Nesting deeper than any stack.

use super::{
    ASSISTANT_TEXT, ASSISTANT_TOOL_USE, CONTROL_REQUEST, Collector, RESULT_SUCCESS, STREAM_EVENT,
    SYSTEM_INIT, USER_TOOL_RESULT, with_first, with_last,
};

const DEPTH: usize = 10_000;

fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

pub(super) fn add(out: &mut Collector) {
    let arrays = nested("[", "", "]", DEPTH);
    let objects = nested("{\"a\":", "1", "}", DEPTH);
    let mixed = nested("[{\"type\":", "\"x\"", "}]", DEPTH / 2);
    let kinds = [
        ("arrays", &arrays),
        ("objects", &objects),
        ("objects in arrays", &mixed),
    ];
    for (name, value) in kinds {
        let places = [
            (
                "an unknown member",
                "result",
                with_last(RESULT_SUCCESS, &format!("\"new\":{value}")),
            ),
            (
                "a tool input",
                "assistant",
                ASSISTANT_TOOL_USE.replace("\"touch it\"", value),
            ),
            (
                "the content",
                "user",
                USER_TOOL_RESULT.replace("\"(Bash completed with no output)\"", value),
            ),
            (
                "the usage",
                "result",
                RESULT_SUCCESS.replace("\"standard\"", value),
            ),
            (
                "the tools",
                "system",
                SYSTEM_INIT.replace("\"Task\"", value),
            ),
            (
                "a delta",
                "stream_event",
                STREAM_EVENT.replace("\"Hel\"", value),
            ),
            (
                "a control request",
                "control_request",
                CONTROL_REQUEST.replace("\"ls\"", value),
            ),
            (
                "the type",
                "",
                RESULT_SUCCESS.replace(
                    "\"result\",\"duration_ms\"",
                    &format!("{value},\"duration_ms\""),
                ),
            ),
        ];
        for (place, message_type, line) in places {
            out.message(
                format!("{name}, {DEPTH} deep, in {place}"),
                line,
                message_type,
            );
        }
        out.refused(
            format!("{name}, {DEPTH} deep, one not closed"),
            with_first(
                RESULT_SUCCESS,
                &format!(
                    "\"new\":{}",
                    value.get(..value.len() - 1).unwrap_or_default()
                ),
            ),
        );
    }
    typed(out);
    out.refused("nothing but opening brackets", "[".repeat(DEPTH));
    out.refused("nothing but opening objects", "{\"a\":".repeat(DEPTH));
    out.refused("arrays around nothing", nested("[", "", "]", DEPTH));
    out.refused(
        "brackets that cross",
        with_last(RESULT_SUCCESS, "\"new\":[{]}"),
    );
}

/// Values that contain their own kind, so that a typed reader goes down too.
fn typed(out: &mut Collector) {
    let block = |open: &str, close: &str| {
        let blocks = nested(open, "{\"type\":\"text\",\"text\":\"x\"}", close, DEPTH);
        USER_TOOL_RESULT.replace(
            "\"(Bash completed with no output)\"",
            &format!("[{blocks}]"),
        )
    };
    out.message(
        "tool results inside tool results",
        block(
            "{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":[",
            "]}",
        ),
        "user",
    );
    out.message(
        "tool results inside tool results, the type behind",
        block("{\"content\":[", "],\"type\":\"tool_result\"}"),
        "user",
    );
    out.message(
        "documents inside documents",
        block(
            "{\"type\":\"document\",\"source\":{\"type\":\"content\",\"content\":[",
            "]}}",
        ),
        "user",
    );
    out.message(
        "search results inside search results",
        block("{\"type\":\"search_result\",\"content\":[", "]}"),
        "user",
    );
    out.message(
        "web searches inside web searches",
        block("{\"type\":\"web_fetch_tool_result\",\"content\":{\"type\":\"web_fetch_result\",\"content\":", "}}"),
        "user",
    );
    out.message(
        "messages inside messages",
        ASSISTANT_TEXT.replace(
            "\"Hello there.\"",
            &nested("{\"type\":\"assistant\",\"message\":", "{}", "}", DEPTH),
        ),
        "assistant",
    );
    out.message(
        "requests inside requests",
        CONTROL_REQUEST.replace(
            "{\"command\":\"ls\"}",
            &nested("{\"subtype\":\"can_use_tool\",\"input\":", "{}", "}", DEPTH),
        ),
        "control_request",
    );
}
