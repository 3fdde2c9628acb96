//! Bytes of a session file become lines.

mod scan;
mod tail;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use crate::error::TranscriptError;

use scan::Buffer;
pub use tail::last_lines;

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineEnd {
    /// `\n`, as the CLI writes.
    Lf,
    /// `\r\n`, as some editors and copies leave it.
    CrLf,
    /// The file ends here: the writer was cut off, or is not done.
    None,
}

impl LineEnd {
    /// The bytes in the file.
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
            Self::None => b"",
        }
    }
}

/// One line of a file: its bytes and where they lie.
///
/// Lines end at `\n` and nowhere else. Every byte of a file belongs to exactly one line, so writing
/// [`Line::raw`] and [`Line::end`] of all lines gives the file again, whatever is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Counted from zero, blank lines included.
    pub ordinal: u64,
    /// Where in the file its first byte is.
    pub offset: u64,
    /// Its bytes, without the end.
    pub raw: &'a [u8],
    /// How it ends.
    pub end: LineEnd,
}

impl<'a> Line<'a> {
    /// The line as text that may hold JSON: without the NUL bytes a crash leaves, a byte order mark
    /// or white space around it; bytes that are not UTF-8 show as U+FFFD.
    pub fn text(&self) -> Cow<'a, str> {
        readable(self.raw)
    }

    /// Whether there is nothing in it but white space, NUL bytes and byte order marks.
    pub fn is_blank(&self) -> bool {
        trim(self.raw).is_empty()
    }

    /// How many bytes of the file are this line, its end included.
    pub fn len_with_end(&self) -> u64 {
        (self.raw.len() + self.end.bytes().len()) as u64
    }

    /// Splits the bytes of a line into what is in it and how it ends.
    pub(crate) fn of(bytes: &'a [u8], ordinal: u64, offset: u64) -> Self {
        let (raw, end) = match bytes {
            [raw @ .., b'\r', b'\n'] => (raw, LineEnd::CrLf),
            [raw @ .., b'\n'] => (raw, LineEnd::Lf),
            raw => (raw, LineEnd::None),
        };
        Self {
            ordinal,
            offset,
            raw,
            end,
        }
    }
}

/// The lines of a file, or of any reader, one at a time.
///
/// Reads in large pieces into one buffer and hands out lines where they lie in it, without copying
/// them. The buffer grows with the longest line, by an eighth more than
/// it needs at most, and shrinks after it.
///
/// ```
/// use claw_transcript::{LineEnd, Lines};
///
/// let mut lines = Lines::new(&b"one\r\n\ntwo"[..]);
/// let mut back = Vec::new();
/// while let Some(line) = lines.next_line()? {
///     back.extend_from_slice(line.raw);
///     back.extend_from_slice(line.end.bytes());
/// }
/// assert_eq!(back, b"one\r\n\ntwo");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    buffer: Buffer,
    ordinal: u64,
    offset: u64,
}

impl<R: Read> Lines<R> {
    /// The lines of a reader that stands at the start of a line.
    pub fn new(reader: R) -> Self {
        Self {
            reader,
            buffer: Buffer::default(),
            ordinal: 0,
            offset: 0,
        }
    }

    /// Says which line, and at which byte, the reader stands at.
    pub fn starting_at(mut self, ordinal: u64, offset: u64) -> Self {
        self.ordinal = ordinal;
        self.offset = offset;
        self
    }

    /// The lines of another reader from its start, in the same buffer.
    pub fn restart(&mut self, reader: R) {
        self.reader = reader;
        self.buffer.clear();
        self.ordinal = 0;
        self.offset = 0;
    }

    /// The next line; `None` at the end. What follows the last `\n` is a line when it is not empty.
    ///
    /// # Errors
    /// The reader failed. The next call goes on where it did.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        let Some(length) = self.buffer.fill_line(&mut self.reader)? else {
            return Ok(None);
        };
        let (ordinal, offset) = (self.ordinal, self.offset);
        self.ordinal += 1;
        self.offset += length as u64;
        Ok(Some(Line::of(self.buffer.take(length), ordinal, offset)))
    }

    /// Where the next line begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

/// Where a line lies in its file, without its newline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) offset: u64,
    pub(crate) length: usize,
}

/// Reads a file line by line, over blank ones, and single lines again.
#[derive(Debug)]
pub(crate) struct LineReader {
    path: PathBuf,
    lines: Lines<File>,
}

