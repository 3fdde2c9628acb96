//! Salvages entries from broken lines.

use std::ops::Range;

use memchr::memmem;
use serde::de::IgnoredAny;

use super::KindGroup;
use crate::facts::{Facts, Member};
use crate::lines::{readable, trim};

/// How lines of session files begin. Nested objects rarely begin like this.
const STARTS: [&[u8]; 3] = [b"{\"parentUuid\"", b"{\"type\"", b"{\"logicalParentUuid\""];

/// Why a line is not an entry, and which entries it contains.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// A description of the damage, for people.
    pub why: &'static str,
    /// The positions of whole entries in the line, in order: after a torn entry, or several without
    /// a newline between them.
    pub pieces: Vec<Range<usize>>,
}

impl Damage {
    /// Returns `None` for a blank line.
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

/// Returns the positions of whole entries in a broken line.
///
/// A killed writer leaves a part of an entry, and the next writer may append directly to it. The
/// CLI reads neither. This function finds whole objects that begin like entries and have a known
/// kind. The content blocks of a torn reply are not entries. To bound the time, it gives up on
/// lines with very many torn entries.
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
            // A writer was killed here, and another one continued.
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
        // A value of the entry around it, unless that entry was cut off right before.
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

/// The context of a position in the JSON of a torn entry.
#[derive(Debug, Default)]
struct Around {
    /// The offset up to which it was read.
    at: usize,
    in_string: bool,
    /// The brackets that are still open.
    open: Vec<u8>,
    /// The last byte before the position that is not white space.
    last: u8,
    /// The depth at which a whole entry was a value of the torn one.
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

    /// Returns whether this is the next of a list of entries, which are all quoted or all not.
    fn follows_a_quoted_one(&self) -> bool {
        self.last == b',' && self.quoted_in == Some(self.open.len())
    }

    /// Returns whether an object may begin here.
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

/// The time limit for a broken line: this many times its length, plus `SMALL` bytes.
const READINGS: usize = 8;
const SMALL: usize = 1 << 18;

/// Returns whether an object is a line of a session file, not a nested object.
fn is_entry(object: &[u8]) -> bool {
    let text = readable(object);
    Facts::read(&text).is_some_and(|facts| match facts.kind.group() {
        KindGroup::Unknown | KindGroup::Stream | KindGroup::Foreign => false,
        KindGroup::Chain => {
            facts.get(Member::Uuid).is_some() && facts.get(Member::Session).is_some()
        }
        _ => true,
    })
}

/// The next offset at which an entry may begin.
fn next_start(raw: &[u8], from: usize) -> Option<usize> {
    let rest = &raw[from..];
    STARTS
        .iter()
        .filter_map(|start| memmem::find(rest, start))
        .min()
        .map(|at| from + at)
}

/// The length of the object at the start of the bytes, if it is complete.
pub(crate) fn whole_object(bytes: &[u8]) -> Option<usize> {
    let mut objects = serde_json::Deserializer::from_slice(bytes).into_iter::<IgnoredAny>();
    objects.next()?.ok()?;
    Some(objects.byte_offset())
}

/// Returns whether the bytes are JSON that is cut off.
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
        // The line of another writer after a torn list is not part of the list.
        let glued = format!(r#"{{"type":"user","toolUseResult":{{"list":[1, {quoted}"#);
        assert_eq!(salvage(glued.as_bytes()).len(), 1);
    }
}
