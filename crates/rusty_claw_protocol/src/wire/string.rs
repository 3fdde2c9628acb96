//! Strings: found fast, unescaped only if necessary.

use std::borrow::Cow;

use memchr::memchr2;

use crate::wire::{Malformed, Reader, chunks};

impl<'a> Reader<'a> {
    /// Reads a string. Returns `None`, with nothing consumed, for another type of value.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON.
    #[inline]
    pub fn string(&mut self) -> Result<Option<Cow<'a, str>>, Malformed> {
        if self.peek()? != b'"' {
            return Ok(None);
        }
        let start = self.pos + 1;
        let (end, escaped) = string_end(self.bytes(), start)?;
        self.pos = end + 1;
        let body = self.slice(start, end)?;
        if escaped {
            unescape(body).map(|text| Some(Cow::Owned(text)))
        } else {
            Ok(Some(Cow::Borrowed(body)))
        }
    }

    /// Skips a string and checks its escapes.
    #[inline]
    pub(super) fn skip_string(&mut self) -> Result<(), Malformed> {
        let start = self.pos + 1;
        let (end, escaped) = string_end(self.bytes(), start)?;
        self.pos = end + 1;
        if escaped {
            check_escapes(self.bytes().get(start..end).ok_or(Malformed)?)
        } else {
            Ok(())
        }
    }
}

/// Finds the closing quote of a string whose body starts at `start`, and whether a backslash
/// precedes it.
#[inline(always)]
pub(super) fn string_end(bytes: &[u8], start: usize) -> Result<(usize, bool), Malformed> {
    let hit = quote_or_backslash(bytes, start)?;
    if bytes.get(hit) == Some(&b'"') {
        Ok((hit, false))
    } else {
        escaped_end(bytes, hit)
    }
}

/// Returns the first quote or backslash from `start` on.
///
/// Most strings are short, and a call of the general search costs more than they do: it is made
/// only if 64 bytes were not enough.
#[inline(always)]
fn quote_or_backslash(bytes: &[u8], start: usize) -> Result<usize, Malformed> {
    let mut at = start;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let ends = chunks::string_ends(chunk);
        if ends != 0 {
            return Ok(at + ends.trailing_zeros() as usize);
        }
        at += chunk.len();
        if at - start == 64 {
            break;
        }
    }
    let rest = bytes.get(at..).ok_or(Malformed)?;
    memchr2(b'"', b'\\', rest)
        .map(|offset| at + offset)
        .ok_or(Malformed)
}

/// `backslash` is the position of the first backslash.
fn escaped_end(bytes: &[u8], mut backslash: usize) -> Result<(usize, bool), Malformed> {
    loop {
        // The escaped byte is never the closing quote.
        let hit = quote_or_backslash(bytes, backslash + 2)?;
        if bytes.get(hit) == Some(&b'"') {
            return Ok((hit, true));
        }
        backslash = hit;
    }
}

/// Checks the escapes of a string body without building the text.
pub(super) fn check_escapes(body: &[u8]) -> Result<(), Malformed> {
    let mut at = 0;
    while let Some(offset) = memchr::memchr(b'\\', body.get(at..).unwrap_or_default()) {
        let escape = at + offset + 1;
        at = match body.get(escape) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => escape + 1,
            Some(b'u') => {
                hex4(body, escape + 1)?;
                escape + 5
            }
            _ => return Err(Malformed),
        };
    }
    Ok(())
}

/// Unescapes a string body. A lone surrogate becomes U+FFFD, as in any UTF-8 text; the escape
/// itself is preserved in the raw line.
fn unescape(body: &str) -> Result<String, Malformed> {
    let bytes = body.as_bytes();
    // The text is never longer than its escaped form, so this is the only allocation.
    let mut out = String::with_capacity(body.len());
    let mut at = 0;
    while let Some(offset) = memchr::memchr(b'\\', bytes.get(at..).unwrap_or_default()) {
        let slash = at + offset;
        out.push_str(body.get(at..slash).ok_or(Malformed)?);
        at = slash + 2;
        let plain = match bytes.get(slash + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let (character, next) = unicode_escape(bytes, slash)?;
                at = next;
                character
            }
            _ => return Err(Malformed),
        };
        out.push(plain);
    }
    out.push_str(body.get(at..).ok_or(Malformed)?);
    Ok(out)
}

/// Decodes the `\u` escape at `slash`, together with the next one if they are a surrogate pair.
/// Returns the character and the position after it.
fn unicode_escape(bytes: &[u8], slash: usize) -> Result<(char, usize), Malformed> {
    let unit = hex4(bytes, slash + 2)?;
    let next = slash + 6;
    if (0xD800..0xDC00).contains(&unit)
        && bytes.get(next) == Some(&b'\\')
        && bytes.get(next + 1) == Some(&b'u')
    {
        let low = hex4(bytes, next + 2)?;
        if (0xDC00..0xE000).contains(&low) {
            let code = 0x1_0000 + ((u32::from(unit) - 0xD800) << 10) + (u32::from(low) - 0xDC00);
            return Ok((
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
                next + 6,
            ));
        }
    }
    Ok((
        char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER),
        next,
    ))
}

fn hex4(bytes: &[u8], at: usize) -> Result<u16, Malformed> {
    let digits = bytes.get(at..at + 4).ok_or(Malformed)?;
    digits.iter().try_fold(0_u16, |value, &digit| {
        let digit = char::from(digit).to_digit(16).ok_or(Malformed)?;
        Ok(value << 4 | digit as u16)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: Option<&str>) {
        let mut reader = Reader::new(json);
        let text = reader.string().ok().flatten().map(Cow::into_owned);
        assert_eq!(text.as_deref(), expected, "{json}");
    }

    #[test]
    fn strings_are_unescaped() {
        check(r#""plain""#, Some("plain"));
        check(r#""a\n\t\"\\\/\b\f\rz""#, Some("a\n\t\"\\/\u{8}\u{c}\rz"));
        check(
            r#""é 中 \u00e9 \u4e2d 🦀 \ud83e\udd80""#,
            Some("é 中 é 中 🦀 🦀"),
        );
        check(
            r#""a long string that passes the thirty-two bytes of the short search \" and goes on""#,
            Some(
                "a long string that passes the thirty-two bytes of the short search \" and goes on",
            ),
        );
        check("\"raw \u{0} control\"", Some("raw \u{0} control"));
    }

    #[test]
    fn half_surrogates_become_replacement_characters() {
        check(r#""\ud83d""#, Some("\u{fffd}"));
        check(r#""\ud83dx""#, Some("\u{fffd}x"));
        check(r#""\udd80\ud83e""#, Some("\u{fffd}\u{fffd}"));
        check(r#""\ud83e\ud83e\udd80""#, Some("\u{fffd}🦀"));
        check(r#""\ud83e\u0041""#, Some("\u{fffd}A"));
    }

    #[test]
    fn broken_strings_are_malformed() {
        for json in [
            r#"""#,
            r#""abc"#,
            r#""\"#,
            r#""\""#,
            r#""\x""#,
            r#""\u12""#,
            r#""\u12g4""#,
            r#""\ud83e\u12""#,
        ] {
            check(json, None);
        }
    }
}
