//! Numbers: any JSON number is read; a type that cannot represent it exactly reports that.

use std::fmt::{self, Write as _};

use crate::wire::{Found, Malformed, Reader, Wire};

impl<'a> Reader<'a> {
    /// Reads the text of a number. Returns `None`, with nothing consumed, for another type of
    /// value.
    pub(super) fn number(&mut self) -> Result<Option<&'a str>, Malformed> {
        if !matches!(self.peek()?, b'-' | b'0'..=b'9') {
            return Ok(None);
        }
        let start = self.pos;
        self.skip_number()?;
        self.slice(start, self.pos).map(Some)
    }

    /// Skips a number and checks its grammar.
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
                // Fractional (one document has durations as floats) or out of range: use the
                // nearest value and keep the text. `as` saturates.
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
        Ok(if is_exact(text, value) {
            Found::Exact(value)
        } else {
            Found::Approx(value)
        })
    }
}

/// Returns whether writing the float yields the number in the text.
fn is_exact(text: &str, value: f64) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    // Fifteen digits always fit. Programs that print floats use up to seventeen, and then nearly
    // always the same digits as Rust.
    (digits <= 15 && !text.contains(['e', 'E']))
        || Expected(text).printed_by(value)
        || (value.is_finite() && decimal(text) == decimal(&format!("{value:e}")))
}

/// Compares printed output with a text, without a copy.
struct Expected<'a>(&'a str);

impl Expected<'_> {
    fn printed_by(mut self, value: f64) -> bool {
        write!(self, "{value}").is_ok() && self.0.is_empty()
    }
}

impl fmt::Write for Expected<'_> {
    fn write_str(&mut self, printed: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(printed).ok_or(fmt::Error)?;
        Ok(())
    }
}

/// Returns a number's significant digits and the power of ten of the first one.
fn decimal(text: &str) -> (String, i64) {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let mantissa = mantissa.trim_start_matches('-');
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let leading = digits.len() - digits.trim_start_matches('0').len();
    let power =
        exponent.parse::<i64>().unwrap_or(i64::MAX / 2) + whole.len() as i64 - leading as i64;
    let significant = digits.trim_matches('0');
    if significant.is_empty() {
        (String::new(), 0)
    } else {
        (significant.to_owned(), power)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_say_whether_they_hold_the_text() {
        for (text, exact) in [
            ("0", true),
            ("-0.5", true),
            ("0.0011279999999999999", true),
            ("1e3", true),
            ("1.50", true),
            ("1794710284602.0085", true),
            ("1E+22", true),
            ("123456789012345678901234.5", false),
            ("1e-400", false),
            ("1e999", false),
            ("0.12345678901234567890123", false),
            ("9007199254740993", false),
        ] {
            assert_eq!(is_exact(text, text.parse().unwrap()), exact, "{text}");
        }
    }
}
