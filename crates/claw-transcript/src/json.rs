//! The JSON of a line: one cursor for every reader.
//!
//! Everything that reads the members or values of a line uses one of four types, from the cheapest
//! to the most convenient. Only code that changes white space scans the characters itself.
//!
//! - [`Cursor`] walks over text once and strictly: it accepts exactly what `serde_json` accepts, at
//!   any depth. Values are slices of the text, so their offsets are known. Nothing is allocated or
//!   decoded.
//! - [`Members`](crate::members::Members) collects the members of one object, and
//!   [`members::list`](crate::members::list) the values of one array, with a cursor.
//! - [`Facts`](crate::facts::Facts) is what one pass finds in a whole line: its members, its
//!   message and the content blocks of that message.
//! - [`Tokens`] splits bytes into tokens and never fails: for lines that are broken, that are not
//!   UTF-8, or in which every string matters.
//!
//! A method of the cursor returns `None` if the text is not JSON. Stop then: the position is
//! undefined. A callback either consumes the value or returns `None`, which ends the walk early:
//!
//! ```ignore
//! let mut cursor = Cursor::new(text);
//! let mut id = None;
//! cursor.object(|cursor, name| match name.as_deref() {
//!     Some("id") => { id = Some(cursor.raw()?); Some(()) }
//!     _ => cursor.skip(),
//! })?;
//! ```
//!
//! Values stay as written. [`string`](crate::members::string) decodes one that is a string.

#[cfg(any(feature = "redact", feature = "search", test))]
mod tokens;

use std::borrow::Cow;

#[cfg(any(feature = "redact", feature = "search", test))]
pub(crate) use tokens::{Token, Tokens};

