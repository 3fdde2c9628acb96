//! Text without its escapes, and the position of each piece in the source.

use std::borrow::Cow;
use std::ops::Range;

use crate::json::unit;

/// A text whose escapes are decoded.
pub(super) struct Unescaped<'a> {
    pub(super) text: Cow<'a, str>,
    /// Offsets in the text and in the source: both are equal from each pair to the next. Empty if
    /// the text is its source.
    steps: Vec<(usize, usize)>,
}

impl<'a> Unescaped<'a> {
    /// Text without escapes. Invalid UTF-8 becomes U+FFFD.
    pub(super) fn plain(raw: &'a [u8]) -> Self {
        match simdutf8::basic::from_utf8(raw) {
            Ok(text) => Self {
                text: Cow::Borrowed(text),
                steps: Vec::new(),
            },
            Err(_) => Self::pieces(raw, |_| None, |_| None),
        }
    }

    /// The inside of a JSON string, or of text written like one. Invalid escapes are kept.
    pub(super) fn json(raw: &'a [u8]) -> Self {
        match memchr::memchr(b'\\', raw) {
            None => Self::plain(raw),
            Some(_) => Self::pieces(raw, |raw| memchr::memchr(b'\\', raw), json_escape),
        }
    }

    /// A text without the escapes of URLs, HTML and source code, and without zero-width characters.
    /// `None` if it has none.
    pub(super) fn markup(text: &'a str) -> Option<Self> {
        let begins =
            |byte: &u8| matches!(byte, b'%' | b'&' | b'\\' | 0xC2 | 0xE1 | 0xE2 | 0xEF | 0xF3);
        let mut rest = text.as_bytes();
        loop {
            rest = &rest[rest.iter().position(begins)?..];
            if markup_escape(rest).is_some() {
                let next = |raw: &[u8]| raw.iter().position(begins);
                return Some(Self::pieces(text.as_bytes(), next, markup_escape));
            }
            rest = &rest[1..];
        }
    }

    /// Decodes escapes. `next` finds the next candidate; `escape` returns its character, if any,
    /// and its length.
    fn pieces(
        raw: &[u8],
        next: impl Fn(&[u8]) -> Option<usize>,
        escape: impl Fn(&[u8]) -> Option<(Option<char>, usize)>,
    ) -> Self {
        let mut text = String::with_capacity(raw.len());
        let mut steps = vec![(0, 0)];
        let (mut copied, mut at) = (0, 0);
        loop {
            let found = next(&raw[at..]).map(|found| at + found);
            let escaped = found.map(|found| (found, escape(&raw[found..])));
            if let Some((found, None)) = escaped {
                at = found + 1;
                continue;
            }
            for chunk in raw[copied..found.unwrap_or(raw.len())].utf8_chunks() {
                text.push_str(chunk.valid());
                copied += chunk.valid().len();
                if !chunk.invalid().is_empty() {
                    steps.push((text.len(), copied));
                    text.push(char::REPLACEMENT_CHARACTER);
                    copied += chunk.invalid().len();
                    steps.push((text.len(), copied));
                }
            }
            let Some((found, Some((character, length)))) = escaped else {
                break;
            };
            steps.push((text.len(), found));
            text.extend(character);
            (copied, at) = (found + length, found + length);
            steps.push((text.len(), at));
        }
        Self {
            text: Cow::Owned(text),
            steps,
        }
    }

    /// The position in the source of a position in the text.
    pub(super) fn source(&self, place: usize) -> usize {
        // If several steps have the same position, the last one counts: it is after an escape, or
        // at its start.
        let step = self.steps.partition_point(|(from, _)| *from <= place);
        match step.checked_sub(1).and_then(|step| self.steps.get(step)) {
            Some((from, source)) => source + (place - from),
            None => place,
        }
    }
}

/// A line or a file, or a text nested in another text.
pub(super) struct Layer<'a> {
    unescaped: Unescaped<'a>,
    /// The text around it, and the offset of its source there.
    outer: Option<(&'a Layer<'a>, usize)>,
    pub(super) depth: usize,
}

impl<'a> Layer<'a> {
    pub(super) fn new(unescaped: Unescaped<'a>) -> Self {
        Self {
            unescaped,
            outer: None,
            depth: 0,
        }
    }

