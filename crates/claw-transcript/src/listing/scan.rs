//! Looking for members in a piece of a file that need not begin or end with a line.
//!
//! The CLI looks in the same places in the same way; a session must not have one title here and
//! another there. It searches the text once for each thing; here lines of the types that matter
//! are found in one pass, and what stands last is looked for from the end.

#[cfg(test)]
mod plain;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;

use memchr::memmem::{self, Finder};
use memchr::{memchr, memrchr};

use crate::members::{self, Members};

/// The types of lines that a list asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    User,
    CustomTitle,
    AiTitle,
    Tag,
    Relocated,
    ContinuedIn,
}

impl Type {
    const ALL: [Self; 6] = [
        Self::User,
        Self::CustomTitle,
        Self::AiTitle,
        Self::Tag,
        Self::Relocated,
        Self::ContinuedIn,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::CustomTitle => "custom-title",
            Self::AiTitle => "ai-title",
            Self::Tag => "tag",
            Self::Relocated => "relocated",
            Self::ContinuedIn => "continued-in",
        }
    }

    /// The type whose name, in quotes, a text begins with.
    fn at_start_of(text: &[u8]) -> Option<Self> {
        let inner = text.strip_prefix(b"\"")?;
        let named = |kind: &Self| {
            let rest = inner.strip_prefix(kind.name().as_bytes());
            rest.is_some_and(|rest| rest.first() == Some(&b'"'))
        };
        Self::ALL.into_iter().find(named)
    }
}

/// A place where a text has `"type":` and the name of a type that matters, anywhere in a line.
#[derive(Debug, Clone, Copy)]
struct Mark {
    kind: Type,
    at: usize,
    /// Without a space behind the colon.
    compact: bool,
}

/// A piece of a file, and the lines in it that matter.
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

    /// The first line that has `"type":` and a type somewhere in it, the second, and so on.
    pub(super) fn lines_with(&self, kind: Type) -> impl Iterator<Item = &str> {
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

    /// Whether the text has `"type":` and a type anywhere, written compactly.
    pub(super) fn has_compact(&self, kind: Type) -> bool {
        let mut marks = self.marks().iter();
        marks.any(|mark| mark.kind == kind && mark.compact)
    }

    /// The last line of a type that has a string member. A title glued to the end of a torn line
    /// counts too.
    pub(super) fn last_named(&self, kind: Type, member: &str) -> Option<String> {
        self.last_of(kind, false, member, |line| {
            if Members::read(line).is_some() {
                return typed_string(line, Some(kind.name()), member);
            }
            let start = format!("{{\"type\":\"{}\"", kind.name());
            let at = line.rfind(&start).filter(|at| *at > 0)?;
            let glued = !matches!(line.as_bytes()[at - 1], b':' | b',' | b'[');
            glued.then(|| typed_string(&line[at..], Some(kind.name()), member))?
        })
    }

    /// The last line of a type, written compactly, that has a string member.
    pub(super) fn last_of_type(&self, kind: Type, member: &str) -> Option<String> {
        self.last_of(kind, true, member, |line| {
            typed_string(line, Some(kind.name()), member)
        })
    }

    fn last_of(
        &self,
        kind: Type,
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
        if let Some(kind) = Type::at_start_of(spaced.unwrap_or(behind)) {
            marks.push(Mark {
                kind,
                at,
                compact: spaced.is_none(),
            });
        }
    }
    marks
}

/// Where the line begins and ends that a place is in.
fn line_around(text: &str, at: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let from = memrchr(b'\n', &bytes[..at]).map_or(0, |end| end + 1);
    let to = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end);
    (from, to)
}

/// The lines of a text from the last to the first, each with where it begins.
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

/// The value behind the first `"key":"`, wherever it stands.
pub(super) fn first_raw(text: &str, key: &str) -> Option<String> {
    [format!("\"{key}\":\""), format!("\"{key}\": \"")]
        .iter()
        .find_map(|pattern| {
            let at = memmem::find(text.as_bytes(), pattern.as_bytes())?;
            value_at(text, at + pattern.len())
        })
}

/// The value behind the last `"key":"`, wherever it stands.
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
                // The very last can be cut off by the end of the piece.
                last = value_at(text, start).or(last);
            }
        }
        last
    })
}

/// The string that begins behind a quote, up to the next quote that is not escaped.
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

/// Whether a line has `"key":true`, by its text.
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

/// Whether a line has `"type":"kind"` anywhere, by its text.
pub(super) fn has_type(line: &str, kind: &str) -> bool {
    line.contains(&format!("\"type\":\"{kind}\""))
        || line.contains(&format!("\"type\": \"{kind}\""))
}
