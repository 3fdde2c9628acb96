//! Searches the lines that start in a range of a file.

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::{memchr, memchr_iter, memrchr};

use super::pattern::Pattern;
use super::role::SearchRole;
use super::snippet::Snippet;
use super::visible::{Visible, Whose, texts, visible};
use crate::entry::{Body, Entry};
use crate::files::SessionFile;
use crate::lines::{Buffer, readable, trim};
use crate::time::to_ms;

/// A message, tool call, result or title that matches.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SearchHit {
    /// The file of the match.
    pub file: Arc<SessionFile>,
    /// The session, by the name of the file or else by the line.
    pub session_id: Option<String>,
    /// The number of the line, counted from zero. In a file of one long result, the line of the
    /// first match.
    pub line: u64,
    /// The position of the line in the file.
    pub offset: u64,
    /// The uuid of the line.
    pub uuid: Option<String>,
    /// The time of the line, in milliseconds since 1970.
    pub time_ms: Option<i64>,
    /// The kind of text.
    pub role: SearchRole,
    /// The text around the first match.
    pub snippet: Snippet,
    /// The number of matches in the text.
    pub count: usize,
}

/// The query for each line.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) pattern: Pattern,
    pub(super) roles: Vec<SearchRole>,
    pub(super) raw: bool,
    pub(super) context: usize,
    pub(super) since_ms: Option<i64>,
    pub(super) until_ms: Option<i64>,
    /// Set when the iterator ends or is dropped.
    pub(super) stop: AtomicBool,
}

impl Question {
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns whether a time is in the requested period.
    pub(super) fn includes(&self, time_ms: i64) -> bool {
        self.since_ms.is_none_or(|since| time_ms >= since)
            && self.until_ms.is_none_or(|until| time_ms < until)
    }
}

/// Whether to continue the search.
pub(super) type GoOn = bool;

/// Calls `each` for each match in the lines that start in `range`, in order. Returns the number
/// of these lines. `hit.line` counts from the first of them. The content of `buffer` is dropped.
pub(super) fn scan(
    buffer: &mut Buffer,
    opened: &mut File,
    file: &Arc<SessionFile>,
    range: &Range<u64>,
    question: &Question,
    mut each: impl FnMut(SearchHit) -> GoOn,
) -> io::Result<u64> {
    buffer.clear();
    // The byte before shows whether a line starts here.
    let mut offset = range.start.saturating_sub(1);
    opened.seek(SeekFrom::Start(offset))?;
    if range.start > 0 {
        offset += buffer.skip_line(opened)?;
    }
    let mut lines = 0;
    while offset < range.end
        && !question.is_stopped()
        && let Some(length) = buffer.fill_lines(opened)?
    {
        // The last line that starts in the range is read to its end.
        let ours = usize::try_from(range.end - offset).unwrap_or(usize::MAX);
        let behind = buffer.peek(length).get(ours - 1..);
        let end = behind.and_then(|behind| memchr(b'\n', behind));
        let chunk = buffer.take(end.map_or(length, |at| ours + at));
        let mut batch = Batch {
            question,
            file,
            line: lines,
            each: &mut each,
        };
        if !batch.search(chunk, offset) {
            break;
        }
        lines += memchr_iter(b'\n', chunk).count() as u64;
        lines += u64::from(chunk.last() != Some(&b'\n'));
        offset += chunk.len() as u64;
    }
    Ok(lines)
}

/// Some lines that are searched together.
struct Batch<'q, F> {
    question: &'q Question,
    file: &'q Arc<SessionFile>,
    /// The number of the first line.
    line: u64,
    each: F,
}

impl<F: FnMut(SearchHit) -> GoOn> Batch<'_, F> {
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
        visible(entry, &question.roles).into_iter().all(|mut said| {
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

    /// Searches the bytes of the line.
    fn bare(&mut self, entry: Option<&Entry<'_>>, raw: &[u8], line: u64, offset: u64) -> GoOn {
        let whole = Visible::new(SearchRole::Line, vec![readable(trim(raw))]);
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
        let question = self.question;
        // A line without a time has that of its file.
        if !question.includes(time_ms.unwrap_or_else(|| to_ms(self.file.modified))) {
            return true;
        }
        let (snippet, count) = Snippet::of(&said.pieces, &question.pattern, question.context);
        let text = |id: Option<std::borrow::Cow<'_, str>>| id.map(|id| id.into_owned());
        let session = || text(entry.and_then(Entry::session));
        (self.each)(SearchHit {
            session_id: self.file.session_id.clone().or_else(session),
            file: Arc::clone(self.file),
            line,
            offset,
            uuid: text(entry.and_then(Entry::uuid)),
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
            roles: Vec::new(),
            raw: true,
            context: 5,
            since_ms: None,
            until_ms: None,
            stop: AtomicBool::new(false),
        }
    }

    fn lines(file: &mut File, range: Range<u64>, question: &Question) -> (Vec<(u64, u64)>, u64) {
        let mut found = Vec::new();
        let name = tempfile::NamedTempFile::new().unwrap();
        let named = Arc::new(SessionFile::at(name.path()).unwrap());
        let scanned = scan(
            &mut Buffer::default(),
            file,
            &named,
            &range,
            question,
            |hit| {
                found.push((hit.line, hit.offset));
                true
            },
        );
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
            let all = question(Wanted::Words(vec!["x".into()]));
            let (expected, count) = lines(&mut file, 0..u64::MAX, &all);
            assert_eq!(expected.len(), text.matches('x').count());
            assert_eq!(count, text.lines().count() as u64, "{text:?}");
            for cut in 0..=text.len() as u64 {
                let (mut found, before) = lines(&mut file, 0..cut, &all);
                let (behind, _) = lines(&mut file, cut..u64::MAX, &all);
                found.extend(behind.into_iter().map(|(line, at)| (line + before, at)));
                assert_eq!(found, expected, "{text:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn lines_that_are_longer_than_the_buffer_are_searched_whole() {
        const PIECE: usize = 256 * 1024;
        let long = "y".repeat(3 * PIECE);
        let text = format!("first x\n{long}x{long}\n{long}\nlast x");
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let all = question(Wanted::Regex("x".into()));
        let (found, count) = lines(&mut file, 0..u64::MAX, &all);
        let second = 2 + (6 * PIECE) as u64;
        assert_eq!(count, 4);
        let last = 8 + second + (3 * PIECE) as u64 + 1;
        assert_eq!(found, [(0, 0), (1, 8), (3, last)]);
    }
}
