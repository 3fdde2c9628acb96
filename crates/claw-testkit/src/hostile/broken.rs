//! What is not a JSON object, however much it looks like one.

use super::{ASSISTANT_TEXT, Collector, REAL, RESULT_ERROR, RESULT_SUCCESS, with_bytes};

pub(super) fn add(out: &mut Collector) {
    let not_objects = [
        ("nothing", ""),
        ("a space", " "),
        ("a carriage return", "\r"),
        ("an array", "[{\"type\":\"result\"}]"),
        ("an empty array", "[]"),
        ("a string", "\"{\\\"type\\\":\\\"result\\\"}\""),
        ("a number", "42"),
        ("true", "true"),
        ("null", "null"),
        ("a word", "result"),
        (
            "a log line",
            "[2026-11-15T02:25:34Z] warn: slow file system",
        ),
        ("an event stream line", "data: {\"type\":\"result\"}"),
        ("an opening bracket", "{"),
        ("a closing bracket", "}"),
        ("a key alone", "{\"type\"}"),
        ("a key without a value", "{\"type\":}"),
        ("a key without quotes", "{type:\"result\"}"),
        ("a comma alone", "{,}"),
        (
            "a missing comma",
            "{\"type\":\"result\" \"subtype\":\"success\"}",
        ),
        ("a missing colon", "{\"type\" \"result\"}"),
        (
            "two commas",
            "{\"type\":\"result\",,\"subtype\":\"success\"}",
        ),
        ("a comma before the members", "{,\"type\":\"result\"}"),
        ("single quotes", "{'type':'result'}"),
        ("a comment behind", "{\"type\":\"result\"} // the end"),
        ("a comment inside", "{\"type\":/* which */\"result\"}"),
        ("a comment before", "// {\"type\":\"result\"}"),
        ("a number as key", "{1:\"result\"}"),
        (
            "a closing bracket of the other kind",
            "{\"type\":\"result\"]",
        ),
        ("one bracket too many", "{\"type\":\"result\"}}"),
        ("a wrong escape", "{\"type\":\"result\",\"a\":\"\\x41\"}"),
        ("a wrong escape in a key", "{\"type\":\"result\",\"\\q\":1}"),
        (
            "a short Unicode escape",
            "{\"type\":\"result\",\"a\":\"\\u12\"}",
        ),
        (
            "a Unicode escape with a letter",
            "{\"type\":\"result\",\"a\":\"\\u12g4\"}",
        ),
        (
            "half a surrogate before a wrong escape",
            "{\"type\":\"result\",\"a\":\"\\ud83d\\u12\"}",
        ),
        ("an escaped end quote", "{\"type\":\"result\\\"}"),
        ("a wrong word", "{\"type\":\"result\",\"a\":nul}"),
        ("a word too long", "{\"type\":\"result\",\"a\":nullx}"),
        ("a word in upper case", "{\"type\":\"result\",\"a\":TRUE}"),
        ("a vertical tab between", "{\"type\":\x0b\"result\"}"),
        ("a form feed between", "{\"type\":\x0c\"result\"}"),
        ("a no-break space between", "{\"type\":\u{a0}\"result\"}"),
        ("U+2028 between", "{\"type\":\u{2028}\"result\"}"),
        ("a NUL between", "{\"type\":\0\"result\"}"),
        ("a byte order mark between", "{\"type\":\u{feff}\"result\"}"),
        (
            "a wrong value in a known member",
            "{\"type\":\"result\",\"usage\":{\"input_tokens\":1x}}",
        ),
        (
            "a wrong block",
            "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",}]}}",
        ),
    ];
    for (name, text) in not_objects {
        out.refused(name, text);
    }
    out.refused(
        "a trailing comma",
        RESULT_ERROR.replace("b18\"}", "b18\",}"),
    );
    out.refused(
        "a trailing comma in a list",
        RESULT_ERROR.replace("(3)\"]", "(3)\",]"),
    );
    out.refused(
        "two objects glued",
        format!("{ASSISTANT_TEXT}{RESULT_SUCCESS}"),
    );
    out.refused(
        "two objects with a NUL between",
        format!("{ASSISTANT_TEXT}\0{RESULT_SUCCESS}"),
    );
    out.refused(
        "a string that eats the rest",
        with_bytes(RESULT_SUCCESS, "Done.\"", b"Done."),
    );
    for (index, (_, line)) in REAL.into_iter().enumerate() {
        for part in 0..4 {
            let quarter = line.len() / 4;
            // Lines are ASCII, so every cut is between characters.
            let cut = out.dice.between(quarter * part + 1, quarter * (part + 1));
            out.refused(
                format!("line {index} cut in quarter {part}"),
                line.get(..cut).unwrap_or_default(),
            );
            let from = line.len() - cut;
            out.refused(
                format!("line {index} without its head, quarter {part}"),
                line.get(from..).unwrap_or_default(),
            );
        }
    }
}
