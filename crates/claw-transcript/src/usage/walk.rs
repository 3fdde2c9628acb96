//! Walks over the JSON of a line without building anything.
//!
//! Counting needs a dozen short members of lines that are mostly one long string. A parser that
//! makes values, checks text or keeps a stack spends its time on what is thrown away, and one with
//! types gives up on a repeated member or a number where a string was expected. This walk goes
//! over bytes: invalid UTF-8 inside strings, any depth and any type pass; what is not JSON at all
//! (a line that was cut, or glued to another) does not.

use std::borrow::Cow;

use memchr::memchr2;
use rusty_claw_protocol::Json;
use wide::u8x16;

/// Where we are in a text. Every step gives `None` when the text is not JSON.
#[derive(Debug, Clone)]
pub(super) struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Number of counts so far that are text or negative.
    pub(super) odd_counts: u64,
}

impl<'a> Walk<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            odd_counts: 0,
        }
    }

    /// How far it got.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Calls back for each member of the object that begins here, with the walk at its value. The
    /// callback either goes over the value and says `Some(true)`, or leaves it and says
    /// `Some(false)`.
    ///
    /// Names are compared as they are written: nobody writes these with escapes.
    pub(super) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &'a [u8]) -> Option<bool>,
    ) -> Option<()> {
        self.expect(b'{')?;
        if self.next_is(b'}') {
            return Some(());
        }
        loop {
            self.space();
            let name = self.string()?;
            self.expect(b':')?;
            self.space();
            if !member(self, name)? {
                self.skip()?;
            }
            self.space();
            match self.bump()? {
                b',' => {}
                b'}' => return Some(()),
                _ => return None,
            }
        }
    }

    /// Calls back for each element of the list that begins here, as [`Walk::object`] does.
    pub(super) fn list(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Option<bool>,
    ) -> Option<()> {
        self.expect(b'[')?;
        if self.next_is(b']') {
            return Some(());
        }
        loop {
            self.space();
            if !element(self)? {
                self.skip()?;
            }
            self.space();
            match self.bump()? {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }

    /// The first byte of the value that begins here.
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Goes over the value that begins here and gives its inner bytes if it is a string.
    pub(super) fn text(&mut self) -> Option<Option<&'a [u8]>> {
        if self.peek()? == b'"' {
            return self.string().map(Some);
        }
        self.skip()?;
        Some(None)
    }

    /// Goes over the value that begins here and says whether it is exactly `true`.
    pub(super) fn is_true(&mut self) -> Option<bool> {
        let from = self.at;
        self.skip()?;
        Some(&self.bytes[from..self.at] == b"true")
    }

    /// Goes over the value that begins here and gives it as a count: what is no number, or less
    /// than zero, is zero.
    pub(super) fn count(&mut self) -> Option<u64> {
        let from = self.at;
        self.skip()?;
        let token = &self.bytes[from..self.at];
        let is_count = token == b"null" || token.first().is_some_and(u8::is_ascii_digit);
        self.odd_counts += u64::from(!is_count);
        Some(to_count(token))
    }

    /// Goes over the value that begins here and gives its bytes.
    pub(super) fn raw(&mut self) -> Option<&'a [u8]> {
        let from = self.at;
        self.skip()?;
        Some(&self.bytes[from..self.at])
    }

    /// Nothing but white space is left.
    pub(super) fn end(&mut self) -> Option<()> {
        self.space();
        (self.at == self.bytes.len()).then_some(())
    }

    /// Goes over one value, whatever is in it.
    pub(super) fn skip(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            self.space();
            match self.peek()? {
                b'"' => {
                    self.string()?;
                    // A name in an object: its value follows.
                    if depth > 0 && self.next_is(b':') {
                        continue;
                    }
                }
                b'{' | b'[' => {
                    self.at += 1;
                    depth += 1;
                    self.space();
                    if !matches!(self.peek()?, b'}' | b']') {
                        continue;
                    }
                }
                _ => self.scalar()?,
            }
            // Behind a value: as many ends as there are, then a comma, or we are out.
            loop {
                if depth == 0 {
                    return Some(());
                }
                self.space();
                match self.bump()? {
                    b',' => break,
                    b'}' | b']' => depth -= 1,
                    _ => return None,
                }
            }
        }
    }

    /// A number, `true`, `false` or `null`.
    fn scalar(&mut self) -> Option<()> {
        let rest = &self.bytes[self.at..];
        let length = rest
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
            .count();
        let token = &rest[..length];
        let fine = match token.first()? {
            b'0'..=b'9' | b'-' => token
                .iter()
                .all(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')),
            _ => matches!(token, b"true" | b"false" | b"null"),
        };
        self.at += length;
        fine.then_some(())
    }

    /// A string's bytes between its quotes, escapes as they are.
    fn string(&mut self) -> Option<&'a [u8]> {
        self.expect(b'"')?;
        let from = self.at;
        loop {
            let found = mark(self.bytes.get(self.at..)?)?;
            self.at += found;
            if self.bytes[self.at] == b'"' {
                self.at += 1;
                return Some(&self.bytes[from..self.at - 1]);
            }
            self.at += 2;
        }
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    fn bump(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.space();
        (self.bump()? == byte).then_some(())
    }

    /// Goes over a byte if it is next.
    fn next_is(&mut self, byte: u8) -> bool {
        self.space();
        let is = self.peek() == Some(byte);
        self.at += usize::from(is);
        is
    }
}