impl LineReader {
    pub(crate) fn open(path: &Path) -> Result<Self, TranscriptError> {
        let file = File::open(path).map_err(TranscriptError::io("open", path))?;
        Ok(Self {
            path: path.to_path_buf(),
            lines: Lines::new(file),
        })
    }

    /// The next line that is not blank, with where it lies.
    pub(crate) fn next_line(&mut self) -> Result<Option<(Span, &[u8])>, TranscriptError> {
        loop {
            // Taken apart, since a line that is lent out in a loop cannot be given back.
            let filled = self.lines.buffer.fill_line(&mut self.lines.reader);
            let Some(length) = filled.map_err(TranscriptError::io("read", &self.path))? else {
                return Ok(None);
            };
            let offset = self.lines.offset;
            self.lines.offset += length as u64;
            let line = self.lines.buffer.peek(length);
            if trim(line).is_empty() {
                self.lines.buffer.take(length);
                continue;
            }
            let raw = Line::of(self.lines.buffer.take(length), 0, offset).raw;
            let length = raw.len();
            return Ok(Some((Span { offset, length }, raw)));
        }
    }

    /// Reads one line again.
    pub(crate) fn line_at(&mut self, span: Span) -> Result<Vec<u8>, TranscriptError> {
        let mut line = vec![0; span.length];
        let file = &mut self.lines.reader;
        file.seek(SeekFrom::Start(span.offset))
            .and_then(|_| file.read_exact(&mut line))
            .map_err(TranscriptError::io("read", &self.path))?;
        Ok(line)
    }
}

/// A line as text that may hold JSON, see [`Line::text`].
pub(crate) fn readable(line: &[u8]) -> Cow<'_, str> {
    let line = trim(line);
    match simdutf8::basic::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(line),
    }
}

/// A line without what may stand around its JSON.
pub(crate) fn trim(mut line: &[u8]) -> &[u8] {
    loop {
        line = match line {
            [0 | b' ' | b'\t' | b'\r' | b'\n', rest @ ..]
            | [rest @ .., 0 | b' ' | b'\t' | b'\r' | b'\n']
            | [0xEF, 0xBB, 0xBF, rest @ ..] => rest,
            trimmed => return trimmed,
        }
    }
}

/// Whether more than white space stands around the JSON of a line, which the CLI does not read
/// over.
pub(crate) fn has_more_than_space_around(line: &[u8]) -> bool {
    let json = trim(line).len();
    line.len() != json && line.trim_ascii().len() != json
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes at a time, as a slow disk or a pipe does.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(self.0.len()).min(into.len());
            into[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn read(bytes: &[u8], at_once: usize) -> Vec<(u64, u64, Vec<u8>, LineEnd)> {
        let mut lines = Lines::new(Drip(bytes, at_once));
        let mut all = Vec::new();
        while let Some(line) = lines.next_line().expect("memory does not fail") {
            all.push((line.ordinal, line.offset, line.raw.to_vec(), line.end));
        }
        all
    }

    #[test]
    fn every_byte_belongs_to_one_line() {
        let long = [b"x".repeat(700_000), b"\ny".to_vec()].concat();
        let files: [&[u8]; 9] = [
            b"",
            b"\n",
            b"\n\n\n",
            b"a\nb",
            b"a\r\nb\r\n",
            b"a\rb\n\r\n",
            b"\xEF\xBB\xBF{}\n\0\0\0",
            "a\u{2028}b\u{0085}c\n".as_bytes(),
            &long,
        ];
        for file in files {
            for at_once in [1, 3, 1 << 20] {
                if file.len() > 1000 && at_once == 1 {
                    continue;
                }
                let lines = read(file, at_once);
                let mut at = 0;
                let mut back = Vec::new();
                for (number, (ordinal, offset, raw, end)) in lines.iter().enumerate() {
                    assert_eq!((*ordinal, *offset), (number as u64, at));
                    assert!(!raw.contains(&b'\n'));
                    back.extend_from_slice(raw);
                    back.extend_from_slice(end.bytes());
                    at = back.len() as u64;
                }
                assert_eq!(back, file);
            }
        }
    }

    #[test]
    fn what_a_crash_leaves_around_json_is_not_text() {
        let line = Line::of(b"\0\0\xEF\xBB\xBF {\"a\":\"\xFF\"}\r\n", 0, 0);
        assert_eq!(line.text(), "{\"a\":\"\u{FFFD}\"}");
        assert_eq!(line.end, LineEnd::CrLf);
        assert!(Line::of(b"\0 \t\n", 0, 0).is_blank());
    }
}
