//! What is left in a line that is broken.

use std::ops::Range;

use memchr::memmem;
use serde::de::IgnoredAny;

use super::{Entry, KindGroup};
use crate::lines::trim;

/// How the lines of session files begin, and how objects inside of them seldom do.
const STARTS: [&[u8]; 3] = [b"{\"parentUuid\"", b"{\"type\"", b"{\"logicalParentUuid\""];

/// Why a line is not an entry, and what is whole in it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// What is wrong with it, for people.
    pub why: &'static str,
    /// Where in the line whole entries lie, in order: one that was glued to a torn one, or several
    /// without a newline between them.
    pub pieces: Vec<Range<usize>>,
}

impl Damage {
    /// `None` for a line with nothing in it.
    pub(super) fn of(raw: &[u8]) -> Option<Self> {
        let trimmed = trim(raw);
        if trimmed.is_empty() {
            return None;
        }
        let pieces = salvage(raw);
        let whole: usize = pieces.iter().map(|piece| piece.len()).sum();
        let why = if whole == trimmed.len() {
            "entries without a newline between them"
        } else if !pieces.is_empty() {
            "a torn entry with a whole one behind it"
        } else if trimmed.starts_with(b"{") {
            if is_cut(trimmed) {
                "an entry that is cut off"
            } else {
                "not valid JSON"
            }
        } else if matches!(trimmed, [b'[' | b'"' | b'-' | b'0'..=b'9', ..]) || is_word(trimmed) {
            "JSON, but no object"
        } else {
            "no JSON"
        };
        Some(Self { why, pieces })
    }
}

/// Where in the bytes of a broken line whole entries lie.
///
/// A writer that was killed leaves half an entry, and the next one may write right behind it. The
/// CLI reads neither; here, whatever is a whole object, begins as entries begin and is of a known
/// kind is found. The content blocks of a torn reply are not entries. A line that is made to look
/// like very many torn entries is given up after reading it some times over.
///
/// ```
/// let line = br#"{"type":"user","mess{"type":"mode","mode":"normal"}"#;
/// assert_eq!(claw_transcript::salvage(line), [20..51]);
/// ```
pub fn salvage(raw: &[u8]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut around = Around::default();
    let mut from = 0;
    let mut budget = raw.len().saturating_mul(READINGS) + SMALL;
    while let Some(start) = next_start(raw, from) {
        around.go_to(raw, start);
        if !around.may_begin_a_value() {
            // A writer was cut off right here, and another one began.
            around = Around::at(start);
        }
        let Some(length) = whole_object(&raw[start..]) else {
            from = start + 1;
            budget = budget.saturating_sub(raw.len() - start);
            if budget == 0 {
                break;
            }
            continue;
        };
        let piece = start..start + length;
        from = piece.end;
        if !is_entry(&raw[piece.clone()]) {
            continue;
        }
        // A value of the entry around it, unless that was cut off right before.
        let rest = trim(&raw[piece.end..]);
        let more = !rest.is_empty() && !rest.starts_with(b"{");
        if around.is_inside() && (more || around.follows_a_quoted_one()) {
            around.quoted_in = Some(around.open.len());
            continue;
        }
        around = Around::at(piece.end);
        pieces.push(piece);
    }
    pieces
}

/// Where in the JSON of a torn entry something stands.
#[derive(Debug, Default)]
struct Around {
    /// How far it was read.
    at: usize,
    in_string: bool,
    /// How the objects and lists began that are not closed.
    open: Vec<u8>,
    /// What stands before, but for white space.
    last: u8,
    /// How deep a whole entry was found to be a value of the torn one.
    quoted_in: Option<usize>,
}

impl Around {
    fn at(at: usize) -> Self {
        Self {
            at,
            ..Self::default()
        }
    }

    fn is_inside(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether this is the next one of a list of entries, which are quoted all or none.
    fn follows_a_quoted_one(&self) -> bool {
        self.last == b',' && self.quoted_in == Some(self.open.len())
    }

    /// Whether an object may stand here.
    fn may_begin_a_value(&self) -> bool {
        !self.in_string
            && match self.last {
                b':' => true,
                b'[' => true,
                b',' => self.open.last() == Some(&b'['),
                _ => self.open.is_empty(),
            }
    }

    fn go_to(&mut self, raw: &[u8], place: usize) {
        while self.at < place {
            let byte = raw[self.at];
            self.at += 1;
            match byte {
                b'\\' if self.in_string => self.at += 1,
                b'"' => {
                    self.in_string = !self.in_string;
                    self.last = byte;
                }
                _ if self.in_string => {}
                b'{' | b'[' => {
                    self.open.push(byte);
                    self.last = byte;
                }
                b'}' | b']' => {
                    self.open.pop();
                    self.last = byte;
                }
                byte if byte.is_ascii_whitespace() => {}
                byte => self.last = byte,
            }
        }
    }
}

/// How many times a broken line is read over, and how many bytes of it at least.
const READINGS: usize = 8;
const SMALL: usize = 1 << 18;

/// Whether an object is a line of a session file, not something inside of one.
fn is_entry(object: &[u8]) -> bool {
    Entry::read(object).is_some_and(|entry| match entry.kind().group() {
        KindGroup::Unknown | KindGroup::Stream | KindGroup::Foreign => false,
        KindGroup::Chain => entry.get("uuid").is_some() && entry.get("sessionId").is_some(),
        _ => true,
    })
}

/// The next place at which an entry may begin.
fn next_start(raw: &[u8], from: usize) -> Option<usize> {
    let rest = &raw[from..];
    STARTS
        .iter()
        .filter_map(|start| memmem::find(rest, start))
        .min()
        .map(|at| from + at)
}

/// How long the object is that these bytes begin with, when it is whole.
fn whole_object(bytes: &[u8]) -> Option<usize> {
    let mut objects = serde_json::Deserializer::from_slice(bytes).into_iter::<IgnoredAny>();
    objects.next()?.ok()?;
    Some(objects.byte_offset())
}

/// Whether JSON ends where more of it was to come.
fn is_cut(bytes: &[u8]) -> bool {
    let read: Result<IgnoredAny, _> = serde_json::from_slice(bytes);
    read.is_err_and(|error| error.is_eof())
}

fn is_word(bytes: &[u8]) -> bool {
    matches!(bytes, b"true" | b"false" | b"null")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_a_list_of_quoted_entries_is_quoted_too() {
        let quoted = r#"{"type":"user","uuid":"u9","sessionId":"s","message":{}}"#;
        let torn = format!(r#"{{"type":"user","toolUseResult":{{"list":[{quoted}, {quoted}"#);
        assert!(salvage(torn.as_bytes()).is_empty());
        // Another writer's line behind a torn list is not one of it.
        let glued = format!(r#"{{"type":"user","toolUseResult":{{"list":[1, {quoted}"#);
        assert_eq!(salvage(glued.as_bytes()).len(), 1);
    }
}
