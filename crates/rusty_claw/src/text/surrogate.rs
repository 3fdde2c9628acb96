//! Surrogate pairs that were split.
//!
//! JavaScript counts in UTF-16, so an emoji can be split over two deltas: one line ends in
//! `\ud83d`, the next begins with `\ude00`. In decoded text each half is a replacement character;
//! only the line itself contains its code unit.

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct DeltaLine<'a> {
    #[serde(borrow)]
    event: DeltaEvent<'a>,
}

#[derive(Deserialize)]
struct DeltaEvent<'a> {
    #[serde(borrow)]
    delta: Delta<'a>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow)]
    text: &'a RawValue,
}

/// The second half at the start of a text, and the first half at its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Halves {
    pub(super) at_start: Option<u16>,
    pub(super) at_end: Option<u16>,
}

/// Finds the halves in a line with a text delta.
pub(super) fn halves(line: &[u8], text: &str) -> Halves {
    let cut = char::REPLACEMENT_CHARACTER;
    if !text.starts_with(cut) && !text.ends_with(cut) {
        return Halves::default();
    }
    match serde_json::from_slice::<DeltaLine<'_>>(line) {
        Ok(line) => of_literal(line.event.delta.text.get()),
        Err(_) => Halves::default(),
    }
}

/// Finds the halves in a JSON string, quotes included.
fn of_literal(literal: &str) -> Halves {
    let Some(inner) = literal
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    else {
        return Halves::default();
    };
    let at_start = inner
        .get(..6)
        .and_then(unit)
        .filter(|unit| (0xdc00..0xe000).contains(unit));
    let last = inner.len().checked_sub(6);
    let at_end = last.and_then(|at| {
        let before = inner.get(..at)?;
        // `\\ud83d` is a backslash and five letters.
        let backslashes = before.len() - before.trim_end_matches('\\').len();
        let unit = unit(inner.get(at..)?)?;
        (backslashes % 2 == 0 && (0xd800..0xdc00).contains(&unit)).then_some(unit)
    });
    Halves { at_start, at_end }
}

/// The code unit of an escape such as `\ud83d`.
fn unit(escape: &str) -> Option<u16> {
    let digits = escape.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}

/// Joins two halves to a character.
pub(super) fn join(first: u16, second: u16) -> char {
    char::decode_utf16([first, second])
        .next()
        .and_then(Result::ok)
        .unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_found_at_both_ends() {
        let table = [
            (r#""smile \ud83d""#, None, Some(0xd83d)),
            (r#""\ude00 done""#, Some(0xde00), None),
            (r#""\ude00\ud83d""#, Some(0xde00), Some(0xd83d)),
            (r#""\\ud83d""#, None, None),
            (r#""\\\ud83d""#, None, Some(0xd83d)),
            (r#""\ud83d\ude00""#, None, None),
            (r#""\u0041""#, None, None),
            ("\"\u{fffd}\"", None, None),
            (r#""""#, None, None),
        ];
        for (literal, at_start, at_end) in table {
            assert_eq!(
                of_literal(literal),
                Halves { at_start, at_end },
                "{literal}"
            );
        }
        assert_eq!(join(0xd83d, 0xde00), '😀');
    }
}
