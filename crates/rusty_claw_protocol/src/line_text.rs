//! The text of a line.

use std::borrow::Cow;

/// Returns the line as text; invalid UTF-8 is replaced by U+FFFD.
pub(crate) fn readable(line: &[u8]) -> Cow<'_, str> {
    // The strict check is many times faster than the lossy one, and nearly always sufficient.
    simdutf8::basic::from_utf8(line).map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed)
}

/// Strips what real streams and files have around the object: a byte order mark, white space, and
/// NUL bytes (left by a file system after a crash).
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
