//! Files that a reader must survive and give back byte for byte.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostileFile {
    /// Its name, which ends in `.jsonl`.
    pub name: &'static str,
    /// What is in it.
    pub about: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A line as good as any.
const WHOLE: &str = r#"{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/w","sessionId":"11111111-1111-4111-8111-111111111111","version":"2.0.55","gitBranch":"main","type":"user","uuid":"00000000-0000-4000-8000-000000000001","timestamp":"2026-10-01T11:59:59.000Z","message":{"role":"user","content":"q"}}"#;
/// Another.
const ANSWER: &str = r#"{"parentUuid":"00000000-0000-4000-8000-000000000001","isSidechain":false,"sessionId":"11111111-1111-4111-8111-111111111111","type":"assistant","uuid":"00000000-0000-4000-8000-000000000002","timestamp":"2026-10-01T12:00:00.000Z","requestId":"req_1","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":100}}}"#;

/// Writes the hostile files into a folder and returns their paths, in the order of their names.
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
    let mut paths = Vec::new();
    for file in hostile_contents() {
        let path = folder.join(file.name);
        fs::write(&path, &file.bytes)?;
        paths.push(path);
    }
    Ok(paths)
}

/// The hostile files without a folder, in the order of their names. The same bytes each time.
pub fn hostile_contents() -> Vec<HostileFile> {
    let mut files = vec![
        file("empty.jsonl", "nothing", []),
        file("newline.jsonl", "one newline", *b"\n"),
        file("newlines.jsonl", "only newlines", [b'\n'; 1000]),
        file("nuls.jsonl", "only NUL bytes", [0; 4096]),
        file(
            "nul_lines.jsonl",
            "lines of NUL bytes",
            b"\0\0\0\n".repeat(100),
        ),
        file(
            "nuls_in_the_middle.jsonl",
            "a hole that a crash left",
            [
                WHOLE.as_bytes(),
                b"\n",
                &[0; 512],
                ANSWER.as_bytes(),
                &[0; 512],
                b"\n",
            ]
            .concat(),
        ),
        file(
            "bom.jsonl",
            "a byte order mark and nothing else",
            "\u{feff}",
        ),
        file(
            "bom_each_line.jsonl",
            "a byte order mark before each line",
            format!("\u{feff}{WHOLE}\n\u{feff}{ANSWER}\n"),
        ),
        file("utf16.jsonl", "UTF-16 with its mark", utf16(WHOLE)),
        file(
            "lone_cr.jsonl",
            "lines that end in CR alone",
            format!("{WHOLE}\r{ANSWER}\r"),
        ),
        file("cr_only.jsonl", "one CR", *b"\r"),
        file(
            "crlf.jsonl",
            "CR LF, and CR CR LF",
            format!("{WHOLE}\r\n{ANSWER}\r\r\n"),
        ),
        file(
            "mixed_ends.jsonl",
            "each end of a line once",
            format!("{WHOLE}\n{WHOLE}\r\n{WHOLE}\r{WHOLE}\n\r{WHOLE}"),
        ),
        file(
            "no_final_newline.jsonl",
            "a whole last line without a newline",
            format!("{WHOLE}\n{ANSWER}"),
        ),
        file(
            "final_cr.jsonl",
            "a last line that ends in CR without LF",
            format!("{WHOLE}\n{ANSWER}\r"),
        ),
        file(
            "spaces.jsonl",
            "lines of blanks, and blanks around a line",
            format!("   \n\t\n  {WHOLE}  \n{ANSWER}\t \n \n"),
        ),
        file(
            "one_long_line.jsonl",
            "a line of 1 MB with no newline",
            vec![b'x'; 1 << 20],
        ),
        file(
            "one_long_object.jsonl",
            "an object of 1 MB on one line",
            format!(
                "{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"{}\"}}}}\n",
                "long \\n text ".repeat(80_000)
            ),
        ),
        file(
            "glued_two.jsonl",
            "two objects on a line",
            format!("{WHOLE}{ANSWER}\n"),
        ),
        file(
            "glued_three.jsonl",
            "three objects on a line, and a line after",
            format!("{WHOLE}{ANSWER}{WHOLE}\n{ANSWER}\n"),
        ),
        file(
            "glued_to_a_cut.jsonl",
            "cut, whole, cut, whole on one line",
            format!("{}{ANSWER}{}{WHOLE}\n", &WHOLE[..120], &ANSWER[..200]),
        ),
        file(
            "cut_everywhere.jsonl",
            "a line cut at every place",
            cut_everywhere(),
        ),
        file(
            "cut_in_a_character.jsonl",
            "a last line that ends inside a character",
            [
                b"{\"type\":\"user\",\"message\":\"".as_slice(),
                &"\u{1f600}".as_bytes()[..2],
            ]
            .concat(),
        ),
        file(
            "invalid_utf8.jsonl",
            "every byte that cannot stand alone, inside and outside of texts",
            invalid_utf8(),
        ),
        file(
            "all_bytes.jsonl",
            "all 256 bytes, on a line each and together",
            all_bytes(),
        ),
        file(
            "u2028.jsonl",
            "U+2028, U+2029 and U+0085 in texts and between lines",
            format!(
                "{}\n\u{2028}\n{WHOLE}\u{85}{WHOLE}\u{2029}\n",
                WHOLE.replace("\"q\"", "\"a\u{2028}b\u{2029}c\u{85}d\"")
            ),
        ),
        file(
            "deep.jsonl",
            "100,000 levels, closed and not",
            deep(100_000),
        ),
        file(
            "duplicate_keys.jsonl",
            "members that are there twice, with other values",
            DUPLICATES,
        ),
        file(
            "huge_numbers.jsonl",
            "numbers that no integer or float holds",
            NUMBERS,
        ),
        file(
            "half_surrogates.jsonl",
            "halves of surrogate pairs, escaped and as bytes",
            half_surrogates(),
        ),
        file(
            "not_objects.jsonl",
            "JSON that is no object, and no JSON",
            "[]\n\"text\"\n42\nnull\ntrue\n{}\n[{\"type\":\"user\"}]\nhello\n{\"type\":}\n",
        ),
        file(
            "wrong_types.jsonl",
            "known members with values of other kinds",
            WRONG_TYPES,
        ),
    ];
    files.sort_by_key(|file| file.name);
    files
}

