//! Checks that every JSON object decodes to a message without loss, and that the message is written
//! as JSON of the same type.
//!
//! The expected values come from an independent reader, which keeps every digit of a number.
#![no_main]

#[path = "../../crates/rusty_claw_protocol/tests/it/recordings/compare.rs"]
mod compare;

use libfuzzer_sys::fuzz_target;
use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::{Line, Peek};
use serde_json::Value;
use serde_json::value::RawValue;

fuzz_target!(|data: &[u8]| {
    let line = Line::decode(data.to_vec());
    assert_eq!(line.raw().as_bytes(), data);
    let peek = line.raw().peek();
    let parsed: Option<Value> = serde_json::from_slice(data).ok();
    let Some(message) = line.message() else {
        assert!(
            !matches!(parsed, Some(Value::Object(_))),
            "an object must be a message"
        );
        return;
    };
    let peek = peek.expect("what decodes can be peeked at");
    assert_eq!(peek.kind(), message.message_type());

    let written = serde_json::to_string(message).expect("a message can be written");
    let _: &RawValue = serde_json::from_str(&written).expect("what is written is JSON");
    let again = Message::from_json(&written).expect("what is written is an object");
    assert_eq!(again.message_type(), message.message_type());
    assert_eq!(again.is_final(), message.is_final());
    assert_eq!(again.is_error(), message.is_error());

    let Some(before) = parsed else { return };
    same_ids(&before, &peek, message);
    let text = std::str::from_utf8(data).expect("the other reader takes UTF-8 only");
    let difference = compare::against_text(text, message);
    let is_same = difference.lost.is_empty() && difference.invented.is_empty();
    assert!(is_same, "{difference:?}:\n{text}\n{written}");
    let by_serde: Message = serde_json::from_str(text).expect("both ways read the same lines");
    assert_eq!(&by_serde, message, "the two ways to read differ");
});

/// The peek and the message name the session and the line as the other reader does.
fn same_ids(value: &Value, peek: &Peek<'_>, message: &Message) {
    // Frames have no ids, and empty ones are none.
    let has_ids = matches!(
        message,
        Message::Assistant(_) | Message::User(_) | Message::Result(_) | Message::Unknown(_)
    );
    let is_same = |key: &str, peeked: Option<&str>, own: Option<&str>| {
        let there = value.get(key).and_then(Value::as_str);
        assert_eq!(peeked, there, "the peek at `{key}`");
        let (there, own) = (there.unwrap_or_default(), own.unwrap_or_default());
        let is_absent = own.is_empty() && !has_ids;
        assert!(is_absent || own == there, "`{key}`: {own:?} for {there:?}");
    };
    let kind = Some(message.message_type());
    is_same("type", peek.message_type.as_deref(), kind);
    is_same("uuid", peek.uuid.as_deref(), message.uuid());
    // Another spelling is accepted and wins when it comes last, which this tree does not show.
    if value.get("sessionId").is_none() {
        let peeked = peek.session_id.as_deref();
        is_same("session_id", peeked, message.session_id());
    }
}
