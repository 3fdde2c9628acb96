//! Searches for members in a piece of a file that may start and end within a line.
//!
//! The CLI searches in the same way, so that both show the same title. The CLI searches the text
//! once for each property; this module finds all lines of the relevant types in one pass, and
//! searches for last values from the end.

#[cfg(test)]
mod tests;

use std::cell::OnceCell;

use memchr::memmem::{self, Finder};
use memchr::{memchr, memrchr};

use crate::entry::Kind;
use crate::members::{self, Members};

/// A position of `"type":` and a known kind, anywhere in a line.
#[derive(Debug, Clone, Copy)]
struct Mark {
    kind: Kind,
    at: usize,
    /// Whether there is no space after the colon.
    compact: bool,
}

/// A piece of a file, and the relevant lines in it.
#[derive(Debug)]
pub(crate) struct Piece {
    text: String,
    marks: OnceCell<Vec<Mark>>,
}

impl Piece {
    pub(super) fn new(text: String) -> Self {
        Self {
            text,
            marks: OnceCell::new(),
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    fn marks(&self) -> &[Mark] {
        self.marks.get_or_init(|| marks(self.text.as_bytes()))
    }

    /// The lines that contain `"type":` and a type.
    pub(super) fn lines_with(&self, kind: Kind) -> impl Iterator<Item = &str> {
        let mut seen = 0;
        let marks = self.marks().iter().filter(move |mark| mark.kind == kind);
        marks.filter_map(move |mark| {
            if mark.at < seen {
                return None;
            }
            let (from, to) = line_around(&self.text, mark.at);
            seen = to;
            Some(&self.text[from..to])
        })
    }

    /// Returns whether the text contains `"type":` and a type, in compact form.
    pub(super) fn has_compact(&self, kind: Kind) -> bool {
        let mut marks = self.marks().iter();
        marks.any(|mark| mark.kind == kind && mark.compact)
    }

    /// The last line of a type that has a string member. Also finds a title after a torn line.
    pub(super) fn last_named(&self, kind: Kind, member: &str) -> Option<String> {
        self.last_of(kind, false, member, |line| {
            if Members::read(line).is_some() {
                return typed_string(line, Some(kind.as_str()), member);
            }
            let start = format!("{{\"type\":\"{}\"", kind.as_str());
            let at = line.rfind(&start).filter(|at| *at > 0)?;
            let glued = !matches!(line.as_bytes()[at - 1], b':' | b',' | b'[');
            glued.then(|| typed_string(&line[at..], Some(kind.as_str()), member))?
        })
    }

    /// The last line of a type, in compact form, that has a string member.
    pub(super) fn last_of_type(&self, kind: Kind, member: &str) -> Option<String> {
        self.last_of(kind, true, member, |line| {
            typed_string(line, Some(kind.as_str()), member)
        })
    }

    fn last_of(
        &self,
        kind: Kind,
        compact: bool,
        member: &str,
        value: impl Fn(&str) -> Option<String>,
    ) -> Option<String> {
        let mut before = usize::MAX;
        let marks = self.marks().iter().rev();
        let mut marks = marks.filter(|mark| mark.kind == kind && (mark.compact || !compact));
        marks.find_map(|mark| {
            if mark.at >= before {
                return None;
            }
            let (from, to) = line_around(&self.text, mark.at);
            before = from;
            let line = &self.text[from..to];
            memmem::find(line.as_bytes(), format!("\"{member}\":").as_bytes())?;
            value(line)
        })
    }
}

fn marks(text: &[u8]) -> Vec<Mark> {
    const TYPE: &[u8] = b"\"type\":";
    let mut marks = Vec::new();
    for at in memmem::find_iter(text, TYPE) {
        let behind = &text[at + TYPE.len()..];
        let spaced = behind.strip_prefix(b" ");
        let kind = kind_at_start(spaced.unwrap_or(behind)).unwrap_or(Kind::Unknown);
        if kind != Kind::Unknown {
            let compact = spaced.is_none();
            marks.push(Mark { kind, at, compact });
        }
    }
    marks
}

/// The kind whose quoted name a text starts with.
fn kind_at_start(text: &[u8]) -> Option<Kind> {
    let name = text.strip_prefix(b"\"")?;
    let name = &name[..memchr(b'"', name)?];
    std::str::from_utf8(name).ok().map(Kind::of)
}

/// The start and the end of the line that contains a position.
fn line_around(text: &str, at: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let from = memrchr(b'\n', &bytes[..at]).map_or(0, |end| end + 1);
    let to = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end);
    (from, to)
}

/// The lines of a text from the last to the first, each with its offset.
fn lines_from_the_end(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut end = Some(text.len());
    std::iter::from_fn(move || {
        let to = end?;
        let newline = memrchr(b'\n', &text.as_bytes()[..to]);
        end = newline;
        let from = newline.map_or(0, |at| at + 1);
        Some((from, &text[from..to]))
    })
}

/// The last line of any type that has a string member.
pub(super) fn last_string(text: &str, member: &str) -> Option<String> {
    let key = format!("\"{member}\":");
    let key = Finder::new(&key);
    lines_from_the_end(text)
        .filter(|(_, line)| key.find(line.as_bytes()).is_some())
        .find_map(|(_, line)| typed_string(line, None, member))
}

fn typed_string(line: &str, kind: Option<&str>, member: &str) -> Option<String> {
    let members = Members::read(line)?;
    if kind.is_some() && members.string("type").as_deref() != kind {
        return None;
    }
    members.string(member).map(Into::into)
}

/// The value after the first `"key":"`, anywhere in the text.
pub(super) fn first_raw(text: &str, key: &str) -> Option<String> {
    [format!("\"{key}\":\""), format!("\"{key}\": \"")]
        .iter()
        .find_map(|pattern| {
            let at = memmem::find(text.as_bytes(), pattern.as_bytes())?;
            value_at(text, at + pattern.len())
        })
}

/// The value after the last `"key":"`, anywhere in the text.
pub(super) fn last_raw(text: &str, key: &str) -> Option<String> {
    let name = format!("\"{key}\":");
    let name = Finder::new(&name);
    lines_from_the_end(text).find_map(|(from, line)| {
        let mut last = None;
        for at in name.find_iter(line.as_bytes()) {
            let behind = &line[at + name.needle().len()..];
            let value = behind.strip_prefix(' ').unwrap_or(behind);
            if value.starts_with('"') {
                let start = from + line.len() - value.len() + 1;
                // The end of the piece may truncate the very last value.
                last = value_at(text, start).or(last);
            }
        }
        last
    })
}

/// The string after a quote, up to the next quote that is not escaped.
fn value_at(text: &str, start: usize) -> Option<String> {
    let bytes = text.as_bytes();
    let mut at = start;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => break,
            _ => at += 1,
        }
    }
    let quoted = text.get(start - 1..=at)?;
    let plain = || text[start..at].to_owned();
    Some(members::string(quoted).map_or_else(plain, Into::into))
}

/// Returns whether a line contains `"key":true`.
pub(super) fn has_true(line: &str, key: &str) -> bool {
    let name = format!("\"{key}\":");
    memmem::find_iter(line.as_bytes(), &name).any(|at| {
        let behind = &line[at + name.len()..];
        behind
            .strip_prefix(' ')
            .unwrap_or(behind)
            .starts_with("true")
    })
}

/// Returns whether a line contains `"type":"kind"`.
pub(super) fn has_type(line: &str, kind: &str) -> bool {
    line.contains(&format!("\"type\":\"{kind}\""))
        || line.contains(&format!("\"type\": \"{kind}\""))
}