fn file(name: &'static str, about: &'static str, bytes: impl Into<Vec<u8>>) -> HostileFile {
    HostileFile {
        name,
        about,
        bytes: bytes.into(),
    }
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

fn deep(levels: usize) -> Vec<u8> {
    let lists = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let objects = format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
    let open = "[".repeat(levels);
    [
        WHOLE,
        "\n{\"type\":\"user\",\"toolUseResult\":",
        &lists,
        "}\n{\"type\":\"user\",\"toolUseResult\":",
        &objects,
        "}\n{\"type\":\"user\",\"toolUseResult\":",
        &open,
        "\n",
        &objects,
        "\n",
        ANSWER,
        "\n",
    ]
    .concat()
    .into_bytes()
}

fn half_surrogates() -> Vec<u8> {
    let mut bytes = Vec::new();
    for escape in [
        r"\ud83d",
        r"\ude00",
        r"\ude00\ud83d",
        r"\ud83d\ud83d\ude00",
        r"\ud83dx\ude00",
        r"\uD83D\n",
        r"\ud83d\u0041",
    ] {
        bytes.extend_from_slice(
            WHOLE
                .replace("\"q\"", &format!("\"a{escape}b\""))
                .as_bytes(),
        );
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(
        b"{\"type\":\"user\",\"\\ud83d\":1,\"a\":\"\xed\xa0\xbd\xed\xb8\x80\"}\n",
    );
    bytes
}

const DUPLICATES: &str = r#"{"type":"user","type":"assistant","uuid":"a","uuid":"b","message":{"role":"user"},"message":{"role":"assistant","id":"msg_1","id":"msg_2","usage":{"output_tokens":1,"output_tokens":2},"usage":{"output_tokens":3}}}
{"parentUuid":null,"parentUuid":"x","timestamp":"2026-10-01T12:00:00.000Z","timestamp":null,"type":"user"}
{"ty\u0070e":"system","type":"user","\u0074ype":"assistant"}
"#;

const NUMBERS: &str = r#"{"type":"assistant","message":{"id":"msg_1","usage":{"input_tokens":18446744073709551616,"output_tokens":-1}}}
{"type":"assistant","message":{"id":"msg_2","usage":{"input_tokens":1e999,"output_tokens":1.5,"cache_read_input_tokens":-0}}}
{"type":"assistant","message":{"id":"msg_3","usage":{"input_tokens":100000000000000000000000000000000000000000000000000,"output_tokens":1e2}}}
{"type":"assistant","message":{"id":"msg_4","usage":{"input_tokens":0.1e-400,"output_tokens":9007199254740993}}}
{"type":"assistant","message":{"id":"msg_5","usage":{"input_tokens":"12","output_tokens":null}}}
"#;

const WRONG_TYPES: &str = r#"{"type":1}
{"type":null,"uuid":[],"parentUuid":{},"timestamp":5,"message":true}
{"type":"assistant","message":"text","uuid":7}
{"type":"assistant","message":{"id":9,"usage":[],"content":{}}}
{"type":"user","message":{"content":[1,"x",null,{"type":[]}]},"isSidechain":"yes"}
{"type":["user"],"type ":"user"}
{"":""}
"#;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_and_bytes_are_all_different() {
        let files = hostile_contents();
        let names: BTreeSet<_> = files.iter().map(|file| file.name).collect();
        let bytes: BTreeSet<_> = files.iter().map(|file| &file.bytes).collect();
        assert_eq!(names.len(), files.len());
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
        let file = |name| {
            hostile_contents()
                .into_iter()
                .find(|file| file.name == name)
        };
        let invalid = file("invalid_utf8.jsonl").unwrap().bytes;
        let lines = invalid.split(|byte| *byte == b'\n');
        assert!(
            lines
                .into_iter()
                .all(|line| std::str::from_utf8(line).is_err())
        );
        assert!(file("one_long_line.jsonl").unwrap().bytes.len() >= 1 << 20);
        assert!(file("deep.jsonl").unwrap().bytes.len() > 1_000_000);
    }
}
