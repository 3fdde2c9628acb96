//! Measures the most memory that is alive while one long line is decoded.
//!
//! ```text
//! memory MEGABYTES
//! ```
//!
//! The line's own buffer counts: it is kept beside the typed message. Growing a buffer counts the
//! old and the new one together, which is the worst an allocator can do. Output is one JSON object:
//! bytes by shape of the line.

use std::error::Error;
use std::hint::black_box;

use bytes::Bytes;
use peak_alloc::PeakAlloc;
use rusty_claw_protocol::Line;
use serde_json::{Value, json};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// A name, the text before the long part, the repeated part, and the text after it. In the repeated
/// part, `%` is a counter and `?` is a byte that is not UTF-8.
type Shape = (&'static str, &'static str, &'static str, &'static str);

const SHAPES: [Shape; 30] = [
    (
        "assistant text",
        r#"{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":""#,
        "sixteen letters.",
        r#""}]},"session_id":"s","uuid":"u"}"#,
    ),
    (
        "assistant text, half of it escapes",
        r#"{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":""#,
        r#"line\n\tof "#,
        r#""}]},"session_id":"s","uuid":"u"}"#,
    ),
    (
        "assistant text, half surrogates only",
        r#"{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":""#,
        r"\ud83d",
        r#""}]},"session_id":"s","uuid":"u"}"#,
    ),
    (
        "assistant, many short text blocks",
        r#"{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"first"}"#,
        r#",{"type":"text","text":"A block of text as long as a sentence is, which is what models write between tool calls, with a few words more to make it two lines, and then a third one that says what was found and what comes next, as they do."}"#,
        r#"]},"session_id":"s","uuid":"u"}"#,
    ),
    (
        "tool input",
        r#"{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t","name":"Write","input":{"content":""#,
        "sixteen letters.",
        r#""}}]},"session_id":"s","uuid":"u"}"#,
    ),
    (
        "tool result, a string",
        r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":""#,
        r"src/lib.rs:12: fn read()\n",
        r#""}]},"session_id":"s","uuid":"u"}"#,
    ),
    (
        "tool result, text blocks",
        r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":""#,
        r"src/lib.rs:12: fn read()\n",
        r#""}]}]},"session_id":"s","uuid":"u"}"#,
    ),
    (
        "tool result, said twice as the CLI does",
        r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"short"}]},"session_id":"s","uuid":"u","tool_use_result":{"stdout":""#,
        "sixteen letters.",
        r#"","stderr":""}}"#,
    ),
    (
        "image, base64",
        r#"{"type":"user","message":{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":""#,
        "iVBORw0KGgoAAAAN",
        r#""}}]},"session_id":"s","uuid":"u"}"#,
    ),
    (
        "result",
        r#"{"type":"result","subtype":"success","is_error":false,"duration_ms":1,"duration_api_ms":1,"num_turns":1,"session_id":"s","total_cost_usd":0.1,"result":""#,
        r"a sentence.\n",
        r#""}"#,
    ),
    (
        "unknown type",
        r#"{"type":"never_heard_of","session_id":"s","data":""#,
        "sixteen letters.",
        r#""}"#,
    ),
    (
        "unknown member of a known type",
        r#"{"type":"assistant","message":{"id":"m","role":"assistant","content":[]},"session_id":"s","uuid":"u","never_heard_of":""#,
        "sixteen letters.",
        r#""}"#,
    ),
    ("not JSON", "thread panicked: ", "sixteen letters.", ""),
    // No CLI prints these shapes, but an attacker may make it print them.
    (
        "assistant, empty blocks",
        r#"{"type":"assistant","message":{"content":[{}"#,
        ",{}",
        "]}}",
    ),
    (
        "assistant, shortest text blocks",
        r#"{"type":"assistant","message":{"content":[{"type":"text","text":""}"#,
        r#",{"type":"text","text":""}"#,
        "]}}",
    ),
    (
        "assistant, blocks of a new kind",
        r#"{"type":"assistant","message":{"content":[{"type":"x"}"#,
        r#",{"type":"x"}"#,
        "]}}",
    ),
    (
        "user, empty blocks of a tool result",
        r#"{"type":"user","message":{"content":[{"type":"tool_result","content":[{}"#,
        ",{}",
        "]}]}}",
    ),
    (
        "assistant, content without a message",
        r#"{"type":"assistant","content":[{}"#,
        ",{}",
        "]}",
    ),
    ("no type, content only", r#"{"content":[{}"#, ",{}", "]}"),
    (
        "a million new members",
        r#"{"type":"result","subtype":"success""#,
        r#","member-%":"A value with as many letters as this one has""#,
        "}",
    ),
    (
        "as many new members as there is room",
        r#"{"type":"assistant","message":{}"#,
        r#","%":0"#,
        "}",
    ),
    (
        "one new member again and again",
        r#"{"type":"assistant","message":{}"#,
        r#","x":0"#,
        "}",
    ),
    (
        "a known member again and again",
        r#"{"type":"assistant","message":{}"#,
        r#","uuid":"u""#,
        "}",
    ),
    (
        "a text of bytes that are not UTF-8",
        r#"{"type":"assistant","message":{"content":[{"type":"text","text":""#,
        "?",
        r#""}]}}"#,
    ),
    ("bytes that are not UTF-8", "", "?", ""),
    (
        "models in the usage",
        r#"{"type":"result","subtype":"success","modelUsage":{"m":{}"#,
        r#","%":{}"#,
        "}}",
    ),
    (
        "tools, empty names",
        r#"{"type":"system","subtype":"init","tools":[""#,
        r#"",""#,
        r#""]}"#,
    ),
    (
        "errors, empty",
        r#"{"type":"result","subtype":"error_during_execution","errors":[""#,
        r#"",""#,
        r#""]}"#,
    ),
    (
        "permission denials, empty",
        r#"{"type":"result","subtype":"success","permission_denials":[{}"#,
        ",{}",
        "]}",
    ),
    (
        "mirrored entries, empty",
        r#"{"type":"transcript_mirror","filePath":"f","entries":[{}"#,
        ",{}",
        "]}",
    ),
];

