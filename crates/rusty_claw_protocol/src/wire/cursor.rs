//! A cursor over bytes that may not be UTF-8.

use crate::wire::scan::container_end;
use crate::wire::string::string_end;

/// A position in a line. Every step returns `None` if the bytes cannot be JSON, or if only the
/// reader can decide.
pub(crate) struct Cursor<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Cursor<'a> {
    /// Returns the next byte that is not white space, without consuming it.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<u8> {
        loop {
            match *self.bytes.get(self.at)? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    #[inline]
    pub(crate) fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then(|| self.at += 1)
    }

    /// Reads the body of a string without escapes.
    #[inline]
    pub(crate) fn plain_string(&mut self) -> Option<&'a [u8]> {
        self.expect(b'"')?;
        let (end, escaped) = string_end(self.bytes, self.at).ok()?;
        let body = self.bytes.get(self.at..end)?;
        self.at = end + 1;
        (!escaped).then_some(body)
    }

    /// Skips a value by its brackets and quotes alone.
    #[inline]
    pub(crate) fn leap(&mut self) -> Option<()> {
        self.at = match self.next()? {
            b'"' => string_end(self.bytes, self.at + 1).ok()?.0 + 1,
            b'{' | b'[' => container_end(self.bytes, self.at)?,
            _ => {
                let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']');
                self.at + self.bytes.get(self.at..)?.iter().position(ends)?
            }
        };
        Some(())
    }
}