/// A position in the text of a JSON value.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// The bytes of the current block that end a plain run in a string, one bit each.
    marks: u64,
    /// The index of that block.
    block: usize,
    /// The closing brackets of the containers that `skip` has entered.
    open: Vec<u8>,
    /// Whether control characters and unknown escapes are allowed in strings.
    lenient: bool,
    /// Offset of the first lone surrogate that was not taken yet.
    lone: Option<usize>,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            marks: 0,
            block: usize::MAX,
            open: Vec::new(),
            lenient: false,
            lone: None,
        }
    }

    /// A cursor that also accepts control characters and unknown escapes in strings.
    #[cfg(feature = "usage")]
    pub(crate) fn lenient(text: &'a str) -> Self {
        Self {
            lenient: true,
            ..Self::new(text)
        }
    }

    /// Returns the first lone surrogate escape since the last call, such as `\ud83d`.
    pub(crate) fn take_lone_surrogate(&mut self) -> Option<&'a str> {
        self.lone.take().map(|at| &self.text[at..at + 6])
    }

    /// Skips white space and returns the next byte.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at)? {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                byte => return Some(*byte),
            }
        }
    }

    /// Returns whether only white space follows.
    pub(crate) fn is_done(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Skips the next value and returns its text.
    pub(crate) fn raw(&mut self) -> Option<&'a str> {
        self.peek()?;
        let from = self.at;
        self.skip()?;
        Some(&self.text[from..self.at])
    }

    /// Returns the text that `read` consumes, and its result.
    pub(crate) fn raw_with<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<(&'a str, T)> {
        self.peek()?;
        let from = self.at;
        let read = read(self)?;
        Some((&self.text[from..self.at], read))
    }

    /// Walks over an object. `member` receives each decoded name and must consume the value. The
    /// name is `None` if it has a lone surrogate; a lenient cursor returns it as written.
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, Option<Cow<'a, str>>) -> Option<()>,
    ) -> Option<()> {
        self.expect(b'{')?;
        if self.next_is(b'}') {
            return Some(());
        }
        loop {
            let name = self.name()?;
            self.expect(b':')?;
            member(self, name)?;
            if self.next_is(b'}') {
                return Some(());
            }
            self.expect(b',')?;
        }
    }

    /// Walks over an array. `value` must consume each value.
    pub(crate) fn list(&mut self, mut value: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.expect(b'[')?;
        if self.next_is(b']') {
            return Some(());
        }
        loop {
            value(self)?;
            if self.next_is(b']') {
                return Some(());
            }
            self.expect(b',')?;
        }
    }

    /// Skips the next value, at any depth.
    pub(crate) fn skip(&mut self) -> Option<()> {
        let base = self.open.len();
        loop {
            match self.peek()? {
                b'"' => self.string()?,
                b'{' => {
                    self.at += 1;
                    if !self.next_is(b'}') {
                        self.open.push(b'}');
                        self.key()?;
                        continue;
                    }
                }
                b'[' => {
                    self.at += 1;
                    if !self.next_is(b']') {
                        self.open.push(b']');
                        continue;
                    }
                }
                b't' => self.word("true")?,
                b'f' => self.word("false")?,
                b'n' => self.word("null")?,
                _ => self.number()?,
            }
            loop {
                if self.open.len() == base {
                    return Some(());
                }
                let close = *self.open.last()?;
                if self.next_is(close) {
                    self.open.pop();
                    continue;
                }
                self.expect(b',')?;
                if close == b'}' {
                    self.key()?;
                }
                break;
            }
        }
    }

    fn key(&mut self) -> Option<()> {
        (self.peek()? == b'"').then_some(())?;
        self.string()?;
        self.expect(b':')
    }

    fn name(&mut self) -> Option<Option<Cow<'a, str>>> {
        (self.peek()? == b'"').then_some(())?;
        let from = self.at;
        self.string()?;
        let quoted = &self.text[from..self.at];
        let inner = &quoted[1..quoted.len() - 1];
        if !inner.contains('\\') {
            return Some(Some(Cow::Borrowed(inner)));
        }
        let name: Option<String> = serde_json::from_str(quoted).ok();
        let as_written = self.lenient.then_some(Cow::Borrowed(inner));
        Some(name.map(Cow::Owned).or(as_written))
    }

    /// Skips a string that starts here.
    fn string(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        loop {
            at = self.plain_end(at);
            match bytes.get(at)? {
                b'"' => {
                    self.at = at + 1;
                    return Some(());
                }
                b'\\' => match bytes.get(at + 1)? {
                    b'n' | b'"' | b'\\' | b't' | b'/' | b'r' | b'b' | b'f' => at += 2,
                    b'u' => match self.unit_at(at) {
                        Some(length) => at += length,
                        None if self.lenient => at += 2,
                        None => return None,
                    },
                    byte if self.lenient && byte.is_ascii() => at += 2,
                    _ => return None,
                },
                // A control character.
                _ if self.lenient => at += 1,
                _ => return None,
            }
        }
    }

    /// Returns the position of the next quote, backslash or control character, or the end of the
    /// text.
    #[inline]
    fn plain_end(&mut self, at: usize) -> usize {
        let mut block = at / BLOCK;
        if block != self.block {
            self.look(block);
        }
        let marks = self.marks >> (at % BLOCK);
        if marks != 0 {
            return at + marks.trailing_zeros() as usize;
        }
        loop {
            block += 1;
            if block * BLOCK >= self.text.len() {
                return self.text.len();
            }
            self.look(block);
            if self.marks != 0 {
                return block * BLOCK + self.marks.trailing_zeros() as usize;
            }
        }
    }

    /// Loads another block. The last one is padded.
    #[inline]
    fn look(&mut self, block: usize) {
        self.block = block;
        let rest = self
            .text
            .as_bytes()
            .get(block * BLOCK..)
            .unwrap_or_default();
        self.marks = match rest.first_chunk::<BLOCK>() {
            Some(bytes) => marks(bytes),
            None => {
                let mut last = [b' '; BLOCK];
                last[..rest.len()].copy_from_slice(rest);
                marks(&last)
            }
        };
    }

    /// Returns the length of the escape `\uXXXX`, including the second half of a pair.
    fn unit_at(&mut self, at: usize) -> Option<usize> {
        match unit(self.text.as_bytes(), at)? {
            0xD800..0xDC00
                if matches!(unit(self.text.as_bytes(), at + 6), Some(0xDC00..0xE000)) =>
            {
                return Some(12);
            }
            0xD800..0xE000 if self.lone.is_none() => self.lone = Some(at),
            _ => {}
        }
        Some(6)
    }

    fn number(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        let is = |at: usize, byte: u8| bytes.get(at) == Some(&byte);
        let digits = |from: usize| {
            let digits = bytes[from..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit());
            let end = from + digits.count();
            (end > from).then_some(end)
        };
        let mut at = self.at + usize::from(is(self.at, b'-'));
        at = if is(at, b'0') { at + 1 } else { digits(at)? };
        if is(at, b'.') {
            at = digits(at + 1)?;
        }
        if is(at, b'e') || is(at, b'E') {
            at += 1;
            at += usize::from(is(at, b'+') || is(at, b'-'));
            at = digits(at)?;
        }
        self.at = at;
        Some(())
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let behind = self.text.as_bytes().get(self.at..)?;
        behind.starts_with(word.as_bytes()).then_some(())?;
        self.at += word.len();
        Some(())
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.next_is(byte).then_some(())
    }

    /// Consumes a byte if it is next.
    fn next_is(&mut self, byte: u8) -> bool {
        let is = self.peek() == Some(byte);
        self.at += usize::from(is);
        is
    }
}

/// Bytes per block. A block is examined once, also if it has many escapes.
const BLOCK: usize = 64;

/// Returns a bit for each quote, backslash and control character; the first byte is the lowest
/// bit. Plain arithmetic on words, which the compiler turns into vector instructions.
#[inline]
fn marks(block: &[u8; BLOCK]) -> u64 {
    let (words, _) = block.as_chunks::<8>();
    let mut found = [0_u64; BLOCK / 8];
    for (found, word) in found.iter_mut().zip(words) {
        *found = marked(u64::from_le_bytes(*word));
    }
    if found == [0; BLOCK / 8] {
        return 0;
    }
    // The multiplication moves the mark of byte n to bit 56 + n.
    let bits = |found: u64| (found >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    found
        .iter()
        .rev()
        .fold(0, |marks, found| marks << 8 | bits(*found))
}

/// Returns 0x80 in each byte of a word that is a quote, a backslash or a control character.
#[inline]
fn marked(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    // 0x80 in each byte that is zero. The sum does not carry into the next byte.
    let zeros = |word: u64| !(((word & LOW) + LOW) | word | LOW);
    let quotes = zeros(word ^ (ONES * u64::from(b'"')));
    let backslashes = zeros(word ^ (ONES * u64::from(b'\\')));
    let controls = zeros(word & (ONES * 0xE0));
    quotes | backslashes | controls
}

/// Decodes the UTF-16 unit of an escape `\uXXXX`.
pub(crate) fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        Some(unit << 4 | digit as u16)
    })
}

#[cfg(test)]
mod tests;
