//! Searches a range of a file.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek as _, SeekFrom};
use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

use super::pattern::Pattern;
use super::snippet::Snippet;
use super::visible::{Visible, Whose, texts, visible};
use super::{Roles, SearchRole};
use crate::entry::{Body, Entry};
use crate::lines::{readable, trim};

/// How much is read at once: it must stay in the processor's cache until it was searched.
const PIECE: usize = 256 * 1024;

/// A buffer that a very long line made larger than this is given back.
const LARGE: usize = 4 * PIECE;

/// Some lines of a file: those that begin in a range of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) bytes: Range<u64>,
    /// The number of the first line, when the range begins where a line does.
    pub(super) first_line: Option<u64>,
}

impl Region {
    /// A file from its start to whatever its end is.
    pub(super) const WHOLE: Self = Self {
        bytes: 0..u64::MAX,
        first_line: Some(0),
    };
}

/// What is looked for in each line.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) pattern: Pattern,
    pub(super) roles: Roles,
    pub(super) raw: bool,
    pub(super) context: usize,
    pub(super) since_ms: Option<i64>,
    pub(super) until_ms: Option<i64>,
}

/// A match, before it is known in which file.
#[derive(Debug)]
pub(super) struct Found {
    /// Counted from the region's first line.
    pub(super) line: u64,
    pub(super) offset: u64,
    pub(super) uuid: Option<String>,
    pub(super) session_id: Option<String>,
    pub(super) time_ms: Option<i64>,
    pub(super) role: SearchRole,
    pub(super) snippet: Snippet,
    pub(super) count: usize,
}

/// Searches regions, one after another, in the same buffer.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    buffer: Vec<u8>,
}

/// Whether to go on.
pub(super) type GoOn = bool;

impl Scanner {
    /// Calls back for each match, in order, and says how many lines were gone over.
    ///
    /// `written_ms` stands for the time of lines that say none.
    pub(super) fn scan(
        &mut self,
        file: &mut File,
        region: &Region,
        question: &Question,
        written_ms: i64,
        mut each: impl FnMut(Found) -> GoOn,
    ) -> io::Result<u64> {
        let mut reading = Reading::start(&mut self.buffer, file, region)?;
        let mut lines = 0;
        while let Some((chunk, offset)) = reading.next_lines()? {
            let mut batch = Batch {
                question,
                written_ms,
                line: lines,
                each: &mut each,
            };
            if !batch.search(chunk, offset) {
                break;
            }
            lines += memchr_iter(b'\n', chunk).count() as u64;
            lines += u64::from(chunk.last() != Some(&b'\n'));
        }
        if self.buffer.len() > LARGE {
            self.buffer = Vec::new();
        }
        Ok(lines)
    }
}

/// Reads whole lines.
struct Reading<'a> {
    buffer: &'a mut Vec<u8>,
    file: &'a mut File,
    /// What was read and not handed out yet is `buffer[start..end]`.
    start: usize,
    end: usize,
    /// Where in the file `start` is.
    offset: u64,
    /// Lines that begin here or behind belong to somebody else.
    stop: u64,
    at_end: bool,
}

impl<'a> Reading<'a> {
    fn start(buffer: &'a mut Vec<u8>, file: &'a mut File, region: &Region) -> io::Result<Self> {
        let aligned = region.bytes.start == 0 || region.first_line.is_some();
        // The byte before tells whether a line begins here.
        let from = region.bytes.start - u64::from(!aligned);
        file.seek(SeekFrom::Start(from))?;
        let mut reading = Self {
            buffer,
            file,
            start: 0,
            end: 0,
            offset: from,
            stop: region.bytes.end,
            at_end: false,
        };
        if !aligned {
            reading.skip_line()?;
        }
        Ok(reading)
    }

