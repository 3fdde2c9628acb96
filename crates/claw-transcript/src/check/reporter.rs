//! Positions in a file, and findings about them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::Path;

use super::report::{Finding, How, Sink};
use crate::entry::{Body, Kind};
use crate::facts::{Facts, Member, Message};
use crate::id_hash;
use crate::lines::{Line, Lines, readable, trim};
use crate::members;

/// The offset and the ordinal of a line.
pub(super) type Position = (u64, u64);

/// A line and its position in the file.
#[derive(Debug)]
pub(super) struct SourceLine<'a> {
    pub(super) raw: &'a [u8],
    /// Its JSON.
    pub(super) text: Cow<'a, str>,
    pub(super) position: Position,
}

impl<'a> SourceLine<'a> {
    pub(super) fn of(raw: &'a [u8], position: Position) -> Self {
        let text = readable(raw);
        Self {
            raw,
            text,
            position,
        }
    }

    /// The range of a part of the text in the raw line.
    fn range(&self, part: &str) -> Range<usize> {
        let start = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        if start > self.text.len() {
            return 0..self.raw.len();
        }
        let trimmed = trim(self.raw);
        let lead = trimmed.as_ptr() as usize - self.raw.as_ptr() as usize;
        let (from, to) = (start, start + part.len());
        match &self.text {
            Cow::Borrowed(_) => lead + from..lead + to,
            Cow::Owned(_) => lead + in_bytes(trimmed, from)..lead + in_bytes(trimmed, to),
        }
    }

    /// A finding about a part of the text, or about the whole line if there is none.
    pub(super) fn finding(
        &self,
        (rule, severity): How,
        facts: Option<&Facts<'_>>,
        part: Option<&str>,
        message: impl Into<String>,
    ) -> Finding {
        let range = part.map_or(0..self.raw.len(), |part| self.range(part));
        let (offset, ordinal) = self.position;
        let uuid = facts.and_then(|facts| facts.id(Member::Uuid));
        Finding {
            rule,
            severity,
            line: ordinal + 1,
            offset: offset + range.start as u64,
            length: range.len() as u64,
            uuid: uuid.map(Cow::into_owned),
            message: message.into(),
        }
    }
}

/// Translates a position in lossy text into one in its bytes. Each invalid sequence became one
/// U+FFFD.
fn in_bytes(bytes: &[u8], position: usize) -> usize {
    let (mut in_text, mut at) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid().len();
        if position <= in_text + valid {
            return at + (position - in_text);
        }
        in_text += valid;
        at += valid;
        if !chunk.invalid().is_empty() {
            in_text += '\u{FFFD}'.len_utf8();
            at += chunk.invalid().len();
        }
    }
    at
}

/// The part of a line that a finding is about, found when the line is read again.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pointer {
    Member(Member),
    /// The id of a call, by its block.
    Call(u16),
    /// The `tool_use_id` of a result, by its block.
    Result(u16),
}

impl From<Member> for Pointer {
    fn from(member: Member) -> Self {
        Self::Member(member)
    }
}

impl Pointer {
    fn find<'a>(self, facts: &Facts<'a>) -> Option<&'a str> {
        let block = |index: u16| facts.blocks().get(usize::from(index));
        match self {
            Self::Member(member) => facts.get(member),
            Self::Call(index) => block(index).map(|block| block.id.unwrap_or(block.json)),
            Self::Result(index) => block(index).map(|block| block.call.unwrap_or(block.json)),
        }
    }
}

/// Reports findings about one file, and reads its lines again to describe them.
#[derive(Debug)]
pub(super) struct Reporter<'p> {
    path: &'p Path,
    file: Option<BufReader<File>>,
    line: Vec<u8>,
    pub(super) sink: Sink,
}

impl<'p> Reporter<'p> {
    pub(super) fn new(path: &'p Path, sink: Sink) -> Self {
        Self {
            path,
            file: None,
            line: Vec::new(),
            sink,
        }
    }

