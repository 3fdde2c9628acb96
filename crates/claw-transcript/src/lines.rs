//! Splits session files into lines.

mod scan;
mod tail;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use crate::error::TranscriptError;

pub(crate) use scan::Buffer;
pub use tail::last_lines;

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineEnd {
    /// `\n`, as the CLI writes.
    Lf,
    /// `\r\n`, as written by some editors and copied files.
    CrLf,
    /// The end of the file: the writer was killed, or is not done.
    None,
}

impl LineEnd {
    /// The bytes of the line end.
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Self::Lf => b"\n",
            Self::CrLf => b"\r\n",
            Self::None => b"",
        }
    }
}

/// One line of a file: its bytes and their position.
///
/// Lines end at `\n` only. Every byte of a file belongs to exactly one line, so writing
/// [`Line::raw`] and [`Line::end`] of all lines reproduces the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// The number of the line from zero, including blank lines.
    pub ordinal: u64,
    /// The offset of its first byte in the file.
    pub offset: u64,
    /// Its bytes, without the line end.
    pub raw: &'a [u8],
    /// The line end.
    pub end: LineEnd,
}

impl<'a> Line<'a> {
    /// The line as text that may be JSON: without NUL bytes from a crash, byte order marks and
    /// white space around it. Invalid UTF-8 becomes U+FFFD.
    pub fn text(&self) -> Cow<'a, str> {
        readable(self.raw)
    }

    /// Returns whether it has only white space, NUL bytes and byte order marks.
    pub fn is_blank(&self) -> bool {
        trim(self.raw).is_empty()
    }

    /// The number of bytes, including the line end.
    pub fn len_with_end(&self) -> u64 {
        (self.raw.len() + self.end.bytes().len()) as u64
    }

    /// Splits the bytes of a line into content and line end.
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

/// Reads the lines of a file or of any reader.
///
/// Reads large pieces into one buffer and returns slices of it, without copying. The buffer grows
/// with the longest line, by an eighth at a time, and shrinks after it.
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
    /// Creates lines from a reader that is at the start of a line.
    pub fn new(reader: R) -> Self {
        Self {
            reader,
            buffer: Buffer::default(),
            ordinal: 0,
            offset: 0,
        }
    }

    /// Sets the number and the offset of the next line.
    pub fn starting_at(mut self, ordinal: u64, offset: u64) -> Self {
        self.ordinal = ordinal;
        self.offset = offset;
        self
    }

    /// Continues with another reader from its start, reusing the buffer.
    pub fn restart(&mut self, reader: R) {
        self.reader = reader;
        self.buffer.clear();
        self.ordinal = 0;
        self.offset = 0;
    }

    /// Returns the next line; `None` at the end. The rest after the last `\n` is a line if it is
    /// not empty.
    ///
    /// # Errors
    /// The reader failed. The next call continues at the same position.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        let Some(length) = self.buffer.fill_line(&mut self.reader)? else {
            return Ok(None);
        };
        let (ordinal, offset) = (self.ordinal, self.offset);
        self.ordinal += 1;
        self.offset += length as u64;
        Ok(Some(Line::of(self.buffer.take(length), ordinal, offset)))
    }

    /// The offset of the next line.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

/// Reads the lines of one file after another with one buffer.
#[cfg(any(feature = "check", feature = "usage"))]
#[derive(Debug, Default)]
pub(crate) struct ReusedLines(Option<Lines<File>>);

#[cfg(any(feature = "check", feature = "usage"))]
impl ReusedLines {
    pub(crate) fn open(&mut self, path: &Path) -> io::Result<&mut Lines<File>> {
        let file = File::open(path)?;
        match &mut self.0 {
            Some(lines) => {
                lines.restart(file);
                Ok(lines)
            }
            none => Ok(none.insert(Lines::new(file))),
        }
    }
}

/// The position of a line in its file, without its newline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) offset: u64,
    pub(crate) length: usize,
}

/// Reads a file line by line, and single lines again.
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

    /// Returns the next line and its position.
    pub(crate) fn next_line(&mut self) -> Result<Option<(Span, &[u8])>, TranscriptError> {
        let line = self.lines.next_line();
        let line = line.map_err(TranscriptError::io("read", &self.path))?;
        Ok(line.map(|Line { offset, raw, .. }| {
            let length = raw.len();
            (Span { offset, length }, raw)
        }))
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

/// The line as text that may be JSON, see [`Line::text`].
pub(crate) fn readable(line: &[u8]) -> Cow<'_, str> {
    let line = trim(line);
    match simdutf8::basic::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(line),
    }
}

/// Removes NUL bytes, white space and byte order marks around the JSON of a line.
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

/// Returns whether more than white space is around the JSON of a line. The CLI does not accept
/// that.
pub(crate) fn has_more_than_space_around(line: &[u8]) -> bool {
    let json = trim(line).len();
    line.len() != json && line.trim_ascii().len() != json
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a few bytes at a time, like a slow disk or a pipe.
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