    /// A JSON string in this text; `inside` is the range between its quotes.
    pub(super) fn string(&'a self, inside: Range<usize>) -> Self {
        Self {
            unescaped: Unescaped::json(&self.bytes()[inside.clone()]),
            outer: Some((self, inside.start)),
            depth: self.depth + 1,
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.unescaped.text
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.text().as_bytes()
    }

    /// The position in the line of a part of the text.
    pub(super) fn place(&self, range: Range<usize>) -> Range<usize> {
        let [start, end] = [range.start, range.end].map(|at| self.unescaped.source(at));
        match self.outer {
            Some((outer, base)) => outer.place(base + start..base + end),
            None => start..end,
        }
    }
}

/// The JSON escape that some bytes start with.
fn json_escape(raw: &[u8]) -> Option<(Option<char>, usize)> {
    let meant = match raw.get(1)? {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'b' => '\u{8}',
        b'f' => '\u{C}',
        b'"' => '"',
        b'/' => '/',
        b'\\' => '\\',
        b'u' => return unicode_escape(raw),
        _ => return None,
    };
    Some((Some(meant), 2))
}

fn unicode_escape(raw: &[u8]) -> Option<(Option<char>, usize)> {
    // A surrogate without its other half is read as U+FFFD.
    let units = [unit(raw, 0)?, unit(raw, 6).unwrap_or_default()];
    let meant = char::decode_utf16(units).next()?;
    let meant = meant.unwrap_or(char::REPLACEMENT_CHARACTER);
    Some((Some(meant), 6 * meant.len_utf16()))
}

/// The escape of a URL, HTML or source code that some bytes start with, if it is a printable ASCII
/// character or a zero-width character.
fn markup_escape(raw: &[u8]) -> Option<(Option<char>, usize)> {
    let (code, length) = match raw {
        [b'%', high, low, ..] => (hex(&[*high, *low])?, 3),
        [b'\\', b'x', high, low, ..] => (hex(&[*high, *low])?, 4),
        [b'\\', b'u', ..] => (hex(raw.get(2..6)?)?, 6),
        [b'&', rest @ ..] => entity(rest)?,
        _ => {
            let chunk = raw[..raw.len().min(4)].utf8_chunks().next()?;
            let first = chunk.valid().chars().next()?;
            return has_no_width(first).then_some((None, first.len_utf8()));
        }
    };
    let meant = char::from_u32(code)?;
    matches!(meant, ' '..='~').then_some((Some(meant), length))
}

/// An HTML entity after its `&`, and its length with it.
fn entity(rest: &[u8]) -> Option<(u32, usize)> {
    const NAMES: [(&[u8], char); 14] = [
        (b"amp", '&'),
        (b"apos", '\''),
        (b"colon", ':'),
        (b"commat", '@'),
        (b"dash", '-'),
        (b"equals", '='),
        (b"gt", '>'),
        (b"hyphen", '-'),
        (b"lowbar", '_'),
        (b"lt", '<'),
        (b"period", '.'),
        (b"plus", '+'),
        (b"quot", '"'),
        (b"sol", '/'),
    ];
    let end = rest.iter().take(10).position(|byte| *byte == b';')?;
    let code = match &rest[..end] {
        [b'#', b'x' | b'X', digits @ ..] => hex(digits)?,
        [b'#', digits @ ..] => std::str::from_utf8(digits).ok()?.parse().ok()?,
        name => u32::from(NAMES.iter().find(|(known, _)| *known == name)?.1),
    };
    Some((code, end + 2))
}

fn has_no_width(c: char) -> bool {
    matches!(
        c,
        '\u{AD}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}'
            | '\u{E0000}'..='\u{E007F}'
    )
}

fn hex(digits: &[u8]) -> Option<u32> {
    let digits = std::str::from_utf8(digits).ok()?;
    let right = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    right
        .then(|| u32::from_str_radix(digits, 16).ok())
        .flatten()
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
            let unescaped = Unescaped::json(raw.as_bytes());
            assert_eq!(unescaped.text, text);
            assert_eq!(unescaped.source(text.len()), raw.len(), "{raw}");
            for (place, c) in text.char_indices() {
                let (from, to) = (
                    unescaped.source(place),
                    unescaped.source(place + c.len_utf8()),
                );
                let again = Unescaped::json(&raw.as_bytes()[from..to]);
                assert_eq!(again.text, c.to_string(), "{raw} at {place}");
            }
        }
        let broken = Unescaped::json(b"a\xFFb\\nc");
        assert_eq!(broken.text, "a\u{FFFD}b\nc");
        assert_eq!(
            (broken.source(4), broken.source(5), broken.source(6)),
            (2, 3, 5)
        );
    }

    #[test]
    fn escapes_of_urls_html_and_source_code_are_read() {
        for (source, text) in [
            ("a%5Fb%40c", Some("a_b@c")),
            ("x&#45;y&#x2D;z&amp;&lowbar;", Some("x-y-z&_")),
            (r"\x41\u0042", Some("AB")),
            ("A\u{200B}K\u{FEFF}I\u{AD}A", Some("AKIA")),
            ("日%41", Some("日A")),
            ("100% & 5%0A \\n &unknown; %zz é → 日", None),
        ] {
            let unescaped = Unescaped::markup(source);
            let found = unescaped.as_ref().map(|unescaped| &*unescaped.text);
            assert_eq!(found, text, "{source}");
        }
        let unescaped = Unescaped::markup("a%5Fb").expect("an escape");
        assert_eq!((unescaped.source(1), unescaped.source(2)), (1, 4));
    }
}
