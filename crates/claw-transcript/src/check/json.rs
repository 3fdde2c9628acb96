//! One strict pass over the JSON of a line.
//!
//! What is kept of a value is where it stands, so that a message, its blocks and their members are
//! all found while the line is held to be JSON, and no byte is looked at twice. It takes what
//! `serde_json` takes, to any depth, and nothing else.

use std::borrow::Cow;

use wide::u8x16;

/// A place in the text of a line.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// Which bytes mean something in a string, in the block that was looked at last.
    marks: u64,
    /// The number of that block.
    block: usize,
    /// What closes the lists and objects that are open where values are gone over.
    open: Vec<u8>,
    /// Where the first escape is that is half of a character, of those not taken yet.
    half: Option<usize>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            marks: 0,
            block: usize::MAX,
            open: Vec::new(),
            half: None,
        }
    }

    /// The first escape gone over since the last call that is half of a character.
    pub(super) fn take_half(&mut self) -> Option<&'a str> {
        self.half.take().map(|at| &self.text[at..at + 6])
    }

    /// The first byte of what comes next, behind white space.
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at)? {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                byte => return Some(*byte),
            }
        }
    }

    /// Whether nothing follows but white space.
    pub(super) fn is_done(&mut self) -> bool {
        self.peek().is_none()
    }

    /// The text of the next value.
    pub(super) fn raw(&mut self) -> Option<&'a str> {
        self.peek()?;
        let from = self.at;
        self.skip()?;
        Some(&self.text[from..self.at])
    }

    /// The text that `read` goes over, with what it gives.
    pub(super) fn raw_with<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<(&'a str, T)> {
        self.peek()?;
        let from = self.at;
        let read = read(self)?;
        Some((&self.text[from..self.at], read))
    }

    /// Goes over an object. `member` is given each name, and goes over the value. A name that
    /// stands for no text is `None`.
    pub(super) fn object(
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

    /// Goes over a list. `value` goes over each value.
    pub(super) fn list(&mut self, mut value: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
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

    /// Goes over the next value, however deep it is.
    pub(super) fn skip(&mut self) -> Option<()> {
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
        Some(serde_json::from_str(quoted).ok().map(Cow::Owned))
    }

    /// Goes over a string that begins here.
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
                    b'u' => at += self.unit_at(at)?,
                    _ => return None,
                },
                // A control character.
                _ => return None,
            }
        }
    }

    /// Where the next byte is that means something in a string; the end of the text when there is
    /// none.
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

    /// Looks at another block; what is missing in the last one means nothing.
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

    /// How long the escape `\uXXXX` is, with the second half of a character.
    fn unit_at(&mut self, at: usize) -> Option<usize> {
        match unit(self.text.as_bytes(), at)? {
            0xD800..0xDC00
                if matches!(unit(self.text.as_bytes(), at + 6), Some(0xDC00..0xE000)) =>
            {
                return Some(12);
            }
            0xD800..0xE000 if self.half.is_none() => self.half = Some(at),
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

    /// Goes over a byte if it is next.
    fn next_is(&mut self, byte: u8) -> bool {
        let is = self.peek() == Some(byte);
        self.at += usize::from(is);
        is
    }
}

/// How many bytes are looked at together. Strings with many escapes are looked at once, not anew
/// behind each escape.
const BLOCK: usize = 64;

/// Which bytes mean something in a string, the first one in the lowest bit: quotes, backslashes
/// and control characters.
#[inline]
fn marks(block: &[u8; BLOCK]) -> u64 {
    let (lanes, _) = block.as_chunks::<16>();
    let mut marks = 0;
    for (index, lane) in lanes.iter().enumerate() {
        let lane = u8x16::new(*lane);
        let control = lane.min(u8x16::splat(0x1F)).simd_eq(lane);
        let quote = lane.simd_eq(u8x16::splat(b'"'));
        let escape = lane.simd_eq(u8x16::splat(b'\\'));
        marks |= u64::from((control | quote | escape).to_bitmask()) << (index * 16);
    }
    marks
}

/// The unit that an escape of the form `\uXXXX` stands for.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        Some(unit << 4 | digit as u16)
    })
}
