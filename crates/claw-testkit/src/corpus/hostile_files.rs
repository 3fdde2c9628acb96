//! Files that a reader must survive and write back byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::fixture;

/// The files that are written down, as the data itself explains them.
const DATA: &str = include_str!("../../data/hostile_files.txt");

/// A valid line.
const WHOLE: &str = r#"{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/w","sessionId":"11111111-1111-4111-8111-111111111111","version":"2.0.55","gitBranch":"main","type":"user","uuid":"00000000-0000-4000-8000-000000000001","timestamp":"2026-10-01T11:59:59.000Z","message":{"role":"user","content":"q"}}"#;
/// Another.
const ANSWER: &str = r#"{"parentUuid":"00000000-0000-4000-8000-000000000001","isSidechain":false,"sessionId":"11111111-1111-4111-8111-111111111111","type":"assistant","uuid":"00000000-0000-4000-8000-000000000002","timestamp":"2026-10-01T12:00:00.000Z","requestId":"req_1","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":100}}}"#;

/// Writes the hostile files into a folder and returns their paths, in the order of their names. The
/// same bytes each time.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// for path in claw_testkit::corpus::hostile_files(folder.path())? {
///     let bytes = std::fs::read(path)?;
///     // ... read, write, compare ...
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn hostile_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::create_dir_all(folder)?;
    let write = |(name, bytes): (&str, Vec<u8>)| {
        let path = folder.join(name);
        fs::write(&path, bytes).map(|()| path)
    };
    contents().into_iter().map(write).collect()
}

/// The names and the bytes.
fn contents() -> BTreeMap<&'static str, Vec<u8>> {
    let mut files: BTreeMap<_, _> = fixture::read(DATA)
        .into_iter()
        .map(|file| (file.column(0), file.bytes))
        .collect();
    let hole = [0; 512];
    let parts = [
        WHOLE.as_bytes(),
        b"\n",
        &hole,
        ANSWER.as_bytes(),
        &hole,
        b"\n",
    ];
    files.extend([
        ("newlines.jsonl", vec![b'\n'; 1000]),
        ("nuls.jsonl", vec![0; 4096]),
        ("nul_lines.jsonl", b"\0\0\0\n".repeat(100)),
        // A hole that a crash left.
        ("nuls_in_the_middle.jsonl", parts.concat()),
        ("utf16.jsonl", utf16(WHOLE)),
        ("cut_everywhere.jsonl", cut_everywhere()),
        // Every byte that is invalid alone, inside and outside of texts.
        ("invalid_utf8.jsonl", invalid_utf8()),
        // All 256 bytes, on a line each and together.
        ("all_bytes.jsonl", all_bytes()),
    ]);
    files
}

fn utf16(text: &str) -> Vec<u8> {
    let mut bytes = vec![0xff, 0xfe];
    bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    bytes.extend([b'\n', 0]);
    bytes
}

fn cut_everywhere() -> Vec<u8> {
    let mut bytes = Vec::new();
    for end in 0..ANSWER.len() {
        bytes.extend_from_slice(&ANSWER.as_bytes()[..end]);
        bytes.push(b'\n');
    }
    bytes
}

fn invalid_utf8() -> Vec<u8> {
    let mut bytes = Vec::new();
    for byte in 0x80..=0xff {
        bytes.extend_from_slice(
            b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"a",
        );
        bytes.push(byte);
        bytes.extend_from_slice(b"b\"}}\n");
        bytes.push(byte);
        bytes.extend_from_slice(WHOLE.as_bytes());
        bytes.push(b'\n');
    }
    // A key, an overlong zero, a surrogate as UTF-8, a value above U+10FFFF, half a character.
    bytes.extend_from_slice(
        b"{\"ty\xffpe\":\"user\"}\n{\"a\":\"\xc0\x80\"}\n{\"a\":\"\xed\xa0\x80\"}\n",
    );
    bytes
        .extend_from_slice(b"{\"a\":\"\xf4\x90\x80\x80\"}\n{\"a\":\"\xf0\x9f\x98\"}\n\xf0\x9f\x98");
    bytes
}

fn all_bytes() -> Vec<u8> {
    let mut bytes = Vec::new();
    for byte in 0..=255 {
        bytes.extend_from_slice(&[b'{', byte, b'}', b'\n']);
    }
    bytes.extend(0..=255);
    bytes
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_and_bytes_are_all_different() {
        let files = contents();
        // A name that is there twice hides a file.
        assert_eq!(files.len(), fixture::read(DATA).len() + 8);
        let bytes: BTreeSet<_> = files.values().collect();
        assert_eq!(bytes.len(), files.len());
        assert!(files.len() >= 30);
    }

    #[test]
    fn what_is_called_whole_is_whole() {
        for line in [WHOLE, ANSWER] {
            assert!(serde_json::from_str::<serde_json::Value>(line).is_ok());
        }
    }

    #[test]
    fn what_is_called_broken_is_broken() {
        let files = contents();
        let invalid = &files["invalid_utf8.jsonl"];
        let lines = invalid.split(|byte| *byte == b'\n');
        assert!(
            lines
                .into_iter()
                .all(|line| std::str::from_utf8(line).is_err())
        );
        assert!(files["one_long_line.jsonl"].len() >= 1 << 20);
        assert!(files["deep.jsonl"].len() > 1_000_000);
    }
}
