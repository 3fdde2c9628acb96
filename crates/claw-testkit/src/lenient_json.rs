//! Reading request bodies that a strict parser refuses.

use std::borrow::Cow;

use serde_json::Value;

/// Reads a request body. JavaScript clients send half surrogates as lone escapes, which
/// `serde_json` refuses; those become U+FFFD. What is not JSON at all is kept as a string.
pub(crate) fn read(bytes: &[u8]) -> Value {
    if bytes.is_empty() {
        return Value::Null;
    }
    parse(bytes).unwrap_or_else(|| Value::String(String::from_utf8_lossy(bytes).into_owned()))
}

/// Reads JSON as leniently; `None` is no JSON at all.
pub(crate) fn parse(bytes: &[u8]) -> Option<Value> {
    if let Ok(value) = serde_json::from_slice(bytes) {
        return Some(value);
    }
    let text = String::from_utf8_lossy(bytes);
    serde_json::from_str(&without_half_surrogates(&text)).ok()
}

fn without_half_surrogates(text: &str) -> Cow<'_, str> {
    if !text.contains("\\u") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match escaped_unit(rest) {
            Some(0xD800..=0xDBFF) if matches!(escaped_unit(&rest[6..]), Some(0xDC00..=0xDFFF)) => {
                12
            }
            Some(0xD800..=0xDFFF) => {
                out.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            Some(_) => 6,
            // Any other escape is two characters; the second may be a backslash.
            None => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The UTF-16 unit of the `\uXXXX` escape that the text starts with.
fn escaped_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits
        .bytes()
        .all(|b| b.is_ascii_hexdigit())
        .then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read;

    #[test]
    fn half_surrogates_become_the_replacement_character() {
        assert_eq!(read(br#"{"a":"x\ud83dy"}"#), json!({"a": "x\u{fffd}y"}));
        assert_eq!(
            read(br#"{"a":"\ude00\ud83d"}"#),
            json!({"a": "\u{fffd}\u{fffd}"})
        );
    }

    #[test]
    fn whole_pairs_and_escaped_backslashes_stay_beside_a_half() {
        assert_eq!(
            read(br#"{"a":"\ud83d\ude00\ud83d","b":"\\ud83d\n"}"#),
            json!({"a": "\u{1f600}\u{fffd}", "b": "\\ud83d\n"})
        );
    }

    #[test]
    fn what_is_not_json_is_kept_as_text() {
        assert_eq!(read(b"not json \\"), json!("not json \\"));
        assert_eq!(read(b""), json!(null));
    }
}