    /// Counts a finding about a line. It is described only if it is listed.
    pub(super) fn add(
        &mut self,
        at: Position,
        how: How,
        pointer: impl Into<Pointer>,
        message: impl FnOnce(&Facts<'_>, &str) -> String,
    ) {
        if self.sink.count(how) {
            let finding = self.describe(at, how, pointer, message);
            self.sink.list(finding);
        }
    }

    /// The bytes of the line at an offset; empty if the file changed meanwhile.
    pub(super) fn line(&mut self, offset: u64) -> &[u8] {
        self.line.clear();
        if self.file.is_none() {
            self.file = File::open(self.path).ok().map(BufReader::new);
        }
        if let Some(file) = &mut self.file
            && file.seek(SeekFrom::Start(offset)).is_ok()
            && file.read_until(b'\n', &mut self.line).is_err()
        {
            self.line.clear();
        }
        Line::of(&self.line, 0, offset).raw
    }

    /// The JSON of a content block, by the offset of its line and its index in the message.
    pub(super) fn block(&mut self, (offset, index): (u64, u16)) -> Option<String> {
        let text = readable(self.line(offset)).into_owned();
        let facts = Facts::read(&text)?;
        let block = facts.blocks().get(usize::from(index))?;
        Some(block.json.to_owned())
    }

    /// Reads the whole file again. Returns those names that are defined in it.
    pub(super) fn defined_among(&self, names: &HashSet<Name>) -> HashSet<Name> {
        let mut found = HashSet::new();
        if !names.is_empty() {
            facts_of(self.path, |facts| {
                names_defined(facts, |name| found.extend(names.get(&name)));
                true
            });
        }
        found
    }

    /// Describes a finding about a line.
    pub(super) fn describe(
        &mut self,
        position: Position,
        how: How,
        pointer: impl Into<Pointer>,
        message: impl FnOnce(&Facts<'_>, &str) -> String,
    ) -> Finding {
        let raw = self.line(position.0);
        // An entry at the start of a broken line ends before the line does.
        let whole = match crate::entry::salvage(raw).first() {
            Some(first) if first.start == 0 => &raw[..first.end],
            _ => raw,
        };
        let shown = SourceLine::of(whole, position);
        let Some(facts) = Facts::read(&shown.text) else {
            let message = "the line changed while it was checked: check again";
            return shown.finding(how, None, None, message);
        };
        let part = pointer.into().find(&facts).unwrap_or(facts.text);
        let message = message(&facts, &members::string(part).unwrap_or_default());
        shown.finding(how, Some(&facts), Some(part), message)
    }
}

/// Calls `each` with the facts of each entry of a file, until it returns `false`. Entries in broken
/// lines are included.
pub(super) fn facts_of(path: &Path, mut each: impl FnMut(&Facts<'_>) -> bool) {
    let Ok(file) = File::open(path) else {
        return;
    };
    let mut lines = Lines::new(file);
    while let Ok(Some(line)) = lines.next_line() {
        let pieces = match Facts::read(&readable(line.raw)) {
            Some(facts) if each(&facts) => continue,
            Some(_) => return,
            None => match line.body() {
                Body::Broken(damage) => damage.pieces,
                _ => continue,
            },
        };
        for piece in pieces {
            let text = readable(&line.raw[piece]);
            if Facts::read(&text).is_some_and(|facts| !each(&facts)) {
                return;
            }
        }
    }
}

/// A name that a line defines: the hash of its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Name {
    Uuid(u64),
    Request(u64),
    Shape(u64),
    Call(u64),
}

/// Calls `each` with each name that a line defines.
pub(super) fn names_defined(facts: &Facts<'_>, mut each: impl FnMut(Name)) {
    let mut define = |id: Option<&str>, name: fn(u64) -> Name| {
        let id = id.and_then(members::string).filter(|id| !id.is_empty());
        if let Some(id) = id {
            each(name(id_hash::hash(&id)));
        }
    };
    define(facts.get(Member::Uuid), Name::Uuid);
    match facts.kind {
        Kind::ApiRequest => define(facts.get(Member::Id), Name::Request),
        Kind::ApiRequestShape => define(facts.get(Member::ShapeHash), Name::Shape),
        _ => {}
    }
    let blocks = facts.api_message().map(Message::blocks);
    let blocks = blocks.unwrap_or_default().iter();
    for call in blocks.filter(|block| block.is_call()) {
        define(call.id, Name::Call);
    }
}

#[cfg(test)]
mod tests {
    use super::super::rule::{Rule, Severity};
    use super::*;

    #[test]
    fn positions_are_right_behind_bytes_that_are_not_text() {
        let raw = b"\0\0 {\"a\":\"\xFF\xE2\x82x\",\"uuid\":\"u1\"}\r";
        let shown = SourceLine::of(raw, (1000, 4));
        let facts = Facts::read(&shown.text).expect("an object");
        let part = facts.get(Member::Uuid).expect("a member");
        assert_eq!(&raw[shown.range(part)], b"\"u1\"");
        let how = (Rule::UuidForm, Severity::Note);
        let finding = shown.finding(how, None, Some(part), "");
        assert_eq!((finding.line, finding.length), (5, 4));
        assert_eq!(finding.offset, 1000 + 3 + 19);
    }
}
