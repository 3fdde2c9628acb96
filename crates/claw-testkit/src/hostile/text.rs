//! Damage to strings: surrogates, bytes that are not UTF-8, control characters, odd spaces.

use super::{
    ASSISTANT_TEXT, CONTROL_REQUEST, Collector, REAL, RESULT_ERROR, RESULT_SUCCESS, STREAM_EVENT,
    USER_TOOL_RESULT, with_bytes, with_first, with_last,
};

pub(super) fn add(out: &mut Collector) {
    surrogates(out);
    invalid_utf8(out);
    controls(out);
    around(out);
}

/// The CLI cuts strings by UTF-16 units, so halves of a pair do reach its output.
fn surrogates(out: &mut Collector) {
    let cases = [
        ("a high surrogate alone", r"\ud83d"),
        ("a low surrogate alone", r"\ude00"),
        ("a swapped pair", r"\ude00\ud83d"),
        ("a high surrogate before text", r"\ud83dHello"),
        ("a high surrogate before an escape", r"\ud83d\n"),
        ("two high surrogates and a low one", r"\ud83d\ud83d\ude00"),
        ("upper case half surrogates", r"\uD83D \uDE00"),
        ("a pair split by a space", r"\ud83d \ude00"),
        ("a high surrogate before a letter's escape", r"\ud83d\u0041"),
    ];
    for (name, escape) in cases {
        let text = ASSISTANT_TEXT.replace("Hello there.", &format!("Hi {escape}"));
        out.message(format!("{name} at the end of a text"), text, "assistant");
    }
    out.message(
        "a half surrogate in a delta",
        STREAM_EVENT.replace("Hel", r"\ud83d"),
        "stream_event",
    );
    out.message(
        "a half surrogate in a tool result",
        USER_TOOL_RESULT.replace("(Bash", r"\udc00(Bash"),
        "user",
    );
    out.message(
        "a half surrogate in the result",
        RESULT_SUCCESS.replace("Done.", r"Done \ud83d"),
        "result",
    );
    out.message(
        "a half surrogate in a tool input",
        CONTROL_REQUEST.replace("\"ls\"", r#""ls \ud83d""#),
        "control_request",
    );
    out.message(
        "a half surrogate in a key",
        with_first(RESULT_SUCCESS, r#""\ud83d":1"#),
        "result",
    );
    out.message(
        "a half surrogate in an error",
        RESULT_ERROR.replace("(3)", r"\ud83d"),
        "result",
    );
}

fn invalid_utf8(out: &mut Collector) {
    let cases: [(&str, &[u8]); 9] = [
        ("a byte that starts nothing", b"\xff"),
        ("a continuation byte alone", b"\x80"),
        ("an overlong quote", b"\xc0\xa2"),
        ("an overlong NUL", b"\xc0\x80"),
        ("a surrogate in UTF-8", b"\xed\xa0\xbd"),
        ("a code point beyond Unicode", b"\xf4\x90\x80\x80"),
        ("a character cut after one byte", b"\xf0"),
        ("a character cut after two bytes", b"\xe2\x82"),
        ("Latin-1", b"caf\xe9"),
    ];
    for (name, bytes) in cases {
        let line = with_bytes(ASSISTANT_TEXT, "Hello there.", bytes);
        out.message(format!("{name} in a text"), line, "assistant");
    }
    out.message(
        "bytes that are not UTF-8 in a key",
        with_bytes(RESULT_SUCCESS, "{", b"{\"k\xffy\":1,"),
        "result",
    );
    out.message(
        "a cut character before a closing quote, in a key",
        with_bytes(RESULT_SUCCESS, "{", b"{\"k\xe2\x82\":1,"),
        "result",
    );
    out.message(
        "bytes that are not UTF-8 in the type",
        &b"{\"type\":\"res\xffult\"}"[..],
        "res\u{fffd}ult",
    );
    let bytes: Vec<u8> = (0..out.dice.between(8, 64))
        .map(|_| 0x80 | (out.dice.next() as u8))
        .collect();
    out.message(
        "random bytes that are not UTF-8",
        with_bytes(USER_TOOL_RESULT, "(Bash", &bytes),
        "user",
    );
    let utf16: Vec<u8> = RESULT_SUCCESS
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    out.refused("a line in UTF-16", utf16.as_slice());
    out.refused(
        "a line in UTF-16 with its mark",
        [b"\xff\xfe", utf16.as_slice()].concat(),
    );
}

fn controls(out: &mut Collector) {
    let cases: [(&str, &[u8]); 10] = [
        ("a raw NUL", b"\0"),
        ("a raw tab", b"\t"),
        ("a raw bell", b"\x07"),
        ("a raw escape character", b"\x1b[31m"),
        ("a raw carriage return", b"\r"),
        ("a raw unit separator", b"\x1f"),
        ("a raw delete", b"\x7f"),
        ("a raw U+2028", "\u{2028}".as_bytes()),
        ("a raw U+2029", "\u{2029}".as_bytes()),
        ("a raw U+0085", "\u{85}".as_bytes()),
    ];
    for (name, bytes) in cases {
        out.message(
            format!("{name} in a text"),
            with_bytes(ASSISTANT_TEXT, "Hello there.", bytes),
            "assistant",
        );
    }
    out.message(
        "a raw NUL in an unknown member",
        with_last(RESULT_SUCCESS, "\"new\":\"a\0b\""),
        "result",
    );
    out.message(
        "a raw tab in an unknown member's key",
        with_last(RESULT_SUCCESS, "\"n\tw\":1"),
        "result",
    );
    out.message(
        "a raw tab behind an escaped quote, in a tool input",
        CONTROL_REQUEST.replace("\"ls\"", "\"\\\"\tls\\\\\""),
        "control_request",
    );
    out.message(
        "all escapes",
        RESULT_SUCCESS.replace("Done.", r#"\"\\\/\b\f\n\r\t\u0000\u001f\u007f\uffff"#),
        "result",
    );
    out.message(
        "characters outside the first plane, raw and escaped",
        RESULT_SUCCESS.replace("Done.", "\u{1f980}\\ud83e\\udd80\u{10ffff}\u{feff}"),
        "result",
    );
}

/// What may stand before and behind the object.
fn around(out: &mut Collector) {
    for (index, (message_type, line)) in REAL.into_iter().enumerate() {
        let bytes = line.as_bytes();
        let (name, bytes) = match index % 4 {
            0 => ("a byte order mark", [b"\xef\xbb\xbf", bytes].concat()),
            1 => ("a carriage return at the end", [bytes, b"\r"].concat()),
            2 => ("NUL bytes before", [&[0; 512], bytes].concat()),
            _ => ("NUL bytes behind", [bytes, &[0; 4096]].concat()),
        };
        out.message(format!("{name}: line {index}"), bytes, message_type);
    }
    let mut spaced = String::from(" \t\r ");
    for c in RESULT_ERROR.chars() {
        match c {
            '{' | '}' | '[' | ']' | ',' => spaced.push_str(&format!(" \t{c}\r\n ")),
            c => spaced.push(c),
        }
    }
    out.message(
        "white space everywhere",
        spaced.replace("\":", "\" \n:\t "),
        "result",
    );
    out.message(
        "a mark, white space and a carriage return",
        [b"\xef\xbb\xbf \t", RESULT_SUCCESS.as_bytes(), b" \r\r"].concat(),
        "result",
    );
}
