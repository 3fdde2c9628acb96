//! The conversions that people try first.

use rusty_claw_protocol::{Json, Line, RawLine};
use serde_json::json;

#[test]
fn json_converts_from_a_value_and_from_text() {
    let value = json!({"a": [1, null]});
    assert_eq!(Json::from(value.clone()).to_value(), value);
    let read: Json = r#"{"a": 1.50}"#.parse().unwrap();
    assert_eq!(read.text(), r#"{"a": 1.50}"#);
    assert!("{".parse::<Json>().is_err());
    assert!("plain text".parse::<Json>().is_err());
}

#[test]
fn line_converts_from_bytes_and_from_text() {
    let text = r#"{"type":"keep_alive"}"#;
    let bytes: &[u8] = text.as_bytes();
    let lines = [
        RawLine::from(bytes),
        RawLine::from(bytes.to_vec()),
        RawLine::from(br#"{"type":"keep_alive"}"#),
        RawLine::from(text),
        RawLine::from(text.to_owned()),
    ];
    for line in lines {
        assert_eq!(line.as_bytes(), bytes);
        assert!(Line::decode(line).message().is_some());
    }
}
