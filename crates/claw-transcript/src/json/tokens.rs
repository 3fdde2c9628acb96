//! Splits bytes into JSON tokens without checking that they are JSON.

use std::ops::Range;

use memchr::memchr2;

/// A token and its position. Strings are ranges between the quotes, with escapes as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// `{` or `[`.
    Open(u8),
    /// `}` or `]`.
    Close(u8),
    /// A string followed by a colon.
    Name(Range<usize>),
    /// Any other string.
    String(Range<usize>),
    /// A string that the text ends in.
    Cut(Range<usize>),
    /// A number, `true`, `false`, `null`, or bytes that are none of them.
    Scalar(Range<usize>),
}

/// The tokens of some bytes. Commas, colons, white space and NUL bytes are skipped.
///
/// In valid JSON every [`Token::Name`] is followed by its value: a string, a scalar, or the tokens
/// from [`Token::Open`] to the matching [`Token::Close`].
#[derive(Debug, Clone)]
pub(crate) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn string(&mut self) -> Token {
        let start = self.at + 1;
        let mut at = start;
        while let Some(found) = memchr2(b'"', b'\\', self.bytes.get(at..).unwrap_or_default()) {
            at += found;
            if self.bytes[at] == b'"' {
                self.at = at + 1;
                let mut rest = self.bytes[self.at..].iter();
                let next = rest.find(|byte| !byte.is_ascii_whitespace());
                return match next {
                    Some(b':') => Token::Name(start..at),
                    _ => Token::String(start..at),
                };
            }
            at += 2;
        }
        self.at = self.bytes.len();
        Token::Cut(start..self.at)
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            match *self.bytes.get(self.at)? {
                b'"' => return Some(self.string()),
                byte @ (b'{' | b'[') => {
                    self.at += 1;
                    return Some(Token::Open(byte));
                }
                byte @ (b'}' | b']') => {
                    self.at += 1;
                    return Some(Token::Close(byte));
                }
                byte if is_between(byte) => self.at += 1,
                _ => {
                    let start = self.at;
                    let ends = |byte: &u8| {
                        is_between(*byte) || matches!(byte, b'"' | b'{' | b'[' | b'}' | b']')
                    };
                    let length = self.bytes[start..].iter().position(ends);
                    self.at = length.map_or(self.bytes.len(), |length| start + length);
                    return Some(Token::Scalar(start..self.at));
                }
            }
        }
    }
}

fn is_between(byte: u8) -> bool {
    matches!(byte, b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' | 0)
}
