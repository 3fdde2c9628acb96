//! Walking over bytes that are not yet known to be text.

use crate::wire::scan::container_end;
use crate::wire::string::string_end;

/// A position in a line. Every step is `None` where the bytes cannot be JSON, or where only the
/// reader could tell.
pub(crate) struct Cursor<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Cursor<'a> {
    /// The next byte that is not white space, not consumed.
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

    /// The body of a string that has no escapes.
    #[inline]
    pub(crate) fn plain_string(&mut self) -> Option<&'a [u8]> {
        self.expect(b'"')?;
        let (end, escaped) = string_end(self.bytes, self.at).ok()?;
        let body = self.bytes.get(self.at..end)?;
        self.at = end + 1;
        (!escaped).then_some(body)
    }

    /// Passes over one value by brackets and quotes alone.
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
