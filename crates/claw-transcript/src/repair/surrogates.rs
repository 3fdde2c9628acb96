//! Lone surrogates.
//!
//! A text that was cut within an emoji keeps half of it, as an escape such as `\ud83e`. The CLI
//! reads and sends it, but the API rejects the request as invalid JSON.

use std::borrow::Cow;

/// Replaces lone surrogate escapes with `\ufffd`.
pub(crate) fn whole_characters(json: &str) -> Cow<'_, str> {
    if memchr::memmem::find(json.as_bytes(), b"\\u").is_none() {
        return Cow::Borrowed(json);
    }
    let bytes = json.as_bytes();
    let mut out = String::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        at += found;
        match unit(bytes, at) {
            // Another escape, possibly of a backslash.
            None => at += 2,
            Some(0xD800..0xDC00) if matches!(unit(bytes, at + 6), Some(0xDC00..0xE000)) => {
                at += 12;
            }
            Some(0xD800..0xE000) => {
                out.push_str(&json[kept..at]);
                out.push_str("\\ufffd");
                at += 6;
                kept = at;
            }
            Some(_) => at += 6,
        }
        if at >= bytes.len() {
            break;
        }
    }
    if kept == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(&json[kept..]);
    Cow::Owned(out)
}

/// The UTF-16 unit of an escape of the form `\uXXXX`.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let escape = bytes.get(at..at + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_replaced_and_nothing_else() {
        for (text, mended) in [
            (r#""\ud83e\udd80""#, r#""\ud83e\udd80""#),
            (r#""\ud83e""#, r#""\ufffd""#),
            (r#""\udd80 and \u00e4""#, r#""\ufffd and \u00e4""#),
            (r#""\ud83e\ud83e\udd80""#, r#""\ufffd\ud83e\udd80""#),
            (r#""\\ud83e""#, r#""\\ud83e""#),
            (r#""\\\ud83e""#, r#""\\\ufffd""#),
            (r#""\ud8"#, r#""\ud8"#),
            (r"\", r"\"),
            (r"\ü\ud800", r"\ü\ufffd"),
        ] {
            assert_eq!(whole_characters(text), mended);
        }
    }
}