    /// Goes behind the next newline.
    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let rest = &self.buffer[self.start..self.end];
            if let Some(at) = memchr(b'\n', rest) {
                self.start += at + 1;
                self.offset += at as u64 + 1;
                return Ok(());
            }
            self.offset += rest.len() as u64;
            (self.start, self.end) = (0, 0);
            if !self.fill(PIECE)? {
                return Ok(());
            }
        }
    }

    /// Some whole lines, and where they begin; `None` when all of the region was handed out.
    fn next_lines(&mut self) -> io::Result<Option<(&[u8], u64)>> {
        let mut searched = 0;
        loop {
            if self.offset >= self.stop {
                return Ok(None);
            }
            // A line that begins in the region is read to its end, but no other.
            let ours = self.stop - self.offset;
            let have = (self.end - self.start) as u64;
            let rest = &self.buffer[self.start..self.end];
            let length = if have >= ours {
                let ours = ours as usize;
                let from = (ours - 1).max(searched);
                memchr(b'\n', &rest[from..]).map(|at| from + at + 1)
            } else if have >= PIECE as u64 || self.at_end {
                memrchr(b'\n', &rest[searched..]).map(|at| searched + at + 1)
            } else {
                None
            };
            let length = match length {
                Some(length) => length,
                None if self.at_end && rest.is_empty() => return Ok(None),
                None if self.at_end => rest.len(),
                None => {
                    if have >= ours || have >= PIECE as u64 {
                        searched = rest.len();
                    }
                    let wanted = (ours.saturating_sub(have)).clamp(16 * 1024, PIECE as u64);
                    self.fill(wanted as usize)?;
                    continue;
                }
            };
            let (from, offset) = (self.start, self.offset);
            self.start += length;
            self.offset += length as u64;
            return Ok(Some((&self.buffer[from..from + length], offset)));
        }
    }

    /// Reads once more behind what is there; `false` at the end of the file.
    fn fill(&mut self, wanted: usize) -> io::Result<bool> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end + wanted > self.buffer.len() {
            // Growing by a part of what is there keeps the copying of a very long line linear; the
            // part of a long one is small, because it may end soon.
            let have = self.buffer.len();
            let more = if have > LARGE { have / 8 } else { have };
            let length = (have + more).max(self.end + wanted).max(2 * PIECE);
            self.buffer.reserve_exact(length - have);
            self.buffer.resize(length, 0);
        }
        loop {
            match self
                .file
                .read(&mut self.buffer[self.end..self.end + wanted])
            {
                Ok(read) => {
                    self.end += read;
                    self.at_end = read == 0;
                    return Ok(read > 0);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Some lines that are searched together.
struct Batch<'q, F> {
    question: &'q Question,
    written_ms: i64,
    /// The number of the first line.
    line: u64,
    each: F,
}

impl<F: FnMut(Found) -> GoOn> Batch<'_, F> {
    fn search(&mut self, chunk: &[u8], offset: u64) -> GoOn {
        let mut candidates = self.question.pattern.sieve.over(chunk);
        let (mut from, mut counted, mut line) = (0, 0, self.line);
        while let Some(at) = candidates.next_from(from) {
            let start = memrchr(b'\n', &chunk[from..at]).map_or(from, |newline| from + newline + 1);
            let end = memchr(b'\n', &chunk[at..]).map_or(chunk.len(), |newline| at + newline);
            line += memchr_iter(b'\n', &chunk[counted..start]).count() as u64;
            counted = start;
            if !self.line(&chunk[start..end], line, offset + start as u64) {
                return false;
            }
            from = end + 1;
        }
        true
    }

    fn line(&mut self, raw: &[u8], line: u64, offset: u64) -> GoOn {
        match Body::read(raw) {
            Body::Entry(entry) => self.entry(&entry, raw, line, offset),
            Body::Broken(_) if self.question.raw => self.bare(None, raw, line, offset),
            Body::Broken(damage) => damage.pieces.into_iter().all(|piece| {
                let offset = offset + piece.start as u64;
                let entry = Entry::read(&raw[piece.clone()]);
                entry.is_none_or(|entry| self.entry(&entry, &raw[piece], line, offset))
            }),
            Body::Blank => true,
        }
    }

    fn entry(&mut self, entry: &Entry<'_>, raw: &[u8], line: u64, offset: u64) -> GoOn {
        if self.question.raw {
            return self.bare(Some(entry), raw, line, offset);
        }
        let question = self.question;
        visible(entry, question.roles).into_iter().all(|mut said| {
            if !question.pattern.matches(&said.pieces) {
                let Some(spare) = said.spare.take() else {
                    return true;
                };
                said.pieces.extend(texts(spare, Whose::Result));
                if !question.pattern.matches(&said.pieces) {
                    return true;
                }
            }
            self.found(Some(entry), &said, line, offset)
        })
    }

    /// The line itself, as it stands in the file.
    fn bare(&mut self, entry: Option<&Entry<'_>>, raw: &[u8], line: u64, offset: u64) -> GoOn {
        let whole = Visible {
            role: SearchRole::Line,
            pieces: vec![readable(trim(raw))],
            spare: None,
        };
        !self.question.pattern.matches(&whole.pieces) || self.found(entry, &whole, line, offset)
    }

    fn found(
        &mut self,
        entry: Option<&Entry<'_>>,
        said: &Visible<'_>,
        line: u64,
        offset: u64,
    ) -> GoOn {
        let time_ms = entry.and_then(Entry::time_ms);
        let time = time_ms.unwrap_or(self.written_ms);
        let question = self.question;
        if question.since_ms.is_some_and(|since| time < since)
            || question.until_ms.is_some_and(|until| time >= until)
        {
            return true;
        }
        let (snippet, count) = Snippet::of(&said.pieces, &question.pattern, question.context);
        let text = |id: Option<std::borrow::Cow<'_, str>>| id.map(|id| id.into_owned());
        (self.each)(Found {
            line,
            offset,
            uuid: text(entry.and_then(Entry::uuid)),
            session_id: text(entry.and_then(Entry::session)),
            time_ms,
            role: said.role,
            snippet,
            count,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::super::pattern::Wanted;
    use super::*;

    fn question(wanted: Wanted) -> Question {
        Question {
            pattern: Pattern::new(&wanted, false, true).unwrap(),
            roles: Roles::usual(),
            raw: true,
            context: 5,
            since_ms: None,
            until_ms: None,
        }
    }

    fn lines(file: &mut File, region: Region, question: &Question) -> (Vec<(u64, u64)>, u64) {
        let mut found = Vec::new();
        let scanned = Scanner::default().scan(file, &region, question, 0, |hit| {
            found.push((hit.line, hit.offset));
            true
        });
        (found, scanned.unwrap())
    }

    #[test]
    fn a_file_can_be_cut_anywhere_and_every_line_is_searched_once() {
        let texts = [
            "{}x\n{}x\n\n{}\n{}x",
            "x\n",
            "\n\nx{}\n\n",
            "",
            "{}x\r\n{}x\r\n",
        ];
        for text in texts {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            let all = question(Wanted::Phrase("x".into()));
            let (expected, count) = lines(&mut file, Region::WHOLE, &all);
            assert_eq!(expected.len(), text.matches('x').count());
            assert_eq!(count, text.lines().count() as u64, "{text:?}");
            for cut in 0..=text.len() as u64 {
                let region = |bytes| Region {
                    bytes,
                    first_line: None,
                };
                let (mut found, before) = lines(&mut file, region(0..cut), &all);
                let (behind, _) = lines(&mut file, region(cut..u64::MAX), &all);
                found.extend(behind.into_iter().map(|(line, at)| (line + before, at)));
                assert_eq!(found, expected, "{text:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn lines_that_are_longer_than_the_buffer_are_searched_whole() {
        let long = "y".repeat(3 * PIECE);
        let text = format!("first x\n{long}x{long}\n{long}\nlast x");
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let all = question(Wanted::Regex("x".into()));
        let (found, count) = lines(&mut file, Region::WHOLE, &all);
        let second = 2 + (6 * PIECE) as u64;
        assert_eq!(count, 4);
        let last = 8 + second + (3 * PIECE) as u64 + 1;
        assert_eq!(found, [(0, 0), (1, 8), (3, last)]);
    }
}
