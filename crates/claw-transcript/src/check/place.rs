//! Where in a file something is.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::Path;

use super::facts::Facts;
use super::ids;
use super::member::Member;
use super::report::Finding;
use super::rule::{Rule, Severity};
use super::said::Said;
use crate::entry::{Body, Dialect, Kind};
use crate::lines::{Line, Lines, readable, trim};

/// A line as it was read, and as it lies in the file.
#[derive(Debug)]
pub(super) struct Shown<'a> {
    pub(super) raw: &'a [u8],
    /// Its JSON.
    pub(super) text: Cow<'a, str>,
    pub(super) offset: u64,
    pub(super) ordinal: u64,
}

impl<'a> Shown<'a> {
    pub(super) fn of(raw: &'a [u8], offset: u64, ordinal: u64) -> Self {
        Self {
            raw,
            text: readable(raw),
            offset,
            ordinal,
        }
    }

    /// Where in the line a part of its text lies.
    pub(super) fn range(&self, part: &str) -> Range<usize> {
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

    /// A finding about a part of the text, or about the whole line.
    pub(super) fn finding(
        &self,
        rule: Rule,
        severity: Severity,
        part: Option<&str>,
        uuid: Option<String>,
        message: String,
    ) -> Finding {
        let range = part.map_or(0..self.raw.len(), |part| self.range(part));
        Finding {
            rule,
            severity,
            line: self.ordinal + 1,
            offset: self.offset + range.start as u64,
            length: range.len() as u64,
            uuid,
            message,
        }
    }
}

/// Where a place in text lies in the bytes that it was made from: each group of bytes that is not
/// UTF-8 became one U+FFFD.
fn in_bytes(bytes: &[u8], place: usize) -> usize {
    let (mut in_text, mut at) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid().len();
        if place <= in_text + valid {
            return at + (place - in_text);
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

/// What of a line a finding is about, to be found when the line is read again.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pointer {
    Member(Member),
    /// A content block, and what of it.
    Call(usize),
    Result(usize),
}

impl Pointer {
    fn find<'a>(self, facts: &Facts<'a>) -> Option<&'a str> {
        let block = |index: usize| {
            let said = Said::read(facts.get(Member::Message)?)?;
            let block = said.blocks().get(index)?;
            Some((block.json, block.id, block.call))
        };
        match self {
            Self::Member(member) => facts.get(member),
            Self::Call(index) => block(index).map(|(json, id, _)| id.unwrap_or(json)),
            Self::Result(index) => block(index).map(|(json, _, call)| call.unwrap_or(json)),
        }
    }
}

/// Reads single lines of a file again, to describe what is wrong with them.
#[derive(Debug)]
pub(super) struct SecondLook<'p> {
    path: &'p Path,
    file: Option<BufReader<File>>,
    line: Vec<u8>,
}

impl<'p> SecondLook<'p> {
    pub(super) fn new(path: &'p Path) -> Self {
        Self {
            path,
            file: None,
            line: Vec::new(),
        }
    }

    /// The bytes of the line that begins at an offset; empty when the file changed meanwhile.
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
    pub(super) fn block(&mut self, (offset, index): (u64, usize)) -> Option<String> {
        let text = readable(self.line(offset)).into_owned();
        let facts = Facts::read(&text)?;
        let block = facts.said.as_ref()?.blocks().get(index)?;
        Some(block.json.to_owned())
    }

    /// Which of some numbers are those of calls in the file. Asked only when a result has no call
    /// that waits for it.
    pub(super) fn calls_among(&self, numbers: HashSet<u64>) -> HashSet<u64> {
        let mut found = HashSet::new();
        self.again(numbers.is_empty(), |facts| {
            let said = match (facts.kind, facts.dialect) {
                (Kind::Assistant | Kind::User, Dialect::Disk) => facts.said.as_ref(),
                _ => None,
            };
            let blocks = said.into_iter().flat_map(|said| said.blocks());
            for block in blocks.filter(|block| block.is_call()) {
                let id = block.id.and_then(crate::members::string);
                let number = id.map(|id| ids::number(&id));
                found.extend(number.filter(|number| numbers.contains(number)));
            }
        });
        found
    }

    /// Which of some numbers are those of requests in the file.
    pub(super) fn requests_among(&self, numbers: HashSet<u64>) -> HashSet<u64> {
        let mut found = HashSet::new();
        self.again(numbers.is_empty(), |facts| {
            if facts.kind == Kind::ApiRequest {
                let number = facts.id(Member::Id).map(|id| ids::number(&id));
                found.extend(number.filter(|number| numbers.contains(number)));
            }
        });
        found
    }

    /// Reads the whole file again, unless there is nothing to look for.
    fn again(&self, nothing: bool, mut each: impl FnMut(&Facts<'_>)) {
        let Some(file) = File::open(self.path).ok().filter(|_| !nothing) else {
            return;
        };
        let mut lines = Lines::new(file);
        while let Ok(Some(line)) = lines.next_line() {
            let text = readable(line.raw);
            if let Some(facts) = Facts::read(&text) {
                each(&facts);
            } else if let Body::Broken(damage) = line.body() {
                for piece in damage.pieces {
                    let text = readable(&line.raw[piece]);
                    if let Some(facts) = Facts::read(&text) {
                        each(&facts);
                    }
                }
            }
        }
    }

    /// Describes what is wrong with a line.
    pub(super) fn describe(
        &mut self,
        (offset, ordinal): (u64, u64),
        (rule, severity): (Rule, Severity),
        pointer: Pointer,
        say: impl FnOnce(&Facts<'_>, &str) -> String,
    ) -> Finding {
        let raw = self.line(offset);
        // What lies behind a piece of a broken line is not part of it.
        let whole = match crate::entry::salvage(raw).first() {
            Some(first) if first.start == 0 => &raw[..first.end],
            _ => raw,
        };
        let shown = Shown::of(whole, offset, ordinal);
        let Some(facts) = Facts::read(&shown.text) else {
            let message = "the line is no longer what it was when the check read it: check again";
            return shown.finding(rule, severity, None, None, message.to_owned());
        };
        let part = pointer.find(&facts).unwrap_or(facts.text);
        let uuid = facts.id(Member::Uuid).map(Cow::into_owned);
        let named = crate::members::string(part).unwrap_or(Cow::Borrowed(""));
        let message = say(&facts, &named);
        shown.finding(rule, severity, Some(part), uuid, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_right_behind_bytes_that_are_not_text() {
        let raw = b"\0\0 {\"a\":\"\xFF\xE2\x82x\",\"uuid\":\"u1\"}\r";
        let shown = Shown::of(raw, 1000, 4);
        let facts = Facts::read(&shown.text).expect("an object");
        let part = facts.get(Member::Uuid).expect("a member");
        assert_eq!(&raw[shown.range(part)], b"\"u1\"");
        let finding = shown.finding(
            Rule::UuidForm,
            Severity::Note,
            Some(part),
            None,
            String::new(),
        );
        assert_eq!((finding.line, finding.length), (5, 4));
        assert_eq!(finding.offset, 1000 + 3 + 19);
    }
}
