//! No line breaks the decoder: a JSON object is always a message, nothing of it is lost, and what
//! is written again is JSON of the same type.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::{Json, Line};
use serde_json::Value;
use serde_json::value::RawValue;

fuzz_target!(|data: &[u8]| {
    let line = Line::decode(data.to_vec());
    assert_eq!(line.raw().as_bytes(), data);
    let peek = line.raw().peek();
    let parsed: Option<Value> = serde_json::from_slice(data).ok();
    let Some(message) = line.message() else {
        assert!(!matches!(parsed, Some(Value::Object(_))), "an object must be a message");
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

    if let Some(before) = parsed {
        let after = Json::from_text(&written).expect("what is written is JSON").to_value();
        assert!(same(&before, &after), "lost a value:\n{before}\n{after}");
    }
});

/// Equal but for the spelling of numbers.
fn same(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            before.len() == after.len()
                && before.iter().all(|(key, value)| after.get(key).is_some_and(|other| same(value, other)))
        }
        (Value::Array(before), Value::Array(after)) => {
            before.len() == after.len() && before.iter().zip(after).all(|(a, b)| same(a, b))
        }
        (Value::Number(before), Value::Number(after)) => {
            let (Some(before), Some(after)) = (before.as_f64(), after.as_f64()) else { return false };
            // serde_json may read a long fraction one unit off; the text it reads is the same.
            before == after || (before - after).abs() <= before.abs() * f64::EPSILON * 2.0
        }
        _ => before == after,
    }
}
