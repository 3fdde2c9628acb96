use proptest::prelude::*;
use serde::de::IgnoredAny;

use super::*;

/// Pieces of JSON and of nearly JSON.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\"a\":",
    "\"x\"",
    "\"\\u00e4\"",
    "\"\\ud83d\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ude00\\ud83d\"",
    "\"\\ud83d\":1",
    "\"\\x\"",
    "\"\\u12\"",
    "\\",
    "\\\"",
    "\u{1f}",
    "\t",
    " ",
    "\r",
    "0",
    "-1",
    "01",
    "1.5e+3",
    "1.",
    "-",
    "2e",
    "true",
    "false",
    "null",
    "nul",
    "é",
    "\u{2028}",
    "12345678",
    "abcdefghijklmnop\"",
    "\u{7f}",
];

fn is_json(text: &str) -> bool {
    let mut cursor = Cursor::new(text);
    cursor.skip().is_some() && cursor.is_done()
}

proptest! {
    #[test]
    fn accepts_what_serde_accepts(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24),
        in_string in any::<bool>(),
    ) {
        let text = pieces.concat();
        let text = if in_string { format!("{{\"a\":\"{text}\",\"b\":1}}") } else { text };
        prop_assert_eq!(is_json(&text), serde_json::from_str::<IgnoredAny>(&text).is_ok());
        // The number of tokens is finite for any text.
        prop_assert!(Tokens::new(text.as_bytes()).count() <= text.len());
    }
}

#[test]
fn depth_is_unlimited() {
    let deep = ["[".repeat(200_000), "]".repeat(200_000)].concat();
    assert!(is_json(&deep));
    assert!(!is_json(&deep[..deep.len() - 1]));
}

#[test]
fn strings_of_any_length_end_at_their_quote() {
    for length in 0..200 {
        let text = format!("[\"{}\\\"é\", 1]", "x".repeat(length));
        let mut values = Vec::new();
        let mut cursor = Cursor::new(&text);
        let whole = cursor.list(|cursor| {
            values.push(cursor.raw()?);
            Some(())
        });
        assert_eq!(whole, Some(()));
        assert_eq!(values, [&text[1..length + 7], "1"]);
    }
}

#[test]
fn cut_and_glued_text_is_not_json() {
    for text in [
        "",
        "{",
        "{\"a\":\"cut",
        "{\"a\":\"cut\\",
        "{\"a\":1}{\"b\":2}",
        "{\"a\":\"cut li{\"parentUuid\":null}",
        "{\"a\":{\"b\":12{\"type\":\"x\"}}}",
        "{\"a\":nul{\"type\":\"x\"}}",
        "[1 2]",
        "}",
    ] {
        assert!(!is_json(text), "{text}");
    }
}

#[test]
fn members_are_visited_in_order() {
    let mut seen = Vec::new();
    let mut cursor = Cursor::new(r#"{"a":{"x":[1]},"\u0062":"t", "a" : 3}"#);
    let whole = cursor.object(|cursor, name| {
        seen.push((name?.into_owned(), cursor.raw()?));
        Some(())
    });
    assert_eq!(whole, Some(()));
    let seen: Vec<(&str, &str)> = seen.iter().map(|(name, value)| (&**name, *value)).collect();
    assert_eq!(seen, [("a", "{\"x\":[1]}"), ("b", "\"t\""), ("a", "3")]);
}

#[test]
fn lone_surrogates_are_reported_once() {
    let mut cursor = Cursor::new(r#"["\ud83d\ude00", "\ude00", "\ud83d"]"#);
    assert_eq!(cursor.skip(), Some(()));
    assert_eq!(cursor.take_lone_surrogate(), Some("\\ude00"));
    assert_eq!(cursor.take_lone_surrogate(), None);
}

#[test]
fn tokens_of_a_broken_line() {
    let bytes = b"\0{\"a\" :[1.5,\"b\\\"\xFF\"],tr{\"cut\\";
    let text = |range: &std::ops::Range<usize>| String::from_utf8_lossy(&bytes[range.clone()]);
    let shown: Vec<String> = Tokens::new(bytes)
        .map(|token| match &token {
            Token::Open(byte) | Token::Close(byte) => char::from(*byte).to_string(),
            Token::Name(range) => format!("name {}", text(range)),
            Token::String(range) => format!("string {}", text(range)),
            Token::Cut(range) => format!("cut {}", text(range)),
            Token::Scalar(range) => format!("scalar {}", text(range)),
        })
        .collect();
    let expected = [
        "{",
        "name a",
        "[",
        "scalar 1.5",
        "string b\\\"\u{FFFD}",
        "]",
        "scalar tr",
        "{",
        "cut cut\\",
    ];
    assert_eq!(shown, expected);
}
