//! Numbers: any JSON number is read; a view that cannot hold it says so.

use crate::wire::{Found, Malformed, Reader, Wire};

impl<'a> Reader<'a> {
    /// The text of a number. `None`, nothing consumed, when the value is of another kind.
    pub(super) fn number(&mut self) -> Result<Option<&'a str>, Malformed> {
        if !matches!(self.peek()?, b'-' | b'0'..=b'9') {
            return Ok(None);
        }
        let start = self.pos;
        self.skip_number()?;
        self.slice(start, self.pos).map(Some)
    }

    /// Passes over a number and checks its grammar.
    pub(super) fn skip_number(&mut self) -> Result<(), Malformed> {
        let bytes = self.bytes();
        let mut at = self.pos;
        if bytes.get(at) == Some(&b'-') {
            at += 1;
        }
        let whole = at;
        at = digits(bytes, at);
        if at == whole || (at > whole + 1 && bytes.get(whole) == Some(&b'0')) {
            return Err(Malformed);
        }
        if bytes.get(at) == Some(&b'.') {
            let fraction = at + 1;
            at = digits(bytes, fraction);
            if at == fraction {
                return Err(Malformed);
            }
        }
        if let Some(b'e' | b'E') = bytes.get(at) {
            at += 1;
            if let Some(b'+' | b'-') = bytes.get(at) {
                at += 1;
            }
            let exponent = at;
            at = digits(bytes, exponent);
            if at == exponent {
                return Err(Malformed);
            }
        }
        self.pos = at;
        Ok(())
    }
}

#[inline]
fn digits(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

macro_rules! integers {
    ($($int:ty),*) => {$(
        impl Wire for $int {
            fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
                let Some(text) = reader.number()? else { return Ok(Found::Other) };
                if let Ok(value) = text.parse() {
                    return Ok(Found::Exact(value));
                }
                // Fractional (one document has durations as floats), or beyond the integer: the
                // nearest value, and the text is kept. `as` saturates.
                Ok(Found::Approx(text.parse::<f64>().unwrap_or_default().round() as $int))
            }
        }
    )*};
}

integers!(u64, i64, u32);

impl Wire for f64 {
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed> {
        let Some(text) = reader.number()? else {
            return Ok(Found::Other);
        };
        let value = text.parse::<f64>().unwrap_or_default();
        // A huge integer loses digits in a float; what passed through a float before does not.
        let exact =
            value.is_finite() && (text.len() <= 15 || text.bytes().any(|byte| byte == b'.'));
        Ok(if exact {
            Found::Exact(value)
        } else {
            Found::Approx(value)
        })
    }
}