fn main() -> Result<(), Box<dyn Error>> {
    let megabytes: usize = match std::env::args().nth(1) {
        Some(text) => text.parse()?,
        None => 64,
    };
    let length = megabytes << 20;
    let mut shapes = serde_json::Map::new();
    for (name, before, repeated, after) in SHAPES {
        let line = line(length, before, repeated, after);
        shapes.insert(name.to_owned(), measure(line));
    }
    println!("{}", json!({ "shapes": shapes }));
    Ok(())
}

fn line(length: usize, before: &str, repeated: &str, after: &str) -> Bytes {
    let mut text = Vec::with_capacity(length + repeated.len() + 16);
    text.extend_from_slice(before.as_bytes());
    let mut count = 0_usize;
    while text.len() + after.len() < length {
        for byte in repeated.bytes() {
            match byte {
                b'%' => text.extend_from_slice(count.to_string().as_bytes()),
                b'?' => text.push(0xFF),
                _ => text.push(byte),
            }
        }
        count += 1;
    }
    text.extend_from_slice(after.as_bytes());
    // Exactly as large as it must be: spare room would count as part of the line.
    text.shrink_to_fit();
    Bytes::from(text)
}

fn measure(line: Bytes) -> Value {
    let bytes = line.len();
    // Everything alive beside the line was alive before it and does not count.
    let before = MEMORY.current_usage().saturating_sub(bytes);
    MEMORY.reset_peak_usage();
    let decoded = black_box(Line::decode(line));
    let peak = MEMORY.peak_usage().saturating_sub(before);
    let kept = MEMORY.current_usage().saturating_sub(before);
    drop(decoded);
    json!({ "line": bytes, "peak": peak, "kept": kept })
}
