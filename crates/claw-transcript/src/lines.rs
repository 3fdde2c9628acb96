//! Bytes of a session file become lines.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use crate::error::TranscriptError;

/// Where a line lies in its file, without its newline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) offset: u64,
    pub(crate) length: usize,
}

/// Reads a file line by line. Holds one line at a time.
#[derive(Debug)]
pub(crate) struct LineReader {
    path: PathBuf,
    file: BufReader<File>,
    line: Vec<u8>,
    offset: u64,
}

impl LineReader {
    pub(crate) fn open(path: &Path) -> Result<Self, TranscriptError> {
        let file = File::open(path).map_err(TranscriptError::io("open", path))?;
        Ok(Self {
            path: path.to_path_buf(),
            file: BufReader::with_capacity(64 * 1024, file),
            line: Vec::new(),
            offset: 0,
        })
    }

    /// The next line that is not blank, with where it lies. Lines end at `\n` and nowhere else.
    pub(crate) fn next_line(&mut self) -> Result<Option<(Span, &[u8])>, TranscriptError> {
        loop {
            self.line.clear();
            let read = self
                .file
                .read_until(b'\n', &mut self.line)
                .map_err(TranscriptError::io("read", &self.path))?;
            if read == 0 {
                return Ok(None);
            }
            let offset = self.offset;
            self.offset += read as u64;
            if self.line.last() == Some(&b'\n') {
                self.line.pop();
            }
            let length = self.line.len();
            if !trim(&self.line).is_empty() {
                return Ok(Some((Span { offset, length }, &self.line)));
            }
        }
    }

    /// Reads one line again.
    pub(crate) fn line_at(&mut self, span: Span) -> Result<Vec<u8>, TranscriptError> {
        let mut line = vec![0; span.length];
        self.file
            .seek(SeekFrom::Start(span.offset))
            .and_then(|_| self.file.read_exact(&mut line))
            .map_err(TranscriptError::io("read", &self.path))?;
        Ok(line)
    }
}

/// A line as text that may hold JSON: without the NUL bytes a crash leaves, a byte order mark or
/// white space around it; bytes that are not UTF-8 show as U+FFFD.
pub(crate) fn readable(line: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(trim(line))
}

fn trim(mut line: &[u8]) -> &[u8] {
    loop {
        line = match line {
            [0 | b' ' | b'\t' | b'\r' | b'\n', rest @ ..]
            | [rest @ .., 0 | b' ' | b'\t' | b'\r' | b'\n']
            | [0xEF, 0xBB, 0xBF, rest @ ..] => rest,
            trimmed => return trimmed,
        }
    }
}
