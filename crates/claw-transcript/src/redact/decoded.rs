//! Text as it is meant, and where each piece of it is written.

use std::borrow::Cow;

/// The inside of a JSON string, or of anything that is written like one, without its escapes.
pub(super) struct Decoded<'a> {
    pub(super) text: Cow<'a, str>,
    /// From where in the text (first) what is written at (second) goes on unchanged. Empty when
    /// all of it does.
    steps: Vec<(usize, usize)>,
}

impl<'a> Decoded<'a> {
    /// Text without escapes; bytes that are not UTF-8 show as U+FFFD.
    pub(super) fn plain(raw: &'a [u8]) -> Self {
        match simdutf8::basic::from_utf8(raw) {
            Ok(text) => Self {
                text: Cow::Borrowed(text),
                steps: Vec::new(),
            },
            Err(_) => Self::pieces(raw, false),
        }
    }

    /// Text with the escapes of JSON. Nothing fails: what is no escape stands for itself.
    pub(super) fn escaped(raw: &'a [u8]) -> Self {
        match memchr::memchr(b'\\', raw) {
            None => Self::plain(raw),
            Some(_) => Self::pieces(raw, true),
        }
    }

    fn pieces(raw: &[u8], escapes: bool) -> Self {
        let mut text = String::with_capacity(raw.len());
        let mut steps = vec![(0, 0)];
        let mut at = 0;
        while at < raw.len() {
            let next = match escapes {
                true => memchr::memchr(b'\\', &raw[at..]).map_or(raw.len(), |found| at + found),
                false => raw.len(),
            };
            for chunk in raw[at..next].utf8_chunks() {
                text.push_str(chunk.valid());
                at += chunk.valid().len();
                if !chunk.invalid().is_empty() {
                    steps.push((text.len(), at));
                    text.push('\u{FFFD}');
                    at += chunk.invalid().len();
                    steps.push((text.len(), at));
                }
            }
            if at < raw.len() {
                let (meant, length) = escape(&raw[at..]);
                steps.push((text.len(), at));
                text.push(meant);
                at += length;
                steps.push((text.len(), at));
            }
        }
        Self {
            text: Cow::Owned(text),
            steps,
        }
    }

    /// Where a place in the text is written.
    pub(super) fn raw_at(&self, place: usize) -> usize {
        // Of several steps at one place the last counts: it is behind an escape, or at its start.
        let step = self.steps.partition_point(|(from, _)| *from <= place);
        match step.checked_sub(1).and_then(|step| self.steps.get(step)) {
            Some((from, raw)) => raw + (place - from),
            None => place,
        }
    }
}

/// What an escape at the start of some bytes means, and how long it is.
fn escape(raw: &[u8]) -> (char, usize) {
    let meant = match raw.get(1) {
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{C}',
        Some(b'"') => '"',
        Some(b'/') => '/',
        Some(b'\\') => '\\',
        Some(b'u') => return unicode(raw),
        _ => return ('\\', 1),
    };
    (meant, 2)
}

fn unicode(raw: &[u8]) -> (char, usize) {
    let unit = |at: usize| {
        let digits = raw.get(at..at + 4)?;
        let digits = std::str::from_utf8(digits).ok()?;
        let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
    };
    let Some(first) = unit(2) else {
        return ('\\', 1);
    };
    let second = match raw.get(6..8) {
        Some(b"\\u") => unit(8),
        _ => None,
    };
    if let (0xD800..=0xDBFF, Some(second @ 0xDC00..=0xDFFF)) = (first, second) {
        let pair = char::decode_utf16([first, second]).next();
        return (pair.and_then(Result::ok).unwrap_or('\u{FFFD}'), 12);
    }
    (char::from_u32(u32::from(first)).unwrap_or('\u{FFFD}'), 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_in_the_text_is_found_where_it_is_written() {
        let cases: [(&str, &str); 7] = [
            ("plain", "plain"),
            (r"a\nb\\c", "a\nb\\c"),
            (r"\u0061\u00e9\/", "aé/"),
            (r"x\ud83d\ude00y", "x😀y"),
            (r"x\ud83dy", "x\u{FFFD}y"),
            (r"bad \q \u12 \", "bad \\q \\u12 \\"),
            ("日本\\n語", "日本\n語"),
        ];
        for (raw, text) in cases {
            let decoded = Decoded::escaped(raw.as_bytes());
            assert_eq!(decoded.text, text);
            assert_eq!(decoded.raw_at(text.len()), raw.len(), "{raw}");
            for (place, c) in text.char_indices() {
                let (from, to) = (decoded.raw_at(place), decoded.raw_at(place + c.len_utf8()));
                let again = Decoded::escaped(&raw.as_bytes()[from..to]);
                assert_eq!(again.text, c.to_string(), "{raw} at {place}");
            }
        }
        let broken = Decoded::escaped(b"a\xFFb\\nc");
        assert_eq!(broken.text, "a\u{FFFD}b\nc");
        assert_eq!(
            (broken.raw_at(4), broken.raw_at(5), broken.raw_at(6)),
            (2, 3, 5)
        );
    }
}
