//! Checks that every JSON object decodes to a message without loss, and that the message is written
//! as JSON of the same type.
//!
//! The expected values come from an independent reader, which keeps every digit of a number.
#![no_main]

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
    let after: Value =
        serde_json::from_str(&written).expect("what is written is as plain as what came");
    assert!(same(&before, &after), "lost a value:\n{before}\n{after}");

    let text = std::str::from_utf8(data).expect("the other reader takes UTF-8 only");
    let by_serde: Message = serde_json::from_str(text).expect("both ways read the same lines");
    assert_eq!(&by_serde, message, "the two ways to read differ");
});

/// The peek and the message name the session and the line as the other reader does.
fn same_ids(value: &Value, peek: &Peek<'_>, message: &Message) {
    let is_same = |key: &str, peeked: Option<&str>, own: Option<&str>| {
        let there = value.get(key).and_then(Value::as_str);
        assert_eq!(peeked, there, "the peek at `{key}`");
        // Frames have no ids, and empty ones are none.
        let (there, own) = (there.unwrap_or_default(), own.unwrap_or_default());
        assert!(
            own.is_empty() || own == there,
            "`{key}`: {own:?} for {there:?}"
        );
    };
    is_same(
        "type",
        peek.message_type.as_deref(),
        Some(message.message_type()),
    );
    is_same("uuid", peek.uuid.as_deref(), message.uuid());
    // Another spelling is accepted and wins when it comes last, which this tree does not show.
    if value.get("sessionId").is_none() {
        is_same(
            "session_id",
            peek.session_id.as_deref(),
            message.session_id(),
        );
    }
    if matches!(
        message,
        Message::Assistant(_) | Message::User(_) | Message::Result(_) | Message::Unknown(_)
    ) {
        assert_eq!(
            message.uuid().unwrap_or_default(),
            peek.uuid.as_deref().unwrap_or_default()
        );
        if value.get("sessionId").is_none() {
            let peeked = peek.session_id.as_deref().unwrap_or_default();
            assert_eq!(message.session_id().unwrap_or_default(), peeked);
        }
    }
}

/// Equal but for the spelling of numbers.
fn same(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            before.len() == after.len()
                && before
                    .iter()
                    .all(|(key, value)| after.get(key).is_some_and(|other| same(value, other)))
        }
        (Value::Array(before), Value::Array(after)) => {
            before.len() == after.len() && before.iter().zip(after).all(|(a, b)| same(a, b))
        }
        (Value::Number(before), Value::Number(after)) => {
            let (before, after) = (before.to_string(), after.to_string());
            before == after
                || decimal(&before).is_some_and(|number| Some(number) == decimal(&after))
        }
        _ => before == after,
    }
}

/// The sign, the digits without zeros at either end, and the exponent of the last digit: equal for
/// equal numbers. `None` if the exponent is too large.
fn decimal(text: &str) -> Option<(bool, String, i64)> {
    let (negative, text) = text
        .strip_prefix('-')
        .map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let trimmed = digits.trim_end_matches('0');
    if trimmed.is_empty() {
        return Some((false, String::new(), 0));
    }
    let zeros = i64::try_from(digits.len() - trimmed.len()).ok()?;
    let exponent: i64 = exponent.parse().ok()?;
    let exponent = exponent
        .checked_sub(i64::try_from(fraction.len()).ok()?)?
        .checked_add(zeros)?;
    Some((negative, trimmed.to_owned(), exponent))
}