/// How many bytes are looked at before `memchr` is called: most strings are names, ids and numbers,
/// which are shorter, and for those the call would be most of the work.
const SHORT: usize = 48;

/// Where the next quote or backslash is.
#[inline]
fn mark(bytes: &[u8]) -> Option<usize> {
    let (lanes, _) = bytes.as_chunks::<16>();
    let mut done = 0;
    for lane in lanes.iter().take(SHORT / 16) {
        let lane = u8x16::new(*lane);
        let marks = lane.simd_eq(u8x16::splat(b'"')) | lane.simd_eq(u8x16::splat(b'\\'));
        let marks = marks.to_bitmask();
        if marks != 0 {
            return Some(done + marks.trailing_zeros() as usize);
        }
        done += 16;
    }
    memchr2(b'"', b'\\', &bytes[done..]).map(|at| done + at)
}

fn to_count(token: &[u8]) -> u64 {
    let mut count = 0_u64;
    for byte in token {
        if !byte.is_ascii_digit() {
            // Rare: a float, or not a number at all.
            let text = std::str::from_utf8(token).unwrap_or_default();
            let number: f64 = text.parse().unwrap_or_default();
            // Saturates, and gives zero for what is below it.
            return number as u64;
        }
        count = count
            .saturating_mul(10)
            .saturating_add(u64::from(byte - b'0'));
    }
    count
}

/// The text of a string as [`Walk::text`] gives it.
pub(super) fn unescaped(inner: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(inner);
    if !text.contains('\\') {
        return text;
    }
    let json = Json::from_text(&format!("\"{text}\""));
    let read = json.ok().and_then(|json| json.to_text());
    read.map_or(text, Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skips(text: &[u8]) -> bool {
        let mut walk = Walk::new(text);
        walk.space();
        walk.skip().and_then(|()| walk.end()).is_some()
    }

    #[test]
    fn json_passes_whatever_is_in_it() {
        let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
        let whole: [&[u8]; 9] = [
            b"{}",
            b" [ ] ",
            b"\"\xFF\\\"\"",
            b"-1.5e+3",
            b"null",
            br#"{"a":{"b":[1,{"c":"}"},[]],"d":{}},"a":2}"#,
            br#"[{"x":"\\"},"y",true,false,null]"#,
            br#"{ "a" : [ 1 , 2 ] , "b" : "c" }"#,
            &deep,
        ];
        for text in whole {
            assert!(skips(text), "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn marks_are_found_in_strings_of_any_length() {
        for length in 0..200 {
            for found in [b'"', b'\\'] {
                let mut text = vec![0xFF; length];
                assert_eq!(mark(&text), None);
                text.push(found);
                text.extend(b"abc\"".repeat(20));
                assert_eq!(mark(&text), Some(length));
            }
        }
    }

    #[test]
    fn what_was_cut_or_glued_does_not() {
        let broken: [&[u8]; 12] = [
            b"",
            b"{",
            b"{\"a\":\"cut",
            b"{\"a\":\"cut\\",
            b"{\"a\":1}{\"b\":2}",
            b"{\"a\":\"cut li{\"parentUuid\":null}",
            b"{\"a\":{\"b\":\"cut li{\"type\":\"x\"}",
            b"{\"a\":{\"b\":12{\"type\":\"x\"}}}",
            b"{\"a\":nul{\"type\":\"x\"}}",
            b"[1 2]",
            b"[1,x]",
            b"}",
        ];
        for text in broken {
            assert!(!skips(text), "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn counts_are_lenient() {
        for (token, count) in [
            ("7", 7),
            ("0", 0),
            ("-3", 0),
            ("2.9", 2),
            ("1e3", 1000),
            ("99999999999999999999999", u64::MAX),
            ("null", 0),
            ("\"5\"", 0),
            ("[1]", 0),
        ] {
            assert_eq!(Walk::new(token.as_bytes()).count(), Some(count), "{token}");
        }
    }

    #[test]
    fn members_are_seen_in_turn_and_left_ones_are_skipped() {
        let mut seen = Vec::new();
        let text = br#"{"a":{"x":[1]},"b":"t","a":3}"#;
        let mut walk = Walk::new(text);
        walk.object(|walk, name| {
            if name == b"b" {
                seen.push(walk.text()?);
                return Some(true);
            }
            seen.push(Some(name));
            Some(false)
        })
        .and_then(|()| walk.end())
        .expect("an object");
        assert_eq!(seen, [Some(&b"a"[..]), Some(b"t"), Some(b"a")]);
    }
}
