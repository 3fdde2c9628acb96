//! Identifies files that hold no session.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::error::TranscriptError;

/// The first bytes of a kind of file, its description, and advice for the user.
type KindOfFile = (&'static [u8], &'static str, &'static str);

const KINDS: &[KindOfFile] = &[
    (b"\x1f\x8b", "compressed with gzip", "unpack it with gunzip"),
    (
        b"\x28\xb5\x2f\xfd",
        "compressed with zstd",
        "unpack it with unzstd",
    ),
    (b"PK\x03\x04", "a zip archive", "unpack it with unzip"),
    (b"\xff\xfe", "UTF-16 text", UTF16),
    (b"\xfe\xff", "UTF-16 text", UTF16),
    (b"{\0", "UTF-16 text", UTF16),
    (b"\0{", "UTF-16 text", UTF16),
];

const UTF16: &str = "convert it with iconv -f UTF-16 -t UTF-8";
const BACKUP: &str = "restore it from a backup, or delete it";

/// The kind of a file by its first bytes, and advice for the user. The file has no line that is a
/// JSON object, or no message of a conversation.
pub(crate) fn kind_of(path: &Path) -> (&'static str, &'static str) {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(1 << 12).read_to_end(&mut start));
    if read.is_err() {
        return ("a file that cannot be read", "check its permissions");
    }
    let known = KINDS.iter().find(|(begins, ..)| start.starts_with(begins));
    match known {
        Some((_, what, hint)) => (what, hint),
        None if start.is_empty() => ("empty", BACKUP),
        None if start.iter().all(|byte| *byte == 0) => ("NUL bytes, as after a crash", BACKUP),
        None if start.trim_ascii_start().starts_with(b"{") => {
            ("JSON without a message of a conversation", BACKUP)
        }
        None if start.contains(&0) => ("binary data", "give a session file"),
        None => ("text that is not lines of JSON", "give a session file"),
    }
}

/// The error for a file that holds no session.
pub(crate) fn refusal(path: &Path) -> TranscriptError {
    let (what, hint) = kind_of(path);
    TranscriptError::NotASession {
        path: path.to_owned(),
        what,
        hint,
    }
}
